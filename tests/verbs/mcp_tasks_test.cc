// The durable book of MCP tasks, on a store in memory and on one in a file.

#include "verbs/run/mcp_tasks.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "adapters/process/testing/scripted_processes.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "support/world.h"
#include "verbs/store/gc.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using protocol::McpTask;
using protocol::McpTaskState;

struct Folder {
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "baton-XXXXXX").string();
    ASSERT(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string db() const { return (path / "store.db").string(); }
  std::filesystem::path path;
};

/// A world on one of the two stores, and its book.
class mcp_tasks : public ::testing::TestWithParam<bool> {
 protected:
  mcp_tasks() { reopen(); }

  /// As a process that starts now; a store in memory stays.
  void reopen() {
    if (!GetParam()) return;
    file.reset();
    file = MUST(adapters::SqliteStore::open(folder.db()));
    world.port = file.get();
  }

  Folder folder;
  std::unique_ptr<adapters::SqliteStore> file;
  World world;
  engine::Engine engine() { return world.engine(); }
  verbs::McpTasks book{[this]() -> Result<engine::Engine*> {
    current.emplace(world.engine());
    current->processes = &processes;
    return &*current;
  }};
  adapters::ScriptedProcesses processes;
  std::optional<engine::Engine> current;
};

INSTANTIATE_TEST_SUITE_P(each, mcp_tasks, ::testing::Values(false, true),
                         [](const auto& which) { return which.param ? "sqlite" : "memory"; });

McpTask draft() {
  McpTask task;
  task.principal = "local";
  task.tool = "long_job";
  task.arguments = {{"n", 3}, {"deep", json::Object{{"list", json::Array{1, "two", nullptr}}}}};
  task.client_capabilities = {{"elicitation", json::Object{}}};
  task.poll_interval_ms = 500;
  return task;
}

McpTask asking(McpTask task) {
  task.status = McpTaskState::input_required;
  task.state = json::Object{{"at", 2}};
  task.requests = {{"colour", {"elicitation/create", {{"message", "Which?"}}}},
                   {"roots", {"roots/list", {}}}};
  return task;
}

json::Object chosen(std::string_view colour) {
  return {{"action", "accept"}, {"content", json::Object{{"colour", colour}}}};
}

json::Object no_roots() { return {{"roots", json::Array{}}}; }

std::string told(const McpTask& task) {
  return MUST(json::canonical(json::Array{protocol::to_json(task), task.principal, task.tool,
                                          task.arguments, task.client_capabilities, task.state,
                                          task.responses}));
}

TEST_P(mcp_tasks, a_task_is_read_as_it_was_stored_also_after_a_restart) {
  const McpTask made = book.create(draft()).value();
  EXPECT_TRUE(made.id.starts_with("task_"));
  EXPECT_EQ(made.created, morning);
  EXPECT_EQ(told(book.get(made.id, "local").value()), told(made));
  world.manual_clock.advance_ms(5);
  const McpTask waiting = book.update(asking(made)).value();
  EXPECT_EQ(waiting.updated.value, morning.value + 5);
  reopen();
  EXPECT_EQ(told(book.get(made.id, "local").value()), told(waiting));
  McpTask failed = waiting;
  failed.status = McpTaskState::failed;
  failed.requests.clear();
  failed.error = protocol::RpcError{protocol::RpcCode::internal_error, "no", json::Array{1}};
  failed = book.update(failed).value();
  reopen();
  EXPECT_EQ(told(book.get(made.id, "local").value()), told(failed));
  EXPECT_EQ(book.get(made.id, "local").value().error, failed.error);
  EXPECT_TRUE(verbs::verify(*world.port).value().ok());
}

