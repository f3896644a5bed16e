#pragma once
// An HttpServer on a thread of its own, for as long as a test needs it.

#include <thread>

#include "transport/http/http_server.h"
#include "transport/http/testing/http_client.h"

namespace baton::transport::testing {

inline Guard open_guard() { return Guard({}, std::make_shared<AllowAll>()); }

class RunningServer {
 public:
  explicit RunningServer(
      HttpHandler handler, const HttpOptions& options = {}, Guard guard = open_guard(),
      const ListenAddress& address = {}, std::function<void()> stopping = [] {})
      // The loopback interface always has a free port.
      : server_(MUST(HttpServer::listen(address, options, std::move(guard),
                                        {{"/mcp", std::move(handler)}}))),
        thread_([this, stopping = std::move(stopping)] { drained_ = server_->run(-1, stopping); }) {
  }
  ~RunningServer() { stop(); }

  HttpClient connect(const char* from = nullptr) const {
    return HttpClient(server_->address(), from);
  }
  HttpServer& server() { return *server_; }

  /// Whether every answer under way was written.
  bool stop() {
    if (thread_.joinable()) {
      server_->stop();
      thread_.join();
    }
    return drained_;
  }

 private:
  std::unique_ptr<HttpServer> server_;
  bool drained_ = false;
  std::thread thread_;
};

}  // namespace baton::transport::testing
