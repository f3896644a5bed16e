#pragma once
// MCP over Streamable HTTP, both eras on one path. Each POST says by itself which era it is of:
// modern requests are independent, legacy ones belong to a session that initialize opened.
//
// handle(), tick() and stop() are called on the io thread of the HTTP server; calls run on the
// scheduler's threads.

#include <list>
#include <map>
#include <memory>
#include <string>

#include "base/core/thread_safety.h"
#include "ports/system.h"
#include "protocol/server.h"
#include "transport/http/http_server.h"
#include "transport/http/mcp_call.h"
#include "transport/http/session.h"
#include "transport/hub.h"

namespace baton::transport {

struct McpLimits {
  std::size_t calls_max = limits::http_calls_max;
  std::size_t calls_bytes_max = limits::http_calls_bytes_max;
  std::size_t listens_max = limits::http_listens_max;
  std::size_t sessions_max = limits::http_sessions_max;
  std::int64_t slow_call_ms = limits::http_slow_call_ms;
};

class McpEndpoint {
 public:
  /// `hub` and `entropy` must outlive the endpoint.
  McpEndpoint(protocol::Server server, Hub& hub, ports::Entropy& entropy, McpLimits bounds = {});
  ~McpEndpoint();

  /// What serves this endpoint at `path`. REQUIRES: the endpoint outlives the server.
  HttpRoute route(std::string path);

  /// The server ends: listening clients are answered, other streams without a call are closed, and
  /// calls that wait for their client continue without its answer.
  void stop();

  /// After the server ended: tells running calls that no client waits for them, and gives them
  /// `ms` to notice. False when some did not: they are left behind.
  bool finish(std::int64_t ms);

 private:
  struct Request;  // with all that belongs to it
  struct Listener;

  void handle(HttpRequest request, std::shared_ptr<Exchange> exchange);
  void tick();
  void post(Request request);
  void post_modern(Request request, protocol::Incoming message);
  void post_legacy(Request request, protocol::Incoming message);
  void initialize(Request request, protocol::Incoming message);
  void get(const Request& request);
  void remove(const Request& request);

  void act(Request request, protocol::Action action);
  void run(Request request, protocol::Work work);
  void run_batch(Request request, protocol::Batch batch);
  void listen(const Request& request, protocol::Listen listen);
  /// False: answered already, because there are too many calls.
  bool has_room(const Request& request, const std::optional<protocol::RequestId>& id);
  CallScheduler::Start start(const Request& request, const std::shared_ptr<McpHttpCall>& call);

  std::shared_ptr<HttpSession> find_session(const HttpRequest& request);
  std::shared_ptr<HttpSession> new_session(const std::string& principal);
  /// False when there are too many and all of them are busy.
  bool add_session(const std::shared_ptr<HttpSession>& session);

  const protocol::Server server_;
  Hub& hub_;
  ports::Entropy& entropy_;
  const McpLimits bounds_;

  // Used on the io thread only.
  std::map<std::uint64_t, std::shared_ptr<Listener>> listeners_;
  std::uint64_t listened_ = 0;
  std::list<std::weak_ptr<McpHttpCall>> young_calls_;  // may still have to become streams

  Mutex sessions_mutex_;
  using Sessions = std::list<std::shared_ptr<HttpSession>>;
  Sessions sessions_ GUARDED_BY(sessions_mutex_);  // least recently used first
  std::map<std::string, Sessions::iterator, std::less<>> by_id_ GUARDED_BY(sessions_mutex_);

  // Shared with its threads, because some may be left behind at the end.
  const std::shared_ptr<CallScheduler> scheduler_;
  Hub::Subscription changes_;  // for the sessions
};

}  // namespace baton::transport
