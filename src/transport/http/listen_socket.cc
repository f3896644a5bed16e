#include "transport/http/listen_socket.h"

#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/text/text.h"

namespace baton::transport {
namespace {

struct Name {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

template <class T>
Name name_from(const T& value) {
  Name name;
  std::memcpy(&name.storage, &value, sizeof value);
  name.size = sizeof value;
  return name;
}

Name name_of(const ListenAddress& address) {
  if (address.is_unix()) {
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    address.path.copy(local.sun_path, sizeof local.sun_path - 1);
    return name_from(local);
  }
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    return name_from(v6);
  }
  sockaddr_in v4{};
  inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr);
  v4.sin_family = AF_INET;
  v4.sin_port = htons(address.port);
  return name_from(v4);
}

/// Closes the descriptor and says what the system refused.
std::unexpected<Error> give_up(int descriptor, const ListenAddress& address) {
  const int number = errno;
  if (descriptor >= 0) close(descriptor);
  const std::string_view hint =
      number == EADDRINUSE ? "Another program listens there; choose another address." : "";
  return fail(
      Code::ENVIRONMENT,
      cat("cannot listen on ", to_text(address), ": ", std::generic_category().message(number)),
      std::string(hint));
}

/// Removes the socket file of a server that is gone. Anything else at its path is left alone.
void remove_stale(const ListenAddress& address) {
  struct stat info{};
  if (lstat(address.path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) return;
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return;
  Name name = name_of(address);
  const bool is_stale = connect(probe, name.get(), name.size) != 0 && errno == ECONNREFUSED;
  close(probe);
  if (is_stale) unlink(address.path.c_str());
}

std::uint16_t bound_port(int descriptor) {
  Name name;
  name.size = sizeof name.storage;
  if (getsockname(descriptor, name.get(), &name.size) != 0) return 0;
  sockaddr_in port{};  // the port is at the same place in both families
  std::memcpy(&port, &name.storage, sizeof port);
  return ntohs(port.sin_port);
}

}  // namespace

Result<ListenSocket> open_listen_socket(ListenAddress address) {
  Name name = name_of(address);
  const int family = name.storage.ss_family;
  const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return give_up(-1, address);
  if (address.is_unix()) {
    remove_stale(address);
    // Until listen() no client can connect, so that the mode is right before it matters.
    if (bind(descriptor, name.get(), name.size) != 0 ||
        chmod(address.path.c_str(), S_IRUSR | S_IWUSR) != 0) {
      return give_up(descriptor, address);
    }
  } else {
    const int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(descriptor, name.get(), name.size) != 0) return give_up(descriptor, address);
    address.port = bound_port(descriptor);
  }
  if (::listen(descriptor, SOMAXCONN) != 0) return give_up(descriptor, address);
  return ListenSocket{descriptor, family, std::move(address)};
}

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

}  // namespace baton::transport
