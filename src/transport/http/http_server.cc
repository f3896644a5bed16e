#include "transport/http/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "transport/http/connection.h"
#include "transport/http/listen_socket.h"
#include "transport/http/peer.h"

namespace baton::transport {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;

// For the listener, the store, the log, the wake-ups and a few files in passing.
constexpr std::size_t other_descriptors = 128;
// Until descriptors may be free again.
constexpr auto accept_pause = std::chrono::milliseconds(50);

/// Often enough to keep the shortest of the times within a quarter.
std::chrono::milliseconds tick_of(const HttpOptions& options) {
  const std::int64_t shortest =
      std::min({options.head_ms, options.body_ms, options.idle_ms, options.write_ms,
                options.linger_ms, options.keep_alive_ms});
  return std::chrono::milliseconds(std::clamp<std::int64_t>(shortest / 4, 1, 250));
}

}  // namespace

class HttpServer::Core {
 public:
  Core(ListenSocket socket, const HttpOptions& options, Guard guard, std::vector<HttpRoute> routes)
      : address(std::move(socket.address)),
        share_{.options = options, .guard = std::move(guard), .routes = std::move(routes)},
        acceptor_(share_.io),
        ticker_(share_.io),
        pause_(share_.io),
        stop_watch_(share_.io) {
    acceptor_.assign(asio::generic::stream_protocol(socket.family, 0), socket.descriptor);
    share_.options.connections_max =
        std::min(options.connections_max,
                 std::max(raise_descriptor_limit(), 2 * other_descriptors) - other_descriptors);
    share_.closed = [this] { removed(); };
  }

  bool run(int stop_fd, const std::function<void()>& stopping) {
    stopping_ = stopping;
    if (stop_fd >= 0) {
      stop_watch_.assign(dup(stop_fd));
      stop_watch_.async_wait(asio::posix::stream_descriptor::wait_read,
                             [this](const ErrorCode& error) {
                               if (!error) begin_stop();
                             });
    }
    accept();
    share_.io.run();
    return drained_;
  }

  void stop() {
    asio::post(share_.io, [this] { begin_stop(); });
  }

  ListenAddress address;
  std::atomic<std::size_t> count = 0;

 private:
  void accept() {
    acceptor_.async_accept([this](const ErrorCode& error, Socket socket) {
      if (share_.stopping) return;
      if (!error) {
        add(std::move(socket));
        return accept();
      }
      // No descriptor is left for this process or this machine.
      make_room();
      pause_.expires_after(accept_pause);
      pause_.async_wait([this](const ErrorCode&) {
        if (!share_.stopping) accept();
      });
    });
  }

  void add(Socket socket) {
    if (address.is_unix()) {
      if (!peer_is_ours(socket.native_handle())) return;
    } else {
      const int on = 1;
      setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    if (share_.open.size() >= share_.options.connections_max) make_room();
    // With nothing but busy connections the new one is the one to go.
    if (share_.open.size() >= share_.options.connections_max) return;
    std::string peer = peer_of(socket.native_handle());
    share_.open.push_back(
        std::make_shared<HttpConnection>(share_, std::move(socket), std::move(peer)));
    ++count;
    const std::shared_ptr<HttpConnection> added = share_.open.back();
    added->start(std::prev(share_.open.end()));
    if (!ticking_) tick();
  }

  /// Ends the connection that waits longest for its client, one that never let a request in first:
  /// a client without the secret never displaces one that has shown it.
  void make_room() {
    auto idle = std::ranges::find_if(
        share_.open, [](const auto& each) { return !each->is_busy() && each->is_stranger(); });
    if (idle == share_.open.end()) {
      idle = std::ranges::find_if(share_.open, [](const auto& each) { return !each->is_busy(); });
    }
    if (idle != share_.open.end()) std::shared_ptr<HttpConnection>(*idle)->end();
  }

  void removed() {
    --count;
    if (share_.stopping && share_.open.empty()) ticker_.cancel();
  }

  /// Each may end while it is visited, and end others.
  void for_each(const std::function<void(HttpConnection&)>& visit) {
    const std::vector<std::shared_ptr<HttpConnection>> all(share_.open.begin(), share_.open.end());
    for (const std::shared_ptr<HttpConnection>& each : all) visit(*each);
  }

  /// Runs while there are connections, so that an idle server sleeps.
  void tick() {
    ticking_ = !share_.open.empty();
    if (!ticking_) return;
    ticker_.expires_after(tick_of(share_.options));
    ticker_.async_wait([this](const ErrorCode&) {
      const MonoTime now = std::chrono::steady_clock::now();
      for_each([now](HttpConnection& each) { each.tick(now); });
      for (const HttpRoute& route : share_.routes) {
        if (route.tick) route.tick();
      }
      if (now >= drain_deadline_) {
        for_each([this](HttpConnection& each) {
          drained_ = drained_ && !each.is_busy();
          each.end();
        });
      }
      tick();
    });
  }

  void begin_stop() {
    if (share_.stopping) return;
    share_.stopping = true;
    ErrorCode ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    stop_watch_.close(ignored);
    if (address.is_unix()) unlink(address.path.c_str());
    drain_deadline_ =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(share_.options.drain_ms);
    if (stopping_) stopping_();
    for_each([](HttpConnection& each) { each.close_when_idle(); });
    if (share_.open.empty()) ticker_.cancel();
  }

  ConnectionShare share_;
  Acceptor acceptor_;
  asio::steady_timer ticker_;
  asio::steady_timer pause_;
  asio::posix::stream_descriptor stop_watch_;
  std::function<void()> stopping_;
  MonoTime drain_deadline_ = MonoTime::max();
  bool ticking_ = false;
  bool drained_ = true;
};

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const ListenAddress& address,
                                                       const HttpOptions& options, Guard guard,
                                                       std::vector<HttpRoute> routes) {
  ListenSocket socket = TRY(open_listen_socket(address));
  return std::unique_ptr<HttpServer>(new HttpServer(
      std::make_unique<Core>(std::move(socket), options, std::move(guard), std::move(routes))));
}

HttpServer::HttpServer(std::unique_ptr<Core> core) : core_(std::move(core)) {}
HttpServer::~HttpServer() = default;

const ListenAddress& HttpServer::address() const { return core_->address; }
void HttpServer::stop() { core_->stop(); }

bool HttpServer::run(int stop_fd, const std::function<void()>& stopping) {
  return core_->run(stop_fd, stopping);
}

}  // namespace baton::transport
