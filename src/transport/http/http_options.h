#pragma once
// What an HTTP server serves, and its bounds. Values.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/core/limits.h"
#include "ports/system.h"
#include "transport/http/exchange.h"
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

}  // namespace baton::transport
