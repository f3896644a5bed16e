#pragma once
// What the dispatcher and the methods share. Private to the protocol room.

#include <expected>
#include <memory>

#include "protocol/server.h"

namespace baton::protocol {

struct Server::Parts {
  ServerInfo info;
  Catalog catalog;
};

/// Says how long a list may be cached; nothing before the modern era.
void add_cache_hints(json::Object& result, Version version);

/// What every modern result carries: its type and who made it.
json::Object finish(const Server::Parts& parts, json::Object result, Version version);

std::expected<json::Object, RpcError> list_tools(const ToolTable& tools, const json::Object& params,
                                                 const RequestContext& context);

/// Work, or the refusal of a call that names no tool or carries no arguments object.
Step call_tool(const std::shared_ptr<const Server::Parts>& parts, Request& request,
               const RequestContext& context);

}  // namespace baton::protocol
