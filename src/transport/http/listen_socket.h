#pragma once
// The listening socket of a server, in plain system calls.

#include <cstddef>

#include "base/core/result.h"
#include "transport/http/address.h"

namespace baton::transport {

struct ListenSocket {
  int descriptor = -1;
  int family = 0;
  ListenAddress address;  // with the port that was really taken
};

/// Binds and listens. A unix socket is made 0600; one without a listener is replaced.
Result<ListenSocket> open_listen_socket(ListenAddress address);

/// Raises this process's limit on open files as far as it may; gives what it is then.
std::size_t raise_descriptor_limit();

}  // namespace baton::transport
