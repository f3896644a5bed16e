// resources/list, resources/templates/list, resources/read, and the legacy subscriptions.

#include "base/text/text.h"
#include "protocol/conversation.h"
#include "protocol/pages.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

json::Object describe(const ResourceInfo& info, std::string_view uri_key, Version version) {
  json::Object out;
  out.append_new(std::string(uri_key), info.uri);
  out.append_new("name", info.name);
  if (version >= Version::v2025_06_18 && !info.title.empty()) out.append_new("title", info.title);
  if (!info.description.empty()) out.append_new("description", info.description);
  if (!info.mime_type.empty()) out.append_new("mimeType", info.mime_type);
  if (info.size) out.append_new("size", *info.size);
  if (!info.annotations.empty()) {
    out.append_new("annotations", to_json(info.annotations, version));
  }
  if (version >= Version::v2025_11_25 && !info.icons.empty()) {
    out.append_new("icons", to_json(info.icons));
  }
  return out;
}

std::string_view uri_of(const Resource& resource) { return resource.info.uri; }

/// Those of the table first, then those that come and go.
WorkResult list_all(const Responder& responder, const json::Object& params) {
  const ResourceTable& table = responder.catalog().resources;
  const Version version = responder.context.version;
  auto after = cursor_of("resources", params);
  if (!after) return responder.refuse(after.error());
  json::Array items;
  std::size_t start = 0;
  const bool begun = !after->empty();
  while (begun && start < table.resources().size() && uri_of(table.resources()[start]) != *after) {
    ++start;
  }
  const bool past_table = begun && start == table.resources().size();
  if (begun && !past_table) ++start;
  std::string last = *after;
  for (; start < table.resources().size() && items.size() < limits::list_page_items_max; ++start) {
    items.emplace_back(describe(table.resources()[start].info, "uri", version));
    last = uri_of(table.resources()[start]);
  }
  const std::size_t room = limits::list_page_items_max - items.size();
  // One more than there is room for tells whether there is a next page.
  const auto more = table.lister()(responder.context.principal,
                                   past_table ? std::string_view(*after) : "", room + 1);
  if (!more) return responder.refuse(internal_error(more.error()));
  for (std::size_t i = 0; i < std::min(room, more->size()); ++i) {
    items.emplace_back(describe((*more)[i], "uri", version));
    last = (*more)[i].uri;
  }
  json::Object result{{"resources", std::move(items)}};
  if (more->size() > room) result.append_new("nextCursor", cursor_after("resources", last));
  add_cache_hints(result, version, CacheScope::own, 0);
  return responder.answer(std::move(result));
}

WorkResult read(const Responder& responder, const std::string& uri, const json::Object& params,
                CallHost& host) {
  auto found = responder.catalog().resources.find(uri);
  if (!found) return responder.refuse(resource_not_found(uri));
  auto conversation = Conversation::open(responder, host, "resources/read", uri, params);
  if (!conversation) return responder.refuse(conversation.error());
  conversation->call().uri = uri;
  conversation->call().arguments = std::move(found->variables);
  auto result = conversation->run<ResourceResult>(*found->read);
  if (!result) return std::move(result.error());
  ASSERT(!result->contents.empty());
  json::Array contents;
  for (json::Object& each : result->contents) contents.emplace_back(std::move(each));
  json::Object out{{"contents", std::move(contents)}};
  add_cache_hints(out, responder.context.version, CacheScope::own, result->ttl_ms);
  return responder.answer(std::move(out));
}

std::expected<std::string, RpcError> uri_of(const MethodRequest& request) {
  const json::Value* const uri = request.params.find("uri");
  if (uri != nullptr && uri->is_string()) return *uri->if_string();
  return std::unexpected(invalid_params(cat(request.method, " needs params.uri, a string.")));
}

}  // namespace

SingleAction list_resources(MethodRequest& request) {
  const ResourceTable& table = request.responder.catalog().resources;
  if (table.lister()) {
    return work(std::move(request.responder),
                [params = std::move(request.params)](const Responder& responder, CallHost&) {
                  return list_all(responder, params);
                });
  }
  const Version version = request.responder.context.version;
  MethodResult answer = page(
      "resources", request.params, table.resources(),
      [](const Resource& resource) { return uri_of(resource); },
      [&](const Resource& resource) { return describe(resource.info, "uri", version); });
  if (answer) add_cache_hints(*answer, version, CacheScope::shared);
  return reply(request.responder.answer(std::move(answer)));
}

SingleAction list_resource_templates(MethodRequest& request) {
  const Version version = request.responder.context.version;
  MethodResult answer = page(
      "resourceTemplates", request.params, request.responder.catalog().resources.templates(),
      [](const CheckedTemplate& each) { return std::string_view(each.entry.info.uri); },
      [&](const CheckedTemplate& each) {
        return describe(each.entry.info, "uriTemplate", version);
      });
  if (answer) add_cache_hints(*answer, version, CacheScope::shared);
  return reply(request.responder.answer(std::move(answer)));
}

SingleAction read_resource(MethodRequest& request) {
  auto uri = uri_of(request);
  if (!uri) return reply(request.responder.refuse(uri.error()));
  return work(std::move(request.responder),
              [uri = std::move(*uri), params = std::move(request.params)](
                  const Responder& responder, CallHost& host) {
                return read(responder, uri, params, host);
              });
}

SingleAction subscribe(MethodRequest& request) {
  auto uri = uri_of(request);
  if (!uri) return reply(request.responder.refuse(uri.error()));
  auto& uris = request.connection.subscribed_uris;
  std::size_t bytes = uri->size();
  for (const std::string& each : uris) bytes += each.size();
  const bool is_room =
      uris.size() < limits::subscribed_uris_max && bytes <= limits::subscribed_uris_bytes_max;
  if (!is_room && !uris.contains(*uri)) {
    return reply(request.responder.refuse(invalid_params(
        cat("No more than ", limits::subscribed_uris_max, " resources, whose URIs have ",
            limits::subscribed_uris_bytes_max,
            " bytes together, can be subscribed at once. Unsubscribe some first."))));
  }
  if (auto watch = watch_for(request.responder.catalog(), *uri)) {
    request.connection.watches.emplace(*uri, std::move(watch));
  }
  uris.insert(std::move(*uri));
  return reply(request.responder.answer(json::Object{}));
}

SingleAction unsubscribe(MethodRequest& request) {
  const auto uri = uri_of(request);
  if (!uri) return reply(request.responder.refuse(uri.error()));
  request.connection.subscribed_uris.erase(*uri);
  request.connection.watches.erase(*uri);
  return reply(request.responder.answer(json::Object{}));
}

}  // namespace baton::protocol
