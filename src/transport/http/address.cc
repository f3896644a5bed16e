#include "transport/http/address.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include "base/text/text.h"

namespace baton::transport {
namespace {

std::unexpected<Error> refuse(std::string_view text, std::string_view problem) {
  return fail(Code::USAGE, cat('\'', text, "' is not an address to listen on: ", problem),
              "write 127.0.0.1:7077, [::1]:7077 or unix:/path/of/a/socket");
}

bool is_address(int family, const std::string& host) {
  unsigned char room[sizeof(in6_addr)];
  return inet_pton(family, host.c_str(), room) == 1;
}

}  // namespace

bool ListenAddress::is_loopback() const {
  return is_unix() || host == "::1" || host.starts_with("127.");
}

std::string ListenAddress::host_name() const {
  return host.find(':') == std::string::npos ? host : cat('[', host, ']');
}

Result<ListenAddress> parse_address(std::string_view text) {
  constexpr std::string_view unix_prefix = "unix:";
  if (text.starts_with(unix_prefix)) {
    const std::string path(text.substr(unix_prefix.size()));
    if (path.empty()) return refuse(text, "the path is missing");
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
      return refuse(text,
                    cat("the path is longer than ", sizeof(sockaddr_un::sun_path) - 1, " bytes"));
    }
    return ListenAddress{.host = {}, .path = path};
  }
  const std::size_t colon = text.rfind(':');
  const auto port = parse_int(text.substr(colon == std::string_view::npos ? 0 : colon + 1));
  if (!port || *port < 0 || *port > 65'535) return refuse(text, "the port is not 0 to 65535");
  ListenAddress address{.port = static_cast<std::uint16_t>(*port)};
  if (colon == std::string_view::npos) return address;
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
    if (!is_address(AF_INET6, address.host)) return refuse(text, "that is not an IPv6 address");
    return address;
  }
  if (address.host == "localhost") address.host = "127.0.0.1";
  if (!is_address(AF_INET, address.host)) return refuse(text, "the host is not an IP address");
  return address;
}

std::string to_text(const ListenAddress& address) {
  if (address.is_unix()) return cat("unix:", address.path);
  return cat(address.host_name(), ':', address.port);
}

}  // namespace baton::transport
