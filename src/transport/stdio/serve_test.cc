#include "transport/stdio/serve.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <set>

#include "base/text/text.h"
#include "protocol/testing/blocks.h"

namespace baton::transport {
namespace {

using protocol::Tool;
using protocol::ToolCall;
using protocol::ToolResult;
using ::testing::HasSubstr;

constexpr std::int64_t one_hour_ms = 3'600'000;

protocol::Catalog catalog_of(std::vector<Tool> tools) {
  protocol::Catalog catalog;
  catalog.tools = MUST(protocol::ToolTable::make(std::move(tools)));
  return catalog;
}

/// A server on pipes in a thread of its own.
class Session {
 public:
  explicit Session(std::vector<Tool> tools, std::int64_t drain_ms = one_hour_ms)
      : Session(With::catalog, catalog_of(std::move(tools)), drain_ms) {}

  enum class With { catalog };
  Session(With, protocol::Catalog catalog, std::int64_t drain_ms = one_hour_ms,
          std::int64_t answer_ms = limits::client_answer_ms_max)
      : server_({.version = "0"}, std::move(catalog)) {
    EXPECT_EQ(pipe2(in_, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out_, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(stop_, O_CLOEXEC), 0);
    end_ = std::async(std::launch::async, [this, drain_ms, answer_ms] {
      const auto end = serve_stdio(server_, {.in_fd = in_[0],
                                             .out_fd = out_[1],
                                             .stop_fd = stop_[0],
                                             .drain_ms = drain_ms,
                                             .answer_ms = answer_ms,
                                             .hub = &hub});
      close_end(out_[1]);
      return end;
    });
  }

  ~Session() {
    for (int* const ends : {in_, out_, stop_}) {
      close_end(ends[1]);
      if (ends != out_ && end_.valid()) end_.wait();
      close_end(ends[0]);
    }
  }

  void send(std::string_view line) {
    const std::string text = cat(line, '\n');
    std::string_view left = text;
    while (!left.empty()) {
      const ssize_t put = write(in_[1], left.data(), left.size());
      ASSERT_GT(put, 0);
      left.remove_prefix(static_cast<std::size_t>(put));
    }
  }

  void ping(std::string_view id) {
    send(cat(R"({"jsonrpc":"2.0","id":")", id, R"(","method":"ping"})"));
  }

  void call(std::string_view tool, std::int64_t id, std::string_view arguments = "{}") {
    send(cat(R"({"jsonrpc":"2.0","id":)", id, R"(,"method":"tools/call","params":{"name":")", tool,
             R"(","arguments":)", arguments, "}}"));
  }

  void cancel(std::int64_t id) {
    send(cat(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)", id,
             "}}"));
  }

  /// Blocks for the next line; empty at the end.
  std::string read_line() {
    std::size_t end = 0;
    while ((end = got_.find('\n')) == std::string::npos) {
      char chunk[4096];
      const ssize_t size = read(out_[0], chunk, sizeof chunk);
      if (size <= 0) return {};
      got_.append(chunk, static_cast<std::size_t>(size));
    }
    const std::string line = got_.substr(0, end);
    got_.erase(0, end + 1);
    return line;
  }

  /// The id of the next answer, as JSON text; empty at the end.
  std::string read_id() {
    const std::string line = read_line();
    return line.empty() ? line : json::print(*MUST(json::parse(line)).find("id"));
  }

  void listen(std::int64_t id) {
    send(cat(R"({"jsonrpc":"2.0","id":)", id,
             R"(,"method":"subscriptions/listen","params":{"_meta":{)",
             R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)",
             R"("io.modelcontextprotocol/clientCapabilities":{}},)",
             R"("notifications":{"toolsListChanged":true}}})"));
  }

  void end_input() { close_end(in_[1]); }
  void stop() { EXPECT_EQ(write(stop_[1], "!", 1), 1); }
  void stop_listening() { close_end(out_[0]); }
  ServeEnd end() { return MUST(end_.get()); }

  Hub hub;

 private:
  static void close_end(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }

  protocol::Server server_;
  int in_[2];
  int out_[2];
  int stop_[2];
  std::string got_;
  std::future<Result<ServeEnd>> end_;
};

Tool tool(std::string name, protocol::ToolHandler handler) {
  return {.name = std::move(name),
          .input_schema = json::Object{{"type", "object"}, {"additionalProperties", true}},
          .handler = std::move(handler)};
}

