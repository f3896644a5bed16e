#include "protocol/server.h"

#include <algorithm>

#include "base/text.h"
#include "protocol/methods.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

using Answer = std::expected<json::Object, RpcError>;

enum class Eras : std::uint8_t { legacy, modern, both };

struct Asked {
  const Server::Parts& parts;
  const Request& request;
  const RequestContext& context;
  Connection& connection;
};

struct Method {
  std::string_view name;
  Eras eras;
  Answer (*answer)(const Asked&);  // null: becomes Work
};

json::Object capabilities() { return {{"tools", json::Object{}}}; }

json::Object implementation(const ServerInfo& info, Version version) {
  json::Object out{{"name", info.name}};
  if (version >= Version::v2025_06_18) out.append_new("title", info.title);
  out.append_new("version", info.version);
  return out;
}

Answer initialize(const Asked& in) {
  const json::Value* const requested = in.request.params.find("protocolVersion");
  if (requested == nullptr || !requested->is_string()) {
    return std::unexpected(
        RpcError{RpcCode::invalid_params, "initialize needs params.protocolVersion, a string."});
  }
  const auto known = version_from(*requested->if_string());
  const Version version = known && !is_modern(*known) ? *known : newest_legacy_version;
  in.connection.legacy_version = version;
  const json::Value* const theirs = in.request.params.find("capabilities");
  in.connection.legacy_capabilities =
      theirs != nullptr && theirs->is_object() ? *theirs->if_object() : json::Object{};
  return json::Object{{"protocolVersion", name_of(version)},
                      {"capabilities", capabilities()},
                      {"serverInfo", implementation(in.parts.info, version)},
                      {"instructions", in.parts.info.instructions}};
}

Answer discover(const Asked& in) {
  json::Array versions;
  for (const Version version : modern_versions()) versions.emplace_back(name_of(version));
  json::Object result{{"supportedVersions", std::move(versions)},
                      {"capabilities", capabilities()},
                      {"instructions", in.parts.info.instructions}};
  add_cache_hints(result, in.context.version);
  return result;
}

Answer ping(const Asked&) { return json::Object{}; }

Answer tools_list(const Asked& in) {
  return list_tools(in.parts.catalog.tools, in.request.params, in.context);
}

constexpr Method methods[] = {
    {"initialize", Eras::legacy, initialize},    {"ping", Eras::legacy, ping},
    {"server/discover", Eras::modern, discover}, {"tools/call", Eras::both, nullptr},
    {"tools/list", Eras::both, tools_list},
};

std::expected<const Method*, RpcError> find_method(std::string_view name, bool modern) {
  const Method* const found = std::ranges::find(methods, name, &Method::name);
  if (found == std::end(methods)) {
    return std::unexpected(
        RpcError{RpcCode::method_not_found, cat("There is no method ", quoted(name), '.')});
  }
  if (found->eras == Eras::legacy && modern) {
    return std::unexpected(RpcError{
        RpcCode::method_not_found,
        cat("'", name, "' is not part of protocol ", name_of(modern_versions().front()), '.'),
        {}});
  }
  if (found->eras == Eras::modern && !modern) {
    return std::unexpected(
        RpcError{RpcCode::invalid_params,
                 cat("'", name, "' needs params._meta[\"", meta_key::protocol_version,
                     "\"] and [\"", meta_key::client_capabilities, "\"]."),
                 {}});
  }
  return found;
}

Step handle(const std::shared_ptr<const Server::Parts>& parts, Request& request,
            Connection& connection) {
  const auto refuse = [&](const RpcError& error) { return Reply{encode_error(request.id, error)}; };
  const auto context = context_of(request.params, connection);
  if (!context) return refuse(context.error());
  const auto method = find_method(request.method, context->modern());
  if (!method) return refuse(method.error());
  if ((*method)->answer == nullptr) return call_tool(parts, request, *context);
  Answer answer = (*method)->answer({*parts, request, *context, connection});
  if (!answer) return refuse(answer.error());
  return Reply{encode_result(request.id, finish(*parts, std::move(*answer), context->version))};
}

Step hear(const Notification& notification) {
  if (notification.method != "notifications/cancelled") return Silence{};
  const json::Value* const given = notification.params.find("requestId");
  if (given == nullptr) return Silence{};
  auto id = request_id_from(*given);
  if (!id) return Silence{};
  return Cancel{std::move(*id)};
}

}  // namespace

void add_cache_hints(json::Object& result, Version version) {
  if (!is_modern(version)) return;
  result.set("ttlMs", limits::cache_hint_ms);
  result.set("cacheScope", "public");
}

json::Object finish(const Server::Parts& parts, json::Object result, Version version) {
  if (!is_modern(version)) return result;
  result.set("resultType", "complete");
  json::Object meta;
  meta.append_new(std::string(meta_key::server_info), implementation(parts.info, version));
  result.set("_meta", std::move(meta));
  return result;
}

Server::Server(ServerInfo info, Catalog catalog)
    : parts_(std::make_shared<const Parts>(Parts{std::move(info), std::move(catalog)})) {
  ASSERT(parts_->info.instructions.size() <= limits::instructions_bytes_max);
}

Step Server::accept(std::string_view text, Connection& connection) const {
  return accept(decode_incoming(text), connection, nullptr);
}

Step Server::accept(Incoming incoming, Connection& connection, const Headers*) const {
  auto& message = incoming.messages[0];
  if (!message) return Reply{encode_error(message.error().id, message.error().error)};
  if (Request* const request = std::get_if<Request>(&*message)) {
    return handle(parts_, *request, connection);
  }
  if (const Notification* const heard = std::get_if<Notification>(&*message)) return hear(*heard);
  return Answered{std::move(std::get<Response>(*message))};
}

}  // namespace baton::protocol
