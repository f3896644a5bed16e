#include "transport/http/peer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "base/text/text.h"

namespace baton::transport {
namespace {

std::string peer(const char* address, std::uint16_t port = 1) {
  sockaddr_storage storage{};
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, address, &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&storage, &v4, sizeof v4);
  } else {
    EXPECT_EQ(inet_pton(AF_INET6, address, &v6.sin6_addr), 1);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&storage, &v6, sizeof v6);
  }
  return peer_of(storage);
}

TEST(peer, is_an_address_with_any_port) {
  EXPECT_EQ(peer("127.0.0.1", 1), peer("127.0.0.1", 2));
  EXPECT_NE(peer("127.0.0.1"), peer("127.0.0.2"));
  EXPECT_EQ(peer("::ffff:10.1.2.3"), peer("10.1.2.3"));
}

TEST(peer, is_a_network_where_one_client_has_many_addresses) {
  EXPECT_EQ(peer("2001:db8:1:2::1"), peer("2001:db8:1:2:ffff::9"));
  EXPECT_NE(peer("2001:db8:1:2::1"), peer("2001:db8:1:3::1"));
}

TEST(peer, is_a_user_on_a_unix_socket) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  EXPECT_EQ(peer_of(ends[0]), cat("user:", geteuid()));
  EXPECT_TRUE(peer_is_ours(ends[0]));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace baton::transport