TEST_P(mcp_tasks, a_task_is_visible_only_to_its_principal) {
  const McpTask made = book.create(draft()).value();
  EXPECT_EQ(code_of(book.get(made.id, "somebody")), "NOT_FOUND");
  EXPECT_EQ(code_of(book.cancel(made.id, "somebody")), "NOT_FOUND");
  EXPECT_EQ(code_of(book.answer(made.id, "somebody", {})), "NOT_FOUND");
  EXPECT_EQ(code_of(book.get("task_01000000000000000000000002", "local")), "NOT_FOUND");
  EXPECT_EQ(code_of(book.get("", "local")), "NOT_FOUND");
  // A run's session is not a task, though its id has the same form.
  const SessionId session = world.start().value().reply.session;
  EXPECT_EQ(code_of(book.get(TaskId{session.bytes}.text(), "local")), "NOT_FOUND");
}

TEST_P(mcp_tasks, an_ended_task_never_changes) {
  for (const McpTaskState end :
       {McpTaskState::completed, McpTaskState::failed, McpTaskState::cancelled}) {
    McpTask task = book.create(draft()).value();
    task.status = end;
    task.result = {{"content", json::Array{}}};
    const McpTask ended = book.update(task).value();
    const run::CommitNo last = world.port->last_commit().value();
    for (const McpTaskState other :
         {McpTaskState::working, McpTaskState::completed, McpTaskState::failed}) {
      task.status = other;
      task.message = "late";
      EXPECT_EQ(told(book.update(task).value()), told(ended));
    }
    EXPECT_EQ(told(book.cancel(task.id, "local").value()), told(ended));
    const auto answered = book.answer(task.id, "local", {{"colour", "red"}}).value();
    EXPECT_FALSE(answered.resumed);
    EXPECT_EQ(told(answered.task), told(ended));
    EXPECT_EQ(world.port->last_commit().value(), last);
  }
}

TEST_P(mcp_tasks, a_task_whose_server_was_killed_has_failed) {
  const McpTask working = book.create(draft()).value();
  const McpTask waiting = book.update(asking(book.create(draft()).value())).value();
  reopen();
  processes.call("the next one");
  const McpTask failed = book.get(working.id, "local").value();
  EXPECT_EQ(failed.status, McpTaskState::failed);
  EXPECT_NE(failed.error->message.find("Make the call again"), std::string::npos);
  EXPECT_EQ(told(book.cancel(working.id, "local").value()), told(failed));
  // A task that waits for answers has no worker until they come; then their taker runs it.
  EXPECT_EQ(told(book.get(waiting.id, "local").value()), told(waiting));
  const auto answered =
      book.answer(waiting.id, "local", {{"colour", chosen("red")}, {"roots", no_roots()}}).value();
  EXPECT_TRUE(answered.resumed);
  EXPECT_EQ(book.get(waiting.id, "local").value().status, McpTaskState::working);
  processes.call("the one after that");
  EXPECT_EQ(book.get(waiting.id, "local").value().status, McpTaskState::failed);
  EXPECT_TRUE(verbs::verify(*world.port).value().ok());
}

TEST_P(mcp_tasks, answers_are_taken_once_and_the_last_one_resumes) {
  const McpTask task = book.update(asking(book.create(draft()).value())).value();
  auto first =
      book.answer(task.id, "local", {{"colour", chosen("red")}, {"unasked", chosen("x")}}).value();
  EXPECT_FALSE(first.resumed);
  EXPECT_EQ(first.task.requests.size(), 1u);
  EXPECT_EQ(first.task.responses, (json::Object{{"colour", chosen("red")}}));
  const run::CommitNo last = world.port->last_commit().value();
  EXPECT_FALSE(book.answer(task.id, "local", {{"colour", chosen("blue")}}).value().resumed);
  EXPECT_EQ(world.port->last_commit().value(), last) << "what is answered stays so";
  const auto second = book.answer(task.id, "local", {{"roots", no_roots()}}).value();
  EXPECT_TRUE(second.resumed);
  EXPECT_EQ(second.task.status, McpTaskState::working);
  EXPECT_EQ(second.task.state, (json::Object{{"at", 2}}));
  EXPECT_FALSE(book.answer(task.id, "local", {{"roots", no_roots()}}).value().resumed);
}

