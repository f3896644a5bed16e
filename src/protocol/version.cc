#include "protocol/version.h"

#include <algorithm>

#include "base/text/text.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

struct Named {
  Version version;
  std::string_view name;
};

constexpr Named names[] = {
    {Version::v2024_11_05, "2024-11-05"}, {Version::v2025_03_26, "2025-03-26"},
    {Version::v2025_06_18, "2025-06-18"}, {Version::v2025_11_25, "2025-11-25"},
    {Version::v2026_07_28, "2026-07-28"},
};

constexpr std::string_view log_levels[] = {"debug", "info",     "notice", "warning",
                                           "error", "critical", "alert",  "emergency"};

constexpr std::string_view trace_keys[] = {"traceparent", "tracestate", "baggage"};

constexpr Version modern[] = {Version::v2026_07_28};

RpcError unsupported(std::string_view requested) {
  json::Array supported;
  for (const Version version : modern) supported.emplace_back(name_of(version));
  return {RpcCode::unsupported_protocol_version,
          cat("Protocol version ", in_quotes(requested), " is not supported. Send ",
              name_of(modern[0]), ", or open with initialize for an older one."),
          json::Object{{"supported", std::move(supported)}, {"requested", shown(requested)}}};
}

RpcError bad_meta(std::string_view key, std::string_view wanted) {
  return {RpcCode::invalid_params,
          cat("params._meta[\"", key, "\"] is required and must be ", wanted, '.'),
          {}};
}

/// Fills in what only modern requests say of themselves.
std::optional<RpcError> read_modern(const json::Object& meta, const VersionHeader& header,
                                    RequestContext& context) {
  const json::Value* const version = meta.find(meta_key::protocol_version);
  if (version == nullptr || !version->is_string()) {
    return bad_meta(meta_key::protocol_version, "a string");
  }
  if (header.expected && header.value != *version->if_string()) {
    return RpcError{RpcCode::header_mismatch,
                    cat("The header MCP-Protocol-Version says ", in_quotes(header.value),
                        ", but the request says ", in_quotes(*version->if_string()), '.')};
  }
  const auto known = version_from(*version->if_string());
  if (!known || !is_modern(*known)) return unsupported(*version->if_string());
  const json::Value* const capabilities = meta.find(meta_key::client_capabilities);
  if (capabilities == nullptr || !capabilities->is_object()) {
    return bad_meta(meta_key::client_capabilities, "an object");
  }
  context.version = *known;
  context.client_capabilities = *capabilities->if_object();
  if (const json::Value* const level = meta.find(meta_key::log_level)) {
    context.log_level = level->is_string() ? log_level_from(*level->if_string()) : std::nullopt;
    if (!context.log_level) {
      return RpcError{RpcCode::invalid_params, cat("params._meta[\"", meta_key::log_level,
                                                   "\"] must be a level such as \"info\".")};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Version version) { return names[static_cast<std::size_t>(version)].name; }

std::optional<Version> version_from(std::string_view name) {
  for (const Named& named : names) {
    if (named.name == name) return named.version;
  }
  return std::nullopt;
}

std::string_view name_of(LogLevel level) { return log_levels[static_cast<std::size_t>(level)]; }

std::optional<LogLevel> log_level_from(std::string_view name) {
  const auto* const found = std::ranges::find(log_levels, name);
  if (found == std::end(log_levels)) return std::nullopt;
  return static_cast<LogLevel>(found - std::begin(log_levels));
}

std::span<const Version> modern_versions() { return modern; }

bool is_modern(const json::Object& params) {
  const json::Value* const meta = params.find("_meta");
  return meta != nullptr && (meta->find(meta_key::protocol_version) != nullptr ||
                             meta->find(meta_key::client_capabilities) != nullptr);
}

std::expected<RequestContext, RpcError> context_of(const json::Object& params,
                                                   const ClientState& connection,
                                                   const VersionHeader& header) {
  RequestContext context;
  context.principal = connection.principal;
  context.version = connection.legacy_version;
  const json::Value* const given = params.find("_meta");
  if (given != nullptr && !given->is_object()) {
    return std::unexpected(RpcError{RpcCode::invalid_params, "params._meta must be an object."});
  }
  const json::Object* const meta = given != nullptr ? given->if_object() : nullptr;
  const auto named = version_from(header.value);
  if (is_modern(params) || (header.expected && named && is_modern(*named))) {
    static const json::Object nothing;
    if (auto problem = read_modern(meta != nullptr ? *meta : nothing, header, context)) {
      return std::unexpected(std::move(*problem));
    }
  } else {
    context.client_capabilities = connection.legacy_capabilities;
    context.log_level = connection.log_level;
  }
  if (meta == nullptr) return context;
  if (const json::Value* token = meta->find(meta_key::progress_token)) {
    if (!request_id_from(*token)) {
      return std::unexpected(RpcError{RpcCode::invalid_params,
                                      "params._meta.progressToken must be a string or an integer.",
                                      {}});
    }
    context.progress_token = *token;
  }
  for (const std::string_view key : trace_keys) {
    if (const json::Value* trace = meta->find(key)) context.trace.set(key, *trace);
  }
  return context;
}

namespace {

const json::Object* only_params(const Incoming& incoming) {
  if (incoming.batch || !incoming.messages[0]) return nullptr;
  const Message& message = *incoming.messages[0];
  if (const auto* const request = std::get_if<Request>(&message)) return &request->params;
  if (const auto* const heard = std::get_if<Notification>(&message)) return &heard->params;
  return nullptr;
}

const Request* only_request(const Incoming& incoming) {
  if (incoming.batch || !incoming.messages[0]) return nullptr;
  return std::get_if<Request>(&*incoming.messages[0]);
}

}  // namespace

bool is_modern(const Incoming& incoming) {
  const json::Object* const params = only_params(incoming);
  return params != nullptr && is_modern(*params);
}

bool is_initialize(const Incoming& incoming) {
  const Request* const request = only_request(incoming);
  return request != nullptr && request->method == "initialize" && !is_modern(request->params);
}

}  // namespace baton::protocol
