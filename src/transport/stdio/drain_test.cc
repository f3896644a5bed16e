// The end of a stdio server whose client does not read.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <memory>

#include "base/text/text.h"
#include "transport/stdio/output.h"
#include "transport/stdio/serve.h"

namespace baton::transport {
namespace {

// Far longer than anything here takes, and the test fails when it passes.
constexpr auto wait = std::chrono::seconds(20);
constexpr std::int64_t one_hour_ms = 3'600'000;

constexpr std::string_view ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})"
                                  "\n";
constexpr std::string_view initialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{)"
    R"("protocolVersion":"2025-03-26","capabilities":{}}})"
    "\n";

enum class Input { pipe, socket };

/// A server on a thread of its own, whose output is full when the test says so.
class Served {
 public:
  /// `out_flags` is O_NONBLOCK for an output like that of a process.
  Served(Input input, std::int64_t drain_ms, std::vector<protocol::Tool> tools = {},
         int out_flags = 0)
      : server_({.version = "0"}, catalog_of(std::move(tools))) {
    EXPECT_EQ(input == Input::pipe ? pipe2(in_, O_CLOEXEC)
                                   : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in_),
              0);
    EXPECT_EQ(pipe2(out_, O_CLOEXEC), 0);
    fcntl(out_[1], F_SETFL, out_flags);
    fcntl(out_[1], F_SETPIPE_SZ, 16'384);
    ended_ = std::async(std::launch::async, [this, drain_ms] {
      return MUST(serve_stdio(
          server_, {.in_fd = in_[0], .out_fd = out_[1], .drain_ms = drain_ms, .hub = &hub}));
    });
  }
  ~Served() {
    close_end(in_[1]);
    close_end(out_[0]);
    if (ended_.valid()) ended_.wait();
    close_end(in_[0]);
    close_end(out_[1]);
  }

