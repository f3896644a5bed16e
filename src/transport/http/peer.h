#pragma once
// Who is at the other end of a connection, as far as the system says: the name under which what it
// makes the server keep is counted. Any thread.

#include <sys/socket.h>

#include <string>

namespace baton::transport {

/// An IPv4 address, or the network of an IPv6 address: a client with one of its addresses has them
/// all. The same text means the same peer; the port does not matter.
std::string peer_of(const sockaddr_storage& address);

/// The peer of a connected socket; for a unix socket the user at its other end.
std::string peer_of(int descriptor);

/// Whether the process at the other end of a unix socket is run by our user or by root.
bool peer_is_ours(int descriptor);

}  // namespace baton::transport
