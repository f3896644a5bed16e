#include "transport/stdio/serve.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace baton::transport {
namespace {

TEST(serve_stdio, answers_line_by_line_and_ends_with_the_input) {
  int in[2];
  int out[2];
  ASSERT_EQ(pipe2(in, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
  constexpr std::string_view sent = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\n{\n";
  ASSERT_EQ(write(in[1], sent.data(), sent.size()), static_cast<ssize_t>(sent.size()));
  close(in[1]);
  const protocol::Server server({.version = "0"}, {});
  const auto end = serve_stdio(server, {.in_fd = in[0], .out_fd = out[1]});
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, ServeEnd::drained);
  close(out[1]);
  std::string got(4096, '\0');
  const ssize_t size = read(out[0], got.data(), got.size());
  ASSERT_GT(size, 0);
  got.resize(static_cast<std::size_t>(size));
  EXPECT_TRUE(got.starts_with("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")) << got;
  EXPECT_NE(got.find("-32700"), std::string::npos);
  close(in[0]);
  close(out[0]);
}

}  // namespace
}  // namespace baton::transport
