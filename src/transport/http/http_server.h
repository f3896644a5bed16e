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

#include "base/core/result.h"
#include "transport/http/address.h"
#include "transport/http/guard.h"
#include "transport/http/http_options.h"

namespace baton::transport {

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
  /// accepted, `stopping` is called once on the io thread to end the streams that would continue,
  /// and answers under way have drain_ms to be written. True when all of them were.
  bool run(int stop_fd, const std::function<void()>& stopping);

  /// From any thread, also before run().
  void stop();

  class Core;  // private to the two files that know Asio

 private:
  explicit HttpServer(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace baton::transport
