// How answers are put for the caller's revision and for HTTP.

#include "base/text/text.h"
#include "protocol/methods/methods.h"

namespace baton::protocol {
namespace {

json::Object implementation(const ServerInfo& info, Version version) {
  json::Object out{{"name", info.name}};
  if (version >= Version::v2025_06_18) out.append_new("title", info.title);
  out.append_new("version", info.version);
  if (version >= Version::v2025_11_25 && !info.icons.empty()) {
    out.append_new("icons", to_json(info.icons));
  }
  return out;
}

/// Each era has codes of its own.
RpcError fit_error(RpcError error, Version version) {
  const bool modern = is_modern(version);
  const bool only_modern = error.code == RpcCode::header_mismatch ||
                           error.code == RpcCode::missing_client_capability ||
                           error.code == RpcCode::unsupported_protocol_version;
  if (modern ? error.code == RpcCode::resource_not_found : only_modern) {
    error.code = RpcCode::invalid_params;
  }
  return error;
}

int http_status_of(RpcCode code, Version version) {
  switch (code) {
    case RpcCode::parse_error:
    case RpcCode::invalid_request:
    case RpcCode::header_mismatch:
    case RpcCode::missing_client_capability:
    case RpcCode::unsupported_protocol_version: return 400;
    case RpcCode::method_not_found: return is_modern(version) ? 404 : 200;
    default: return 200;
  }
}

}  // namespace

RpcError invalid_params(std::string message) {
  return {RpcCode::invalid_params, std::move(message)};
}

RpcError internal_error(const Error& error) {
  return {RpcCode::internal_error,
          cat(error.message, error.next.empty() ? "" : " ", error.next.text())};
}

void add_cache_hints(json::Object& result, Version version, CacheScope scope, std::int64_t ttl_ms) {
  if (!is_modern(version)) return;
  result.set("ttlMs", ttl_ms);
  result.set("cacheScope", scope == CacheScope::shared ? "public" : "private");
}

json::Object capabilities_of(const Catalog& catalog, Version version) {
  const auto flags = [](std::initializer_list<std::pair<const char*, bool>> given) {
    json::Object out;
    for (const auto& [name, set] : given) {
      if (set) out.append_new(name, true);
    }
    return out;
  };
  json::Object out{{"tools", flags({{"listChanged", catalog.tools_change}})}};
  if (!catalog.resources.empty()) {
    out.append_new("resources", flags({{"subscribe", catalog.resources_subscribe},
                                       {"listChanged", catalog.resources_change}}));
  }
  if (!catalog.prompts.all().empty()) {
    out.append_new("prompts", flags({{"listChanged", catalog.prompts_change}}));
  }
  if (completes(catalog) && version >= Version::v2025_03_26) {
    out.append_new("completions", json::Object{});
  }
  if (catalog.logs) out.append_new("logging", json::Object{});
  if (catalog.tasks && is_modern(version)) {
    json::Object extensions;
    extensions.append_new(std::string(tasks_extension), json::Object{});
    out.append_new("extensions", std::move(extensions));
  }
  return out;
}

WorkResult Responder::result(json::Object result, std::string_view type) const {
  if (!context.modern()) return {encode_result(id, std::move(result))};
  result.set("resultType", type);
  json::Object meta;
  if (json::Value* const given = result.find("_meta"); given != nullptr && given->is_object()) {
    meta = std::move(*given->if_object());
  }
  meta.set(meta_key::server_info, implementation(parts->info, context.version));
  result.set("_meta", std::move(meta));
  return {encode_result(id, std::move(result))};
}

WorkResult Responder::refuse(RpcError error) const {
  const RpcError fitted = fit_error(std::move(error), context.version);
  return {encode_error(id, fitted), http_status_of(fitted.code, context.version)};
}

WorkResult Responder::answer(MethodResult answer) const {
  if (!answer) return refuse(std::move(answer.error()));
  return result(std::move(*answer), "complete");
}

SingleAction initialize(MethodRequest& request) {
  const json::Value* const requested = request.params.find("protocolVersion");
  if (requested == nullptr || !requested->is_string()) {
    return reply(request.responder.refuse(
        invalid_params("initialize needs params.protocolVersion, a string.")));
  }
  const auto known = version_from(*requested->if_string());
  const Version version = known && !is_modern(*known) ? *known : newest_legacy_version;
  const json::Value* const theirs = request.params.find("capabilities");
  request.connection = {.principal = std::move(request.connection.principal),
                        .initialized = true,
                        .legacy_version = version,
                        .legacy_capabilities = theirs != nullptr && theirs->is_object()
                                                   ? *theirs->if_object()
                                                   : json::Object{}};
  const ServerInfo& info = request.responder.parts->info;
  return reply(request.responder.answer(
      json::Object{{"protocolVersion", name_of(version)},
                   {"capabilities", capabilities_of(request.responder.catalog(), version)},
                   {"serverInfo", implementation(info, version)},
                   {"instructions", info.instructions}}));
}

SingleAction discover(MethodRequest& request) {
  json::Array versions;
  for (const Version version : modern_versions()) versions.emplace_back(name_of(version));
  const Version version = request.responder.context.version;
  json::Object result{{"supportedVersions", std::move(versions)},
                      {"capabilities", capabilities_of(request.responder.catalog(), version)},
                      {"instructions", request.responder.parts->info.instructions}};
  add_cache_hints(result, version, CacheScope::shared);
  return reply(request.responder.answer(std::move(result)));
}

SingleAction ping(MethodRequest& request) {
  return reply(request.responder.answer(json::Object{}));
}

}  // namespace baton::protocol
