#pragma once
// What the headers of a modern HTTP request must say of its body: Mcp-Method, Mcp-Name,
// MCP-Protocol-Version and, where a tool's schema asks for it, Mcp-Param-*. Pure: the transport
// gives a way to look headers up.

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/features/tool.h"
#include "protocol/message.h"
#include "protocol/version.h"

namespace baton::protocol {

/// The value of a header, its name in any case, without surrounding spaces; nothing when absent.
using Headers = std::function<std::optional<std::string_view>(std::string_view name)>;

/// Whether what came over HTTP is to be served by itself, without a session: it says so in its
/// body, or its header names a modern revision (so that a missing `_meta` is a hole, not an era).
bool is_modern(const Incoming& incoming, const Headers& headers);

/// -32020 when Mcp-Method, Mcp-Name or a Mcp-Param-* of a modern request is missing or does not
/// agree with its body. The version is context_of()'s to compare.
std::expected<void, RpcError> check_headers(const Headers& headers, const Request& request,
                                            const ToolTable& tools);

/// The same of Mcp-Method alone, which is all that a notification repeats.
std::expected<void, RpcError> check_method(const Headers& headers, std::string_view method);

/// The text of a header value that may be in the form =?base64?...?=; nothing when it is malformed.
std::optional<std::string> decode_header_value(std::string_view value);

}  // namespace baton::protocol
