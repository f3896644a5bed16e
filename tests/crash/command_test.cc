// A server that is killed around the commands it runs: each leaves its mark at most once, and who
// asks afterwards is told that nobody knows, never that it ran again.

#include <poll.h>

#include <fstream>

#include "adapters/sqlite/sqlite_store.h"
#include "base/text.h"
#include "support/walk.h"
#include "verbs/verify.h"

namespace baton::crash {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view not_again = "It will not run it again";

class Commands : public ::testing::Test {
 protected:
  Commands() : place_(MUST(make_place(scratch_.path()))) {}

  /// `work` follows the mark, in one command.
  void write_workflow(std::string_view work) {
    std::ofstream(place_.workflows() / "command.yaml")
        << "id: command\nsteps:\n  - {id: before, prompt: Begin.}\n  - id: build\n"
        << "    type: shell_command\n    command: echo ran >> {{ inputs.mark }}; " << work << "\n"
        << "  - {id: after, prompt: Go on.}\ninputs: {mark: {type: string}}\n";
  }

  std::unique_ptr<Server> serve() {
    return MUST(Server::start({.binary = baton_binary(),
                               .place = place_,
                               .wrapper = {},
                               .environment = {"BATON_ALLOW_SHELL=true"}}));
  }

  /// The ack of the first step of a new run.
  std::string begin(Server& server, const fs::path& mark) {
    const Answer started = MUST(server.call(
        {"start_workflow",
         {{"workflowId", "command"}, {"context", json::Object{{"mark", mark.string()}}}}}));
    EXPECT_EQ(started.code, "");
    return started.field("ackToken");
  }

  static int marks(const fs::path& mark) {
    std::ifstream file(mark);
    int count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }

  static std::string pending(const Answer& answer) {
    const json::Value* step = answer.structured.find("pending");
    const json::Value* id = step == nullptr ? nullptr : step->find("stepId");
    return id == nullptr ? std::string() : *id->if_string();
  }

  /// After a kill: the same answer every time, and nothing has run once more.
  void expect_settled(const std::string& ack, const fs::path& mark, bool must_be_unknown) {
    std::string first;
    for (int times = 0; times < 2; ++times) {
      const auto server = serve();
      const Answer answer = MUST(server->call(advance_call(ack, "go")));
      ASSERT_EQ(answer.code, "") << answer.text;
      if (times == 0) first = answer.result;
      EXPECT_EQ(answer.result, first);
      if (pending(answer) == "build") {
        EXPECT_TRUE(answer.result.contains(not_again)) << answer.result;
        EXPECT_LE(marks(mark), 1);
      } else {
        EXPECT_FALSE(must_be_unknown);
        EXPECT_EQ(pending(answer), "after");
        EXPECT_EQ(marks(mark), 1);
      }
      EXPECT_TRUE(server->end().has_value());
    }
    EXPECT_LE(marks(mark), 1);
  }

  void expect_sound() {
    const auto store = MUST(adapters::SqliteStore::open(place_.db().string()));
    EXPECT_TRUE(MUST(verbs::verify(*store)).ok());
  }

  static std::string baton_binary() {
    const char* given = std::getenv("BATON_BINARY");
    return given == nullptr ? "baton" : given;
  }

  Scratch scratch_;
  Place place_;
};

// Enforces: G7
TEST_F(Commands, killed_while_one_runs_it_is_unknown_and_has_run_once) {
  write_workflow("exec sleep 1000");
  const fs::path mark = scratch_.path() / "mark";
  auto server = serve();
  const std::string ack = begin(*server, mark);
  ASSERT_TRUE(server->send(advance_call(ack, "go")));
  pollfd nothing{-1, 0, 0};
  while (marks(mark) == 0) ::poll(&nothing, 1, 5);
  server->child().kill();
  server.reset();
  expect_settled(ack, mark, true);
  expect_sound();
}

// Enforces: G7
TEST_F(Commands, killed_at_any_moment_none_runs_twice) {
  write_workflow("sleep 0.01");
  std::mt19937_64 dice(crash_seed());
  const int kills = is_nightly() ? 1'000 : 25;
  for (int i = 0; i < kills; ++i) {
    SCOPED_TRACE(cat("kill ", i, " with seed ", crash_seed()));
    const fs::path mark = scratch_.path() / cat("mark", i);
    auto server = serve();
    const std::string ack = begin(*server, mark);
    ASSERT_TRUE(server->send(advance_call(ack, "go")));
    pollfd nothing{-1, 0, 0};
    ::poll(&nothing, 1, static_cast<int>(dice() % 40));
    server->child().kill();
    server.reset();
    expect_settled(ack, mark, false);
    if (HasFailure()) return;
  }
  expect_sound();
}

}  // namespace
}  // namespace baton::crash