  /// Leaves no room for a single byte. Nothing else writes at that time.
  void fill_output() {
    // The server's own descriptor stays as it is.
    const int pipe =
        open(cat("/proc/self/fd/", out_[1]).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    while (write(pipe, "x", 1) == 1) ++filled_;
    close(pipe);
  }

  void shrink_output() { EXPECT_GT(fcntl(out_[0], F_SETPIPE_SZ, 4'096), 0); }

  void send(std::string_view text) {
    ASSERT_EQ(write(in_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void hang_up() { close_end(in_[1]); }
  void half_close() { EXPECT_EQ(shutdown(in_[1], SHUT_WR), 0); }

  /// Everything up to the end, without what filled the output.
  std::string read_all() {
    std::string all;
    char chunk[4'096];
    ssize_t got = 0;
    close_end_after_serving();
    while ((got = read(out_[0], chunk, sizeof chunk)) > 0) {
      all.append(chunk, static_cast<std::size_t>(got));
    }
    return all.substr(std::min(filled_, all.size()));
  }

  std::string read_line() {
    std::string line;
    char byte = 0;
    while (read(out_[0], &byte, 1) == 1 && byte != '\n') line += byte;
    return line;
  }

  bool has_ended() const { return ended_.wait_for(wait) == std::future_status::ready; }

  Hub hub;

 private:
  static protocol::Catalog catalog_of(std::vector<protocol::Tool> tools) {
    protocol::Catalog catalog;
    catalog.tools = MUST(protocol::ToolTable::make(std::move(tools)));
    catalog.tools_change = true;
    return catalog;
  }
  static void close_end(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
  void close_end_after_serving() {
    closer_ = std::async(std::launch::async, [this] {
      ended_.wait();
      close_end(out_[1]);
    });
  }

  protocol::Server server_;
  int in_[2];
  int out_[2];
  std::size_t filled_ = 0;
  std::future<ServeEnd> ended_;
  std::future<void> closer_;
};

protocol::Tool counting(std::shared_ptr<std::atomic<int>> calls) {
  return {.name = "count",
          .input_schema = json::Object{{"type", "object"}},
          .handler = [calls](const protocol::ToolCall&) {
            ++*calls;
            return protocol::ToolResult{};
          }};
}

TEST(deadline, starts_once) {
  ShutdownDeadline deadline(one_hour_ms);
  EXPECT_EQ(deadline.remaining_ms(), -1);
  deadline.start();
  const int left = deadline.remaining_ms();
  EXPECT_GT(left, 0);
  EXPECT_LE(left, one_hour_ms);
  deadline.start();
  EXPECT_LE(deadline.remaining_ms(), left);
  ShutdownDeadline over(0);
  over.start();
  EXPECT_EQ(over.remaining_ms(), 0);
}

// Enforces: G9
TEST(drain, a_client_that_hangs_up_and_does_not_read_is_not_waited_for) {
  for (const Input input : {Input::pipe, Input::socket}) {
    for (const int out_flags : {0, O_NONBLOCK}) {
      Served served(input, 10, {}, out_flags);
      served.fill_output();
      served.send(ping);
      served.hang_up();
      EXPECT_TRUE(served.has_ended());
    }
  }
}

// Enforces: G9
TEST(drain, a_client_that_makes_its_pipe_smaller_is_not_waited_for) {
  Served served(Input::pipe, 10, {}, O_NONBLOCK);
  served.send(ping);
  EXPECT_NE(served.read_line(), "");
  served.shrink_output();
  std::string pings;
  for (int i = 0; i < 500; ++i) pings += ping;
  served.send(pings);
  served.hang_up();
  EXPECT_TRUE(served.has_ended());
}

// Enforces: G9
TEST(drain, a_client_that_only_stops_sending_is_not_waited_for) {
  Served served(Input::socket, 10);
  served.fill_output();
  served.send(ping);
  served.half_close();
  EXPECT_TRUE(served.has_ended());
}

// Enforces: G9
TEST(drain, a_client_whose_call_is_answered_by_another_thread_is_not_waited_for) {
  const auto calls = std::make_shared<std::atomic<int>>(0);
  Served served(Input::pipe, 10, {counting(calls)});
  served.fill_output();
  served.send(cat(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}})",
                  '\n', R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":)",
                  R"({"name":"count"}})", '\n', ping));
  served.hang_up();
  EXPECT_TRUE(served.has_ended());
}

// Enforces: G9
TEST(drain, a_client_that_is_being_told_of_a_change_is_not_waited_for) {
  Served served(Input::pipe, 10);
  served.send(initialize);
  EXPECT_NE(served.read_line(), "");
  served.fill_output();
  auto told =
      std::async(std::launch::async, [&served] { served.hub.publish(protocol::ToolsChanged{}); });
  served.hang_up();
  EXPECT_TRUE(served.has_ended());
  EXPECT_EQ(told.wait_for(wait), std::future_status::ready);
}

TEST(drain, a_client_that_reads_after_hanging_up_gets_every_answer) {
  constexpr std::string_view answer = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  std::string pings;
  std::string answers;
  for (int i = 0; i < 500; ++i) {
    pings += ping;
    answers += cat(answer, '\n');
  }
  for (const int out_flags : {0, O_NONBLOCK}) {
    Served served(Input::pipe, one_hour_ms, {}, out_flags);
    served.fill_output();
    served.send(pings);
    served.hang_up();
    EXPECT_EQ(served.read_all(), answers);
  }
}

TEST(drain, nothing_is_begun_whose_answer_would_not_be_written) {
  const auto calls = std::make_shared<std::atomic<int>>(0);
  Served served(Input::pipe, 10, {counting(calls)});
  served.fill_output();
  // The answer to the first message cannot be written, and the others were read with it.
  served.send(cat(ping, R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":)",
                  R"({"name":"count"}})", '\n'));
  served.hang_up();
  EXPECT_TRUE(served.has_ended());
  EXPECT_EQ(*calls, 0);
}

}  // namespace
}  // namespace baton::transport