Tool reading(Tool tool) {
  tool.annotations.read_only = true;
  return tool;
}

Tool quick() {
  return tool("quick", [](const ToolCall&) { return ToolResult{.text = "done"}; });
}

/// A tool whose calls block until open() and count themselves. Copies share the gate, so that calls
/// left behind outlive the test safely.
class Gate {
 public:
  Tool blocked() const {
    return tool("blocked", [state = state_](const ToolCall& call) {
      ++state->begun;
      state->begun.notify_all();
      state->opened.wait();
      if (call.cancelled()) ++state->saw_cancel;
      ++state->done;
      state->done.notify_all();
      return ToolResult{.text = "opened"};
    });
  }

  void open() const { state_->opened.count_down(); }
  void wait_for_begun(int count) const { wait_for(state_->begun, count); }
  void wait_for_done(int count) const { wait_for(state_->done, count); }
  int begun() const { return state_->begun; }
  int saw_cancel() const { return state_->saw_cancel; }

 private:
  struct State {
    std::latch opened{1};
    std::atomic<int> begun = 0;
    std::atomic<int> saw_cancel = 0;
    std::atomic<int> done = 0;
  };
  static void wait_for(const std::atomic<int>& counter, int count) {
    for (int now = counter; now < count; now = counter) counter.wait(now);
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

TEST(serve_stdio, answers_each_line) {
  Session session({});
  session.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r");
  session.send("");
  session.send(" \t");
  session.send("{");
  EXPECT_EQ(session.read_line(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_THAT(session.read_line(), HasSubstr("-32700"));
  session.end_input();
  EXPECT_EQ(session.read_line(), "");
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

TEST(serve_stdio, ends_with_the_input) {
  Session session({}, 0);
  session.end_input();
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

TEST(serve_stdio, ends_when_told_to_stop) {
  Session session({quick()}, 0);
  session.stop();
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

TEST(serve_stdio, ends_when_no_client_reads_the_answers) {
  Session session({quick()}, 0);
  session.stop_listening();
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

TEST(serve_stdio, calls_in_flight_are_answered_after_the_input_ended) {
  Gate gate;
  Session session({gate.blocked()});
  session.call("blocked", 1);
  session.end_input();
  gate.open();
  EXPECT_EQ(session.read_id(), "1");
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

TEST(serve_stdio, calls_in_flight_are_answered_after_being_told_to_stop) {
  Gate gate;
  Session session({gate.blocked()});
  session.call("blocked", 1);
  gate.wait_for_begun(1);
  session.stop();
  gate.open();
  EXPECT_EQ(session.read_id(), "1");
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

TEST(serve_stdio, calls_that_outlast_the_drain_are_left_behind_and_told) {
  Gate gate;
  {
    Session session({gate.blocked()}, 0);
    session.call("blocked", 1);
    gate.wait_for_begun(1);
    session.end_input();
    EXPECT_EQ(session.end(), ServeEnd::calls_still_running);
    EXPECT_EQ(session.read_line(), "");
  }
  gate.open();
  gate.wait_for_done(1);
  EXPECT_EQ(gate.saw_cancel(), 1);
}

TEST(serve_stdio, a_slow_call_blocks_neither_ping_nor_another_call) {
  Gate gate;
  Session session({gate.blocked(), quick()});
  session.call("blocked", 1);
  session.ping("p");
  EXPECT_EQ(session.read_id(), R"("p")");
  session.call("quick", 2);
  EXPECT_EQ(session.read_id(), "2");
  gate.open();
  EXPECT_EQ(session.read_id(), "1");
}

TEST(serve_stdio, a_slow_call_on_the_reader_blocks_no_other_call_and_no_answer) {
  // The reader runs such a call itself until limits::call_patience_ms are over.
  Gate gate;
  Session session({reading(gate.blocked()), reading(quick())});
  session.send(cat(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quick"}})",
                   '\n',
                   R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"blocked"}})",
                   '\n', R"({"jsonrpc":"2.0","id":"p","method":"ping"})"));
  EXPECT_EQ(session.read_id(), "1");
  EXPECT_EQ(session.read_id(), R"("p")");
  session.call("quick", 3);
  EXPECT_EQ(session.read_id(), "3");
  gate.open();
  EXPECT_EQ(session.read_id(), "2");
  session.call("quick", 4);
  EXPECT_EQ(session.read_id(), "4");
}

TEST(serve_stdio, a_slow_call_after_a_stream_of_quick_calls_blocks_no_other) {
  // Whose reader is looked after less often, each limits::stream_patience_ms.
  Gate gate;
  Session session({reading(gate.blocked()), reading(quick())});
  constexpr int quick_calls = 3'000;
  for (int id = 1; id <= quick_calls; ++id) {
    session.call("quick", id);
    ASSERT_EQ(session.read_id(), cat(id));
  }
  session.call("blocked", 0);
  session.ping("p");
  EXPECT_EQ(session.read_id(), R"("p")");
  gate.open();
  EXPECT_EQ(session.read_id(), "0");
}

TEST(serve_stdio, however_many_reading_calls_outlast_their_time_none_holds_up_the_next) {
  // The first round leaves threads behind that wait for work; the second must be watched as well.
  Gate first;
  Gate second;
  Tool again = reading(second.blocked());
  again.name = "again";
  Session session({reading(first.blocked()), std::move(again)});
  const auto hold_up = [&](std::string_view tool, int from) {
    for (int id = from; id < from + 4; ++id) session.call(tool, id);
    session.ping(cat("p", from));
    EXPECT_EQ(session.read_id(), cat("\"p", from, '"'));
  };
  const auto let_go = [&](Gate& gate) {
    gate.open();
    std::set<std::string> answered;
    for (int i = 0; i < 4; ++i) answered.insert(session.read_id());
    EXPECT_EQ(answered.size(), 4u);
  };
  hold_up("blocked", 1);
  let_go(first);
  hold_up("again", 5);
  let_go(second);
}

TEST(serve_stdio, a_reading_call_that_outlasts_its_time_keeps_its_id_and_can_be_cancelled) {
  Gate gate;
  Session session({reading(gate.blocked()), reading(quick())});
  session.call("blocked", 1);
  session.call("quick", 1);
  const std::string refusal = session.read_line();
  EXPECT_NE(refusal.find("still being answered"), std::string::npos) << refusal;
  session.cancel(1);
  session.ping("p");
  EXPECT_EQ(session.read_id(), R"("p")");
  gate.open();
  gate.wait_for_done(1);
  session.call("quick", 2);
  EXPECT_EQ(session.read_id(), "2");
  EXPECT_EQ(gate.saw_cancel(), 1);
}

TEST(serve_stdio, answers_to_calls_that_come_together_all_arrive_whole) {
  // More than are held back at once.
  const std::string text(1'000, 'x');
  Session session(
      {reading(tool("long", [&](const ToolCall&) { return ToolResult{.text = text}; }))});
  constexpr std::size_t calls = limits::held_output_bytes_max / 1'000 + 8;
  std::string lines;
  for (std::size_t id = 1; id <= calls; ++id) {
    lines += cat(id == 1 ? "" : "\n", R"({"jsonrpc":"2.0","id":)", id,
                 R"(,"method":"tools/call","params":{"name":"long"}})");
  }
  session.send(lines);
  std::set<std::string> answered;
  for (std::size_t id = 1; id <= calls; ++id) answered.insert(session.read_id());
  EXPECT_EQ(answered.size(), calls);
}

// Enforces: G9
TEST(serve_stdio, as_many_calls_run_at_once_as_there_are_workers_and_no_more) {
  Gate gate;
  Session session({gate.blocked()});
  constexpr int workers = static_cast<int>(limits::workers_max);
  for (int id = 1; id <= workers + 1; ++id) session.call("blocked", id);
  gate.wait_for_begun(workers);
  session.ping("p");
  EXPECT_EQ(session.read_id(), R"("p")");
  EXPECT_EQ(gate.begun(), workers);
  gate.open();
  std::set<std::string> answered;
  for (int i = 0; i <= workers; ++i) answered.insert(session.read_id());
  EXPECT_EQ(answered.size(), limits::workers_max + 1);
}

TEST(serve_stdio, nothing_is_sent_for_a_cancelled_call) {
  Gate gate;
  Session session({gate.blocked()});
  session.call("blocked", 1);
  gate.wait_for_begun(1);
  session.cancel(1);
  session.ping("p");
  EXPECT_EQ(session.read_id(), R"("p")");
  gate.open();
  session.end_input();
  EXPECT_EQ(session.read_line(), "");
  EXPECT_EQ(session.end(), ServeEnd::drained);
  EXPECT_EQ(gate.saw_cancel(), 1);
}

TEST(serve_stdio, a_call_cancelled_before_it_began_never_runs) {
  Gate gate;
  std::atomic<int> ran = 0;
  Session session({gate.blocked(), tool("count", [&](const ToolCall&) {
                     ++ran;
                     return ToolResult{};
                   })});
  constexpr int workers = static_cast<int>(limits::workers_max);
  for (int id = 1; id <= workers; ++id) session.call("blocked", id);
  gate.wait_for_begun(workers);
  session.call("count", 100);
  session.call("count", 101);
  session.cancel(100);
  session.ping("p");
  EXPECT_EQ(session.read_id(), R"("p")");
  gate.open();
  session.end_input();
  EXPECT_EQ(session.end(), ServeEnd::drained);
  EXPECT_EQ(ran, 1);
}

TEST(serve_stdio, cancelling_the_unknown_or_the_finished_does_nothing) {
  Session session({quick()});
  session.cancel(7);
  session.call("quick", 7);
  EXPECT_EQ(session.read_id(), "7");
  session.cancel(7);
  session.call("quick", 8);
  EXPECT_EQ(session.read_id(), "8");
}

TEST(serve_stdio, an_id_in_flight_cannot_be_used_again) {
  Gate gate;
  Session session({gate.blocked(), quick()});
  session.call("blocked", 1);
  session.call("quick", 1);
  EXPECT_THAT(session.read_line(), HasSubstr("still being answered"));
  gate.open();
  EXPECT_THAT(session.read_line(), HasSubstr("opened"));
  session.end_input();
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

// Enforces: G9
TEST(serve_stdio, reading_stops_when_too_many_calls_are_unfinished) {
  Gate gate;
  Session session({gate.blocked()});
  constexpr auto calls_max =
      static_cast<std::int64_t>(limits::calls_in_flight_max + limits::read_ahead_calls_max);
  for (std::int64_t id = 1; id < calls_max; ++id) session.call("blocked", id);
  session.ping("below");
  EXPECT_EQ(session.read_id(), R"("below")");
  session.call("blocked", calls_max);
  session.ping("above");
  gate.open();
  EXPECT_NE(session.read_id(), R"("above")");
  std::set<std::string> answered;
  for (std::int64_t i = 0; i < calls_max; ++i) answered.insert(session.read_id());
  EXPECT_TRUE(answered.contains(R"("above")"));
  EXPECT_EQ(answered.size(), static_cast<std::size_t>(calls_max));
}

// Enforces: G9
TEST(serve_stdio, reading_stops_when_unfinished_calls_are_too_large) {
  Gate gate;
  Session session({gate.blocked()});
  constexpr std::size_t count = limits::unfinished_call_bytes_max / limits::message_bytes_max;
  const std::string large =
      cat(R"({"x":")", std::string(limits::message_bytes_max - 256, 'x'), "\"}");
  for (std::size_t id = 1; id <= count; ++id) {
    session.call("blocked", static_cast<std::int64_t>(id), large);
  }
  session.ping("below");
  EXPECT_EQ(session.read_id(), R"("below")");
  session.call("blocked", 100, large);
  session.ping("above");
  gate.open();
  EXPECT_NE(session.read_id(), R"("above")");
  std::set<std::string> answered;
  for (std::size_t i = 0; i <= count; ++i) answered.insert(session.read_id());
  EXPECT_TRUE(answered.contains(R"("above")"));
}

TEST(serve_stdio, a_full_server_notices_that_its_client_is_gone) {
  Gate gate;
  {
    Session session({gate.blocked()}, 0);
    constexpr auto calls_max =
        static_cast<std::int64_t>(limits::calls_in_flight_max + limits::read_ahead_calls_max);
    for (std::int64_t id = 1; id <= calls_max; ++id) session.call("blocked", id);
    session.end_input();
    EXPECT_EQ(session.end(), ServeEnd::calls_still_running);
  }
  gate.open();
}

// Enforces: G9
TEST(serve_stdio, a_line_over_the_limit_is_skipped_and_told) {
  Session session({});
  const auto padded = [](std::size_t size) {
    std::string text = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    return text.append(size - text.size(), ' ');
  };
  session.send(padded(limits::message_bytes_max));
  EXPECT_EQ(session.read_id(), "1");
  session.send(padded(limits::message_bytes_max + 1));
  EXPECT_THAT(session.read_line(), HasSubstr("skipped unread"));
  session.ping("after");
  EXPECT_EQ(session.read_id(), R"("after")");
}

TEST(serve_stdio, large_answers_arrive_whole_among_others) {
  const std::string text(1u << 20, 'y');
  Session session(
      {quick(), tool("large", [&](const ToolCall&) { return ToolResult{.text = text}; })});
  for (std::int64_t id = 0; id < 20; ++id) session.call(id % 4 == 0 ? "large" : "quick", id);
  std::set<std::string> answered;
  for (int i = 0; i < 20; ++i) answered.insert(session.read_id());
  EXPECT_EQ(answered.size(), 20u);
}

/// A tool whose answer is larger than any pipe.
Tool large(std::shared_ptr<std::latch> begun) {
  return tool("large", [begun](const ToolCall&) {
    begun->count_down();
    return ToolResult{.text = std::string(1u << 20, 'y')};
  });
}

TEST(serve_stdio, a_full_pipe_does_not_keep_a_stopped_server) {
  const auto begun = std::make_shared<std::latch>(1);
  Session session({large(begun)});
  session.call("large", 1);
  begun->wait();
  session.stop();
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

TEST(serve_stdio, an_unread_answer_ends_the_server_not_the_process) {
  const StopSignals without_sigpipe = MUST(StopSignals::install());
  const auto begun = std::make_shared<std::latch>(1);
  Session session({large(begun)});
  session.call("large", 1);
  begun->wait();
  session.stop_listening();
  session.end();
}

TEST(serve_stdio, progress_comes_before_the_answer) {
  Session session({tool("steps", [](const ToolCall& call) {
    call.report({.done = 1});
    call.report({.done = 2});
    return ToolResult{};
  })});
  session.send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)"
               R"({"name":"steps","_meta":{"progressToken":5}}})");
  EXPECT_THAT(session.read_line(), HasSubstr(R"("progressToken":5,"progress":1)"));
  EXPECT_THAT(session.read_line(), HasSubstr(R"("progressToken":5,"progress":2)"));
  EXPECT_EQ(session.read_id(), "1");
}

/// Asks the client for its roots and says what it answered.
Tool asking() {
  return tool("asking", [](const ToolCall& call) -> protocol::ToolAnswer {
    const json::Object* const roots = call.input("roots");
    if (roots == nullptr) return protocol::NeedInput{{{"roots", protocol::list_roots()}}};
    return ToolResult{.text = json::print(*roots)};
  });
}

constexpr std::string_view initialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{)"
    R"("protocolVersion":"2025-03-26","capabilities":{"roots":{}}}})";

TEST(serve_stdio, many_calls_wait_for_the_client_and_block_no_other) {
  Session session({asking(), quick()});
  session.send(initialize);
  session.read_line();
  constexpr std::int64_t askers = 3 * limits::workers_max;
  std::set<std::string> questions;
  for (std::int64_t id = 1; id <= askers; ++id) session.call("asking", id);
  for (std::int64_t id = 1; id <= askers; ++id) {
    const json::Value question = MUST(json::parse(session.read_line()));
    ASSERT_EQ(*question.find("method"), json::Value("roots/list"));
    questions.insert(*question.find("id")->if_string());
  }
  EXPECT_EQ(questions.size(), static_cast<std::size_t>(askers));
  session.call("quick", 1000);
  EXPECT_THAT(session.read_line(), HasSubstr("done"));
  for (const std::string& id : questions) {
    session.send(cat(R"({"jsonrpc":"2.0","id":")", id, R"(","result":{"said":")", id, R"("}})"));
  }
  std::set<std::string> answers;
  for (std::int64_t i = 0; i < askers; ++i) answers.insert(session.read_line());
  EXPECT_EQ(answers.size(), static_cast<std::size_t>(askers));
}

TEST(serve_stdio, a_cancelled_question_is_abandoned) {
  Session session({asking(), quick()});
  session.send(initialize);
  session.read_line();
  session.call("asking", 1);
  EXPECT_THAT(session.read_line(), HasSubstr("roots/list"));
  session.cancel(1);
  EXPECT_EQ(session.read_line(),
            R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
            R"("params":{"requestId":"baton:1","reason":"the call was cancelled"}})");
  // The client no longer waits for this answer.
  session.send(R"({"jsonrpc":"2.0","id":"baton:1","result":{}})");
  session.end_input();
  EXPECT_EQ(session.read_line(), "");
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

TEST(serve_stdio, the_end_of_input_answers_for_the_client) {
  Session session({asking()});
  session.send(initialize);
  session.read_line();
  session.call("asking", 1);
  EXPECT_THAT(session.read_line(), HasSubstr("roots/list"));
  session.end_input();
  EXPECT_THAT(session.read_line(), HasSubstr("no answer came"));
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

TEST(serve_stdio, a_question_without_an_answer_times_out) {
  Session session(Session::With::catalog, catalog_of({asking()}), one_hour_ms, 1);
  session.send(initialize);
  session.read_line();
  session.call("asking", 1);
  EXPECT_THAT(session.read_line(), HasSubstr("roots/list"));
  EXPECT_THAT(session.read_line(), HasSubstr("notifications/cancelled"));
  EXPECT_THAT(session.read_line(), HasSubstr("did not answer"));
}

protocol::Catalog changing() {
  protocol::Catalog catalog = catalog_of({quick()});
  catalog.tools_change = true;
  return catalog;
}

TEST(serve_stdio, as_many_listen_as_the_limit_says_and_get_each_change) {
  Session session(Session::With::catalog, changing());
  const auto count = static_cast<std::int64_t>(limits::listens_max);
  for (std::int64_t id = 1; id <= count; ++id) {
    session.listen(id);
    ASSERT_THAT(session.read_line(), HasSubstr("acknowledged"));
  }
  session.listen(count + 1);
  EXPECT_THAT(session.read_line(), HasSubstr("-32603"));
  session.listen(1);
  EXPECT_THAT(session.read_line(), HasSubstr("-32600"));
  session.call("quick", 1);
  EXPECT_THAT(session.read_line(), HasSubstr("-32600"));
  auto told =
      std::async(std::launch::async, [&] { session.hub.publish(protocol::ToolsChanged{}); });
  std::set<std::string> heard;
  for (std::int64_t id = 1; id <= count; ++id) heard.insert(session.read_line());
  told.get();
  EXPECT_EQ(heard.size(), limits::listens_max);
  session.cancel(1);
  session.listen(count + 1);
  EXPECT_THAT(session.read_line(), HasSubstr("acknowledged"));
  auto ended = std::async(std::launch::async, [&] { session.end_input(); });
  std::set<std::string> answered;
  for (std::string line = session.read_line(); !line.empty(); line = session.read_line()) {
    answered.insert(line);
  }
  EXPECT_EQ(answered.size(), limits::listens_max);
  EXPECT_EQ(session.end(), ServeEnd::drained);
}

TEST(serve_stdio, a_call_of_a_batch_can_be_cancelled_alone) {
  const Gate gate;
  Session session({gate.blocked(), quick()});
  session.send(initialize);
  session.read_line();
  session.send(R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blocked"}},)"
               R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"quick"}}])");
  gate.wait_for_begun(1);
  session.cancel(1);
  session.ping("p");
  EXPECT_THAT(session.read_line(), HasSubstr(R"("id":"p")"));
  gate.open();
  const std::string line = session.read_line();
  EXPECT_THAT(line, HasSubstr(R"([{"jsonrpc":"2.0","id":2,)"));
  EXPECT_THAT(line, ::testing::Not(HasSubstr(R"("id":1,)")));
}

TEST(stop_signals, turn_a_signal_into_a_readable_descriptor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  {
    const StopSignals stop = MUST(StopSignals::install());
    raise(SIGTERM);
    char byte = 0;
    EXPECT_EQ(read(stop.fd(), &byte, 1), 1);
    raise(SIGINT);
    EXPECT_EQ(read(stop.fd(), &byte, 1), 1);
    raise(SIGPIPE);
  }
  EXPECT_EXIT(raise(SIGTERM), ::testing::KilledBySignal(SIGTERM), "");
}

TEST(move_stdout_aside, keeps_stray_prints_out) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto child = [] {
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0 || dup2(out[1], STDOUT_FILENO) < 0) _exit(1);
    const int aside = MUST(move_stdout_aside());
    if (write(STDOUT_FILENO, "stray", 5) != 5 || write(aside, "meant", 5) != 5) _exit(2);
    char got[16];
    const ssize_t size = read(out[0], got, sizeof got);
    _exit(std::string_view(got, static_cast<std::size_t>(size)) == "meant" ? 0 : 3);
  };
  EXPECT_EXIT(child(), ::testing::ExitedWithCode(0), "stray");
}

}  // namespace
}  // namespace baton::transport