// Enforces: G5
TEST_P(mcp_tasks, of_many_who_answer_or_end_a_task_at_once_one_does) {
  for (int round = 0; round < 20; ++round) {
    const McpTask task = book.update(asking(book.create(draft()).value())).value();
    std::atomic<int> resumed = 0;
    {
      std::vector<std::jthread> all;
      for (int i = 0; i < 4; ++i) {
        all.emplace_back([&, i] {
          World other(static_cast<std::uint64_t>(100 + i));
          other.port = world.port;
          engine::Engine own = other.engine();
          verbs::McpTasks mine([&]() -> Result<engine::Engine*> { return &own; });
          const auto answer =
              mine.answer(task.id, "local", {{"colour", chosen("red")}, {"roots", no_roots()}});
          if (answer && answer->resumed) ++resumed;
        });
      }
    }
    EXPECT_EQ(resumed, 1);
  }
}

// Enforces: G5
TEST_P(mcp_tasks, a_change_that_comes_second_is_decided_again) {
  const McpTask task = book.create(draft()).value();
  adapters::FaultyStore faulty(*world.port);
  world.port = &faulty;
  using Store = adapters::FaultyStore;
  faulty.inject(Store::Call::append, 1, {Store::Kind::head_moved, Code::STORE_FAILED});
  EXPECT_EQ(book.cancel(task.id, "local").value().status, McpTaskState::cancelled);
  EXPECT_EQ(faulty.count(Store::Call::append), 2);
}

// Enforces: G9
TEST_P(mcp_tasks, a_change_that_keeps_losing_is_told_when_to_retry) {
  const McpTask task = book.create(draft()).value();
  adapters::FaultyStore faulty(*world.port);
  world.port = &faulty;
  using Store = adapters::FaultyStore;
  for (int nth = 1; nth <= limits::append_tries_max; ++nth) {
    faulty.inject(Store::Call::append, nth, {Store::Kind::head_moved, Code::STORE_FAILED});
  }
  const auto busy = book.cancel(task.id, "local");
  ASSERT_EQ(code_of(busy), "STORE_BUSY");
  EXPECT_EQ(busy.error().retry.after_ms, limits::retry_after_ms);
  EXPECT_EQ(book.get(task.id, "local").value().status, McpTaskState::working);
}

// Enforces: G2
TEST_P(mcp_tasks, a_commit_whose_outcome_is_unknown_is_looked_up) {
  adapters::FaultyStore faulty(*world.port);
  world.port = &faulty;
  using Store = adapters::FaultyStore;
  faulty.inject(Store::Call::append, 1, {Store::Kind::commit_then_error, Code::STORE_FAILED});
  const McpTask task = book.create(draft()).value();
  EXPECT_EQ(world.port->last_commit().value().value, 1);
  EXPECT_EQ(told(book.get(task.id, "local").value()), told(task));
  faulty.inject(Store::Call::append, 1, {Store::Kind::refuse, Code::STORE_FULL});
  EXPECT_EQ(code_of(book.cancel(task.id, "local")), "STORE_FULL");
  EXPECT_EQ(book.get(task.id, "local").value().status, McpTaskState::working);
}

