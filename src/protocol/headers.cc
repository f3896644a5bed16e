#include "protocol/headers.h"

#include <algorithm>

#include "base/text/base64.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "protocol/arguments.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

std::unexpected<RpcError> mismatch(std::string message) {
  return std::unexpected(RpcError{RpcCode::header_mismatch, std::move(message)});
}

/// The member of params that Mcp-Name repeats, or nothing.
std::string_view named_by(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method.starts_with("tasks/")) return "taskId";
  return {};
}

std::expected<void, RpcError> check_name(const Headers& headers, const Request& request) {
  const std::string_view member = named_by(request.method);
  const json::Value* const body = member.empty() ? nullptr : request.params.find(member);
  if (body == nullptr || !body->is_string()) return {};
  const auto header = headers("Mcp-Name");
  if (!header) return mismatch(cat("The header Mcp-Name must repeat params.", member));
  const auto value = decode_header_value(*header);
  if (!value) return mismatch("The header Mcp-Name is not well-formed base64.");
  if (*value != *body->if_string()) {
    return mismatch(cat("The header Mcp-Name says ", in_quotes(*value), ", but params.", member,
                        " is ", in_quotes(*body->if_string()), '.'));
  }
  return {};
}

bool same(const json::Value& body, const std::string& header) {
  if (const std::string* const text = body.if_string()) return *text == header;
  if (const bool* const truth = body.if_bool()) return header == (*truth ? "true" : "false");
  const Result<json::Value> number = json::parse(header);
  return body.is_number() && number && number->is_number() && *number == body;
}

std::expected<void, RpcError> check_parameters(const Headers& headers, const CheckedTool& tool,
                                               const json::Object& params) {
  if (tool.header_parameters.empty()) return {};
  // As the tool will see them. What it would refuse is refused by the call itself.
  auto sent = read_arguments(params);
  if (!sent) return {};
  const auto accepted = accept_arguments(tool, std::move(*sent));
  if (!accepted) return {};
  const json::Value arguments(*accepted);
  for (const HeaderParameter& parameter : tool.header_parameters) {
    const json::Value* body = &arguments;
    for (const std::string& step : parameter.path) {
      body = body == nullptr ? nullptr : body->find(step);
    }
    if (body != nullptr && body->is_null()) body = nullptr;
    const std::string name = cat("Mcp-Param-", parameter.name);
    const auto header = headers(name);
    if (!header && body == nullptr) continue;
    if (!header) return mismatch(cat("The header ", name, " must repeat its argument."));
    if (body == nullptr) {
      return mismatch(cat("The header ", name, " was sent, but its argument was not."));
    }
    const auto value = decode_header_value(*header);
    if (!value) return mismatch(cat("The header ", name, " is not well-formed base64."));
    if (!same(*body, *value)) {
      return mismatch(cat("The header ", name, " does not agree with its argument."));
    }
  }
  return {};
}

}  // namespace

std::optional<std::string> decode_header_value(std::string_view value) {
  constexpr std::string_view before = "=?base64?";
  constexpr std::string_view after = "?=";
  if (value.size() < before.size() + after.size() || !value.starts_with(before) ||
      !value.ends_with(after)) {
    return std::string(value);
  }
  value.remove_prefix(before.size());
  value.remove_suffix(after.size());
  auto decoded = from_base64(value);
  if (decoded && !utf8::is_valid(*decoded)) return std::nullopt;
  return decoded;
}

bool is_modern(const Incoming& incoming, const Headers& headers) {
  if (is_modern(incoming)) return true;
  if (incoming.batch || is_initialize(incoming)) return false;
  const auto header = headers("MCP-Protocol-Version");
  const auto version = header ? version_from(*header) : std::nullopt;
  return version && is_modern(*version);
}

std::expected<void, RpcError> check_method(const Headers& headers, std::string_view method) {
  const auto header = headers("Mcp-Method");
  if (!header) return mismatch("The header Mcp-Method is missing; it must repeat the method.");
  if (*header == method) return {};
  return mismatch(cat("The header Mcp-Method says ", in_quotes(*header), ", but the method is ",
                      in_quotes(method), '.'));
}

std::expected<void, RpcError> check_headers(const Headers& headers, const Request& request,
                                            const ToolTable& tools) {
  if (auto method = check_method(headers, request.method); !method) return method;
  if (auto name = check_name(headers, request); !name) return name;
  if (request.method != "tools/call") return {};
  const json::Value* const tool = request.params.find("name");
  const CheckedTool* const entry =
      tool != nullptr && tool->is_string() ? tools.find(*tool->if_string()) : nullptr;
  return entry == nullptr ? std::expected<void, RpcError>{}
                          : check_parameters(headers, *entry, request.params);
}

}  // namespace baton::protocol
