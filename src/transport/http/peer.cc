#include "transport/http/peer.h"

#include <netinet/in.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <span>

#include "base/text/text.h"

namespace baton::transport {
namespace {

// A network of IPv6: the part of an address that its provider gives out.
constexpr std::size_t network_bytes = 8;

std::string v4_name(std::span<const std::uint8_t> address) { return cat("v4:", to_hex(address)); }

std::optional<uid_t> user_of(int descriptor) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

}  // namespace

std::string peer_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    std::uint8_t bytes[sizeof v4.sin_addr];
    std::memcpy(bytes, &v4.sin_addr, sizeof bytes);
    return v4_name(bytes);
  }
  if (address.ss_family != AF_INET6) return "other";
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  const std::span<const std::uint8_t> bytes(v6.sin6_addr.s6_addr);
  // A socket for both families shows a client of IPv4 so.
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) return v4_name(bytes.last(4));
  return cat("v6:", to_hex(bytes.first(network_bytes)));
}

std::string peer_of(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "other";
  if (address.ss_family != AF_UNIX) return peer_of(address);
  const auto user = user_of(descriptor);
  return user ? cat("user:", *user) : "other";
}

bool peer_is_ours(int descriptor) {
  const auto user = user_of(descriptor);
  return user && (*user == geteuid() || *user == 0);
}

}  // namespace baton::transport
