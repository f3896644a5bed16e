#pragma once
// What the dispatcher and the methods share. Private to the protocol room.

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/server.h"

namespace baton::protocol {

struct Server::Parts {
  ServerInfo info;
  Catalog catalog;
};

using MethodResult = std::expected<json::Object, RpcError>;

/// One request under way: what it takes to answer it. Cheap to copy, outlives the message.
struct Responder {
  std::shared_ptr<const Server::Parts> parts;
  RequestId id;
  RequestContext context;

  const Catalog& catalog() const { return parts->catalog; }

  /// A result in the form of the caller's revision; `type` is its resultType.
  WorkResult result(json::Object result, std::string_view type) const;
  WorkResult refuse(RpcError error) const;
  WorkResult answer(MethodResult answer) const;
};

/// A request as its method sees it.
struct MethodRequest {
  Responder responder;
  std::string method;
  json::Object params;
  ClientState& connection;
};

inline WireReply reply(WorkResult outcome) {
  return {std::move(outcome.line), outcome.http_status};
}

/// Work that answers with what `run`, called with the responder and the host, returns.
template <class Run>
Work work(Responder responder, Run run) {
  const RequestId id = responder.id;
  const Version version = responder.context.version;
  return {id, version, [responder = std::move(responder), run = std::move(run)](CallHost& host) {
            return run(responder, host);
          }};
}

/// What has to live while a client is subscribed to `uri`; null for nothing.
inline std::shared_ptr<void> watch_for(const Catalog& catalog, std::string_view uri) {
  return catalog.watch ? catalog.watch(uri) : nullptr;
}

RpcError invalid_params(std::string message);
RpcError internal_error(const Error& error);

/// Says how long a result may be cached, and where; nothing before the modern era.
enum class CacheScope : std::uint8_t { shared, own };
void add_cache_hints(json::Object& result, Version version, CacheScope scope,
                     std::int64_t ttl_ms = limits::cache_hint_ms);

/// Whether any argument or variable can be completed.
bool completes(const Catalog& catalog);

/// What the server declares: the same for initialize and server/discover, but for extensions.
json::Object capabilities_of(const Catalog& catalog, Version version);

// The methods. Those that may block give Work.
SingleAction initialize(MethodRequest& request);
SingleAction discover(MethodRequest& request);
SingleAction ping(MethodRequest& request);
SingleAction list_tools(MethodRequest& request);
SingleAction call_tool(MethodRequest& request);
SingleAction list_resources(MethodRequest& request);
SingleAction list_resource_templates(MethodRequest& request);
SingleAction read_resource(MethodRequest& request);
SingleAction subscribe(MethodRequest& request);
SingleAction unsubscribe(MethodRequest& request);
SingleAction list_prompts(MethodRequest& request);
SingleAction get_prompt(MethodRequest& request);
SingleAction complete(MethodRequest& request);
SingleAction set_log_level(MethodRequest& request);
SingleAction listen(MethodRequest& request);
SingleAction get_task(MethodRequest& request);
SingleAction update_task(MethodRequest& request);
SingleAction cancel_task(MethodRequest& request);

}  // namespace baton::protocol
