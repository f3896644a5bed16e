#pragma once
// MCP over Streamable HTTP, both eras on one path. Each POST says by itself which era it is of:
// modern requests are independent, legacy ones belong to a session that initialize opened.
//
// handle(), tick() and stop() are called on the io thread of the HTTP server; calls run on the
// pool's threads.

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ports/system.h"
#include "protocol/server.h"
#include "transport/http/http_server.h"
#include "transport/http/mcp_call.h"
#include "transport/http/session.h"
#include "transport/hub.h"
#include "transport/worker_pool.h"

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
  /// calls that wait for their client go on without its answer.
  void stop();

  /// After the server ended: tells running calls that no client waits for them, and gives them
  /// `ms` to notice. False when some did not: they are left behind.
  bool finish(std::int64_t ms);

 private:
  struct Asked;  // one request with all that belongs to it
  struct Listener;

  void handle(HttpRequest request, std::shared_ptr<Exchange> exchange);
  void tick();
  void post(Asked asked);
  void post_modern(Asked asked, protocol::Incoming message);
  void post_legacy(Asked asked, protocol::Incoming message);
  void initialize(Asked asked, protocol::Incoming message);
  void get(const Asked& asked);
  void remove(const Asked& asked);

  void act(Asked asked, protocol::Step step);
  void run(Asked asked, protocol::Work work);
  void run_batch(Asked asked, protocol::Batch batch);
  void listen(const Asked& asked, protocol::Listen listen);
  /// Null when there are too many.
  std::shared_ptr<McpCall> begin_call(const Asked& asked);

  std::shared_ptr<Session> find_session(const HttpRequest& request);
  std::shared_ptr<Session> new_session(const std::string& principal);
  /// False when there are too many and all of them are busy.
  bool add_session(const std::shared_ptr<Session>& session);

  const protocol::Server server_;
  Hub& hub_;
  ports::Entropy& entropy_;
  const McpLimits bounds_;

  // Used on the io thread only.
  std::map<std::uint64_t, std::shared_ptr<Listener>> listeners_;
  std::uint64_t listened_ = 0;
  std::list<std::weak_ptr<McpCall>> young_calls_;  // may still have to become streams

  std::mutex sessions_mutex_;
  std::list<std::shared_ptr<Session>> sessions_;  // least recently used first
  std::map<std::string, std::list<std::shared_ptr<Session>>::iterator, std::less<>> by_id_;

  /// The calls in flight. Shared with them, because some may be left behind at the end.
  struct Calls {
    struct Open {
      std::weak_ptr<McpCall> call;
      std::size_t bytes;  // of its message
    };
    std::mutex mutex;
    std::map<const McpCall*, Open> open;
    std::size_t bytes = 0;
    void end(const McpCall& call);
  };
  const std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
  WorkerPool pool_;
  Hub::Subscription changes_;  // for the sessions
};

}  // namespace baton::transport
