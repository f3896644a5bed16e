#pragma once
// Where an HTTP server listens, as text and as a value. No names are looked up: a host is an IP
// address or localhost. Values only; any thread.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace baton::transport {

struct ListenAddress {
  std::string host = "127.0.0.1";  // an IP address, v6 without brackets; empty for a unix socket
  std::uint16_t port = 0;          // 0: any free one
  std::string path = {};           // of the unix socket

  bool is_unix() const { return host.empty(); }
  bool is_loopback() const;

  /// As a Host header would name it, without the port.
  std::string host_name() const;

  bool operator==(const ListenAddress&) const = default;
};

/// `HOST:PORT`, `[V6]:PORT`, `PORT` (on 127.0.0.1) or `unix:PATH`. USAGE for anything else.
Result<ListenAddress> parse_address(std::string_view text);

std::string to_text(const ListenAddress& address);

}  // namespace baton::transport
