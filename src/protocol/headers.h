#pragma once
// What the headers of a modern HTTP request must say of its body: Mcp-Method, Mcp-Name,
// MCP-Protocol-Version and, where a tool's schema asks for it, Mcp-Param-*. Pure: the transport
// gives a way to look headers up.

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/message.h"
#include "protocol/tool.h"
#include "protocol/version.h"

namespace baton::protocol {

/// The value of a header, its name in any case, without surrounding spaces; nothing when absent.
using Headers = std::function<std::optional<std::string_view>(std::string_view name)>;

/// -32020 when a header is missing or does not agree with the body. `context` is modern.
std::expected<void, RpcError> check_headers(const Headers& headers, const Request& request,
                                            const RequestContext& context, const ToolTable& tools);

/// The text of a header value that may be in the form =?base64?...?=; nothing when it is malformed.
std::optional<std::string> decode_header_value(std::string_view value);

}  // namespace baton::protocol