// Enforces: G9
TEST_P(mcp_tasks, a_life_is_bounded_and_then_over) {
  McpTask bounded = draft();
  bounded.ttl_ms = limits::mcp_task_ttl_ms_max;
  EXPECT_EQ(book.create(bounded).value().ttl_ms, limits::mcp_task_ttl_ms_max);
  bounded.ttl_ms = limits::mcp_task_ttl_ms_max + 1;
  EXPECT_EQ(book.create(bounded).value().ttl_ms, limits::mcp_task_ttl_ms_max);
  bounded.ttl_ms = 1'000;
  const McpTask brief = book.create(bounded).value();
  const McpTask lasting = book.create(draft()).value();
  world.manual_clock.advance_ms(999);
  EXPECT_EQ(code_of(book.get(brief.id, "local")), "ok");
  world.manual_clock.advance_ms(1);
  EXPECT_EQ(code_of(book.get(brief.id, "local")), "NOT_FOUND");
  EXPECT_EQ(code_of(book.cancel(brief.id, "local")), "NOT_FOUND");
  EXPECT_EQ(code_of(book.get(lasting.id, "local")), "ok");

  engine::Engine now = engine();
  EXPECT_EQ(verbs::gc(now, {}).value().removed,
            std::vector{SessionId{TaskId::parse(brief.id).value().bytes}});
  EXPECT_EQ(code_of(book.get(lasting.id, "local")), "ok");
  world.manual_clock.advance_ms(100LL * 86'400'000);
  EXPECT_EQ(verbs::gc(now, {.only_completed = true}).value().removed.size(), 0u);
  EXPECT_EQ(verbs::gc(now, {}).value().removed.size(), 3u);
  EXPECT_EQ(code_of(book.get(lasting.id, "local")), "NOT_FOUND");
}

TEST_P(mcp_tasks, tasks_are_listed_apart_from_runs) {
  const McpTask one = book.create(draft()).value();
  const RunId run = world.start().value().reply.run;
  const McpTask two = book.create(draft()).value();
  const auto runs = world.port->runs(std::nullopt, 10).value();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs.front().run, run);
  const auto tasks = verbs::list_tasks(world.engine().reading(), 10).value();
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].id, one.id);
  EXPECT_EQ(tasks[1].id, two.id);
  EXPECT_EQ(verbs::list_tasks(world.engine().reading(), 1).value().size(), 1u);
}

TEST_P(mcp_tasks, a_result_that_cannot_be_kept_ends_the_task_as_failed) {
  McpTask task = book.create(draft()).value();
  task.status = McpTaskState::completed;
  task.result = {{"n", (std::int64_t{1} << 53) + 1}};
  const McpTask ended = book.update(task).value();
  EXPECT_EQ(ended.status, McpTaskState::failed);
  ASSERT_TRUE(ended.error);
  EXPECT_EQ(told(book.get(task.id, "local").value()), told(ended));
  McpTask odd = draft();
  odd.arguments = {{"n", (std::int64_t{1} << 53) + 1}};
  EXPECT_EQ(code_of(book.create(odd)), "NUMBER_INEXACT");
}

// Enforces: G1
TEST(mcp_task_processes, a_task_is_there_for_others_when_its_id_is_known_even_after_a_kill) {
  const Folder folder;
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    World world;
    const auto store = MUST(adapters::SqliteStore::open(folder.db()));
    world.port = store.get();
    engine::Engine engine = world.engine();
    verbs::McpTasks book([&]() -> Result<engine::Engine*> { return &engine; });
    const McpTask task = book.update(asking(book.create(draft()).value())).value();
    if (::write(pipe_ends[1], task.id.data(), task.id.size()) < 0) ::_exit(1);
    ::raise(SIGKILL);
  }
  ::close(pipe_ends[1]);
  std::string id(64, '\0');
  const ssize_t size = ::read(pipe_ends[0], id.data(), id.size());
  ::close(pipe_ends[0]);
  ASSERT_GT(size, 0);
  id.resize(static_cast<std::size_t>(size));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));

  World world(2);
  const auto store = MUST(adapters::SqliteStore::open(folder.db()));
  world.port = store.get();
  engine::Engine engine = world.engine();
  verbs::McpTasks book([&]() -> Result<engine::Engine*> { return &engine; });
  const McpTask task = book.get(id, "local").value();
  EXPECT_EQ(task.status, McpTaskState::input_required);
  EXPECT_EQ(task.arguments, draft().arguments);
  EXPECT_TRUE(
      book.answer(id, "local", {{"colour", chosen("red")}, {"roots", no_roots()}}).value().resumed);
}

}  // namespace
}  // namespace baton::testing
