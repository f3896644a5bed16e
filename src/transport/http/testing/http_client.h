#pragma once
// A plain blocking HTTP client for tests: it sends exactly the bytes it is told to and reads one
// response at a time. Every wait is bounded, so that a server that does not answer fails the test.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "transport/http/address.h"
#include "transport/http/message.h"

namespace baton::transport::testing {

struct Answer {
  int status = 0;  // 0: the connection ended before a whole head came
  std::vector<HttpHeader> headers;
  std::string body;

  std::string header(std::string_view name) const {
    for (const HttpHeader& each : headers) {
      if (each.name == name) return each.value;
    }
    return {};
  }
};

class HttpClient {
 public:
  /// `from` is the address that the server is to see, one of the loopback network; null: any.
  explicit HttpClient(const ListenAddress& address, const char* from = nullptr) {
    if (address.is_unix()) {
      sockaddr_un name{};
      name.sun_family = AF_UNIX;
      address.path.copy(name.sun_path, sizeof name.sun_path - 1);
      open(name, AF_UNIX);
    } else {
      sockaddr_in name{};
      name.sin_family = AF_INET;
      name.sin_port = htons(address.port);
      inet_pton(AF_INET, address.host.c_str(), &name.sin_addr);
      open(name, AF_INET, from);
    }
  }
  HttpClient(HttpClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}
  HttpClient& operator=(HttpClient&&) = delete;
  ~HttpClient() { close(); }

  bool is_open() const { return socket_ >= 0; }
  int descriptor() const { return socket_; }

  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  /// False when the server no longer takes anything.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// A request with a Host and a length; `headers` are whole lines.
  bool request(std::string_view method, std::string_view target, std::string_view headers = {},
               std::string_view body = {}) {
    return send(cat(method, ' ', target, " HTTP/1.1\r\nHost: localhost\r\n", headers,
                    "Content-Length: ", body.size(), "\r\n\r\n", body));
  }

  /// The next response with its whole body.
  Answer read() {
    Answer answer = read_head();
    answer.body = read_body(answer);
    return answer;
  }

  /// The body that follows `head`.
  std::string read_body(const Answer& head) {
    std::string body;
    if (head.header("transfer-encoding") == "chunked") {
      while (auto piece = read_chunk()) body += *piece;
    } else if (const auto size = parse_int(head.header("content-length"))) {
      while (buffer_.size() < static_cast<std::size_t>(*size) && fill()) continue;
      body = take(static_cast<std::size_t>(*size));
    } else if (head.status != 0) {
      while (fill()) continue;
      body = take(buffer_.size());
    }
    return body;
  }

  Answer read_head() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return {};
    }
    const std::string head = take(end + 4);
    Answer answer;
    // "HTTP/1.1 200 OK"
    answer.status = static_cast<int>(parse_int(head.substr(9, 3)).value_or(0));
    std::size_t line = head.find("\r\n") + 2;
    while (line + 2 < head.size()) {
      const std::size_t stop = head.find("\r\n", line);
      const std::size_t colon = head.find(": ", line);
      answer.headers.push_back(
          {ascii_lower(head.substr(line, colon - line)), head.substr(colon + 2, stop - colon - 2)});
      line = stop + 2;
    }
    return answer;
  }

  /// One chunk; nothing for the last one and for an end of the connection.
  std::optional<std::string> read_chunk() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos) {
      if (!fill()) return std::nullopt;
    }
    std::size_t size = 0;
    std::from_chars(buffer_.data(), buffer_.data() + end, size, 16);
    while (buffer_.size() < end + 2 + size + 2) {
      if (!fill()) return std::nullopt;
    }
    take(end + 2);
    std::string piece = take(size);
    take(2);
    if (size == 0) return std::nullopt;
    return piece;
  }

  /// One server-sent event of a chunked stream with the empty line that ends it; empty at the end
  /// of the stream. Several may come in one chunk.
  std::string read_event() {
    std::size_t end = 0;
    while ((end = events_.find("\n\n")) == std::string::npos) {
      const auto piece = read_chunk();
      if (!piece) return {};
      events_ += *piece;
    }
    std::string event = events_.substr(0, end + 2);
    events_.erase(0, end + 2);
    return event;
  }

  /// Whether the server ends the connection, without sending anything more.
  bool ended() { return buffer_.empty() && !fill(); }

  /// Whether something, the end included, is there within `ms`.
  bool readable(int ms) {
    pollfd watched{socket_, POLLIN, 0};
    return poll(&watched, 1, ms) == 1;
  }

 private:
  template <class Name>
  void open(const Name& name, int family, const char* from = nullptr) {
    socket_ = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (from != nullptr) {
      sockaddr_in own{};
      own.sin_family = AF_INET;
      inet_pton(AF_INET, from, &own.sin_addr);
      // The port is chosen when the other end is known, so that many may come from one address.
      const int on = 1;
      setsockopt(socket_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
      bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own);
    }
    sockaddr_storage storage{};
    std::memcpy(&storage, &name, sizeof name);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&storage), sizeof name) != 0) close();
  }

  bool fill() {
    char chunk[16u << 10];
    if (!readable(10'000)) return false;
    const ssize_t got = recv(socket_, chunk, sizeof chunk, 0);
    if (got <= 0) return false;
    buffer_.append(chunk, static_cast<std::size_t>(got));
    return true;
  }

  std::string take(std::size_t size) {
    std::string out = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return out;
  }

  int socket_ = -1;
  std::string buffer_;
  std::string events_;
};

}  // namespace baton::transport::testing
