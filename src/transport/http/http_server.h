#pragma once
// An HTTP/1.1 server: listeners, connections, limits and the Guard; what the requests mean is up
// to the routes. One io thread, the one that calls run(), reads and writes for all connections.
// A handler runs on it too and must not block: it answers later, from any thread, through the
// Exchange it was given.
//
// Bounded everywhere: connections, bytes of heads and bodies, time for each, and what is kept for
// clients that read slowly. A client without the secret cannot shut out one that has it: what comes
// before it has a budget of its own (head_budget.h), in which the oldest makes room for the new,
// and a connection that never showed it makes room before one that did.
//
// Asio stays behind this interface, in http_server.cc and connection.cc.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/core/limits.h"
#include "base/core/result.h"
#include "ports/system.h"
#include "transport/http/address.h"
#include "transport/http/exchange.h"
#include "transport/http/guard.h"
#include "transport/http/request_reader.h"

namespace baton::transport {

using HttpHandler = std::function<void(HttpRequest, std::shared_ptr<Exchange>)>;

/// Requests whose path is `prefix`, or continues after it with a slash.
struct HttpRoute {
  std::string prefix;
  HttpHandler handler;
  bool alone = false;               // nothing is below the path; a slash may end it
  std::function<void()> tick = {};  // now and then on the io thread, while there are connections
};

struct HttpOptions {
  ReadBounds bounds = {};
  std::size_t connections_max = limits::http_connections_max;
  std::size_t unread_bodies_bytes_max = limits::http_unread_bodies_bytes_max;
  std::size_t heads_bytes_max = limits::http_heads_bytes_max;
  std::size_t peer_heads_bytes_max = limits::http_peer_heads_bytes_max;
  std::size_t backlog_bytes_max = limits::http_backlog_bytes_max;
  std::size_t unsent_bytes_max = limits::http_unsent_bytes_max;
  std::int64_t head_ms = limits::http_head_ms_max;
  std::int64_t body_ms = limits::http_body_ms_max;
  std::int64_t idle_ms = limits::http_idle_ms_max;
  std::int64_t write_ms = limits::http_write_ms_max;
  std::int64_t linger_ms = limits::http_linger_ms_max;
  std::int64_t keep_alive_ms = limits::http_keep_alive_ms;
  std::int64_t drain_ms = limits::drain_ms_max;
  ports::Clock* clock = nullptr;  // for the header Date, which is left out without one
};

class HttpServer {
 public:
  /// Opens the listening socket. A unix socket is made 0600; one without a listener
  /// is replaced. ENVIRONMENT when the address cannot be had.
  static Result<std::unique_ptr<HttpServer>> listen(const ListenAddress& address,
                                                    const HttpOptions& options, Guard guard,
                                                    std::vector<HttpRoute> routes);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// With the port that was really taken.
  const ListenAddress& address() const;

  /// Serves until `stop_fd` is readable (-1: never) or stop() is called. Then no connection is
  /// accepted, `stopping` is called once on the io thread to end the streams that would go on, and
  /// answers under way have drain_ms to be written. True when all of them were.
  bool run(int stop_fd, const std::function<void()>& stopping);

  /// From any thread, also before run().
  void stop();

  class Core;  // private to the two files that know Asio

 private:
  explicit HttpServer(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace baton::transport
