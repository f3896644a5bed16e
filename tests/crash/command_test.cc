// A server that is killed around the commands it runs: each leaves its mark at most once, and who
// asks afterwards is told that the result is unknown, never that it ran again.

#include <poll.h>

#include <fstream>
#include <map>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "support/walk.h"
#include "verbs/store/verify.h"

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

  std::unique_ptr<Server> serve(std::vector<std::string> options = {}) {
    return MUST(Server::start({.binary = baton_binary(),
                               .place = place_,
                               .wrapper = {},
                               .environment = {"BATON_ALLOW_SHELL=true"},
                               .options = std::move(options)}));
  }

  /// The ack of the first step of a new run.
  std::string begin(Server& server, const fs::path& mark) {
    const Answer started = MUST(server.call(
        {"start_workflow",
         {{"workflowId", "command"}, {"context", json::Object{{"mark", mark.string()}}}}}));
    EXPECT_EQ(started.code, "");
    run_ = *started.structured.find("session")->find("runId")->if_string();
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

  /// What a verb prints about the store, on both streams.
  std::string printed(std::vector<std::string> words) {
    const fs::path errors = scratch_.path() / cat("errors", ++verbs_);
    words.insert(words.begin(), baton_binary());
    words.insert(words.end(), {"--db", place_.db().string()});
    const auto child = MUST(Child::start(
        {.words = words, .environment = {cat("HOME=", place_.folder.string())}, .errors = errors}));
    child->close_input();
    std::string out;
    for (;;) {
      const Child::Line line = child->read_line(answer_wait_ms_max);
      if (line.heard != Child::Heard::line) break;
      out += cat(line.text, '\n');
    }
    EXPECT_EQ(child->wait(), 0) << out;
    std::ifstream file(errors);
    for (std::string line; std::getline(file, line);) out += cat(line, '\n');
    return out;
  }

  /// What every way of looking says of the run, by the way. Nothing is settled by it.
  std::map<std::string, std::string> looks(const std::string& run) {
    std::map<std::string, std::string> out;
    for (const auto& words : std::vector<std::vector<std::string>>{{"runs"},
                                                                   {"runs", "--json"},
                                                                   {"show", run},
                                                                   {"show", run, "--json"},
                                                                   {"state", run},
                                                                   {"state", run, "--json"},
                                                                   {"trace", run},
                                                                   {"trace", run, "--json"},
                                                                   {"log", run}}) {
      std::string name;
      for (const std::string& word : words) {
        if (word != run) name += cat(name.empty() ? "" : " ", word);
      }
      out[name] = printed(words);
    }
    const auto rail = serve();
    const Answer found = MUST(rail->call({"resume_session", {{"query", run}}}));
    const json::Value& candidate = found.structured.find("candidates")->if_array()->front();
    out["stateToken"] =
        MUST(rail->call(look_call(*candidate.find("stateToken")->if_string()))).result;
    EXPECT_TRUE(rail->end().has_value());
    const auto atomic = serve({"--surface", "atomic"});
    for (const std::string_view tool : {"workflow_resume", "workflow_debug_info"}) {
      out[std::string(tool)] =
          MUST(atomic->call({std::string(tool), {{"workflow_id", run}}})).result;
    }
    EXPECT_TRUE(atomic->end().has_value());
    return out;
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
  std::string run_;  // that was begun last
  int verbs_ = 0;
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
TEST_F(Commands, after_a_kill_every_read_says_that_nothing_runs_and_the_end_is_unknown) {
  write_workflow("exec sleep 1000");
  const fs::path mark = scratch_.path() / "mark";
  auto server = serve();
  const std::string ack = begin(*server, mark);
  ASSERT_TRUE(server->send(advance_call(ack, "go")));
  pollfd nothing{-1, 0, 0};
  while (marks(mark) == 0) ::poll(&nothing, 1, 5);
  for (const auto& [way, text] : looks(run_)) {
    EXPECT_FALSE(text.contains("unknown")) << way << ":\n" << text;
    EXPECT_TRUE(text.contains(" runs") || text.contains("running")) << way << ":\n" << text;
  }
  server->child().kill();
  server.reset();
  for (const auto& [way, text] : looks(run_)) {
    EXPECT_TRUE(text.contains("unknown")) << way << ":\n" << text;
    // The log has what was answered while it ran, and says below it how it is now.
    if (way == "log") continue;
    std::string others = text;
    for (const std::string_view none : {"o command is running", "not running"}) {
      for (std::size_t at = 0; (at = others.find(none)) != std::string::npos;) {
        others.erase(at, none.size());
      }
    }
    EXPECT_FALSE(others.contains("running")) << way << ":\n" << text;
  }
  EXPECT_EQ(marks(mark), 1);
  // Once the step was handed to the agent, they say that.
  expect_settled(ack, mark, true);
  EXPECT_TRUE(printed({"show", run_}).contains("build: the result of its command is unknown"));
  EXPECT_FALSE(printed({"runs"}).contains("command is running"));
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
