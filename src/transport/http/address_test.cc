#include "transport/http/address.h"

#include <gtest/gtest.h>

namespace baton::transport {
namespace {

TEST(listen_address, is_read_and_written) {
  for (const char* text : {"127.0.0.1:7077", "[::1]:0", "0.0.0.0:65535", "unix:/run/a.sock"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(to_text(*address), text);
  }
  EXPECT_EQ(to_text(*parse_address("7077")), "127.0.0.1:7077");
  EXPECT_EQ(to_text(*parse_address("localhost:1")), "127.0.0.1:1");
}

TEST(listen_address, anything_else_is_refused) {
  for (const char* text : {"", ":", "x", "host:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                           "127.0.0.1:-1", "[::1:80", "[1.2.3.4]:80", "::1:80", "unix:"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code, Code::USAGE);
  }
  EXPECT_TRUE(parse_address("unix:" + std::string(107, 'a')));
  EXPECT_FALSE(parse_address("unix:" + std::string(108, 'a')));
}

TEST(listen_address, loopback_is_told_from_the_rest) {
  for (const char* text : {"127.0.0.1:1", "127.8.8.8:1", "[::1]:1", "unix:/a"}) {
    EXPECT_TRUE(parse_address(text)->is_loopback()) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1"}) {
    EXPECT_FALSE(parse_address(text)->is_loopback()) << text;
  }
}

}  // namespace
}  // namespace baton::transport
