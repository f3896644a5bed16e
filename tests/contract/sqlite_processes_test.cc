// Several processes and one SQLite file. Children are forked before this process has any thread or
// connection of its own, and tell what they saw by their exit status.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "adapters/store/sqlite/sqlite_store.h"
#include "adapters/store/sqlite/write/change_feed.h"
#include "base/text/text.h"
#include "support/acts.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

using adapters::SqliteStore;

/// Shows why a child failed; its exit status cannot.
template <class T>
bool is_good(const Result<T>& result) {
  if (!result) std::cerr << "a child: " << result.error().message << '\n';
  return result.has_value();
}

/// Runs `work(i)` in `count` processes at once; the number of those that said true.
template <class Work>
int in_processes(int count, Work work) {
  int gate[2];
  EXPECT_EQ(::pipe(gate), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      // All start when the parent closes the gate.
      ::close(gate[1]);
      char nothing = 0;
      while (::read(gate[0], &nothing, 1) > 0) {
      }
      ::_exit(work(i) ? 0 : 1);
    }
    children.push_back(child);
  }
  ::close(gate[0]);
  ::close(gate[1]);
  int good = 0;
  for (const pid_t child : children) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++good;
  }
  return good;
}

TEST(sqlite_processes, many_may_start_at_once_on_a_new_file) {
  constexpr int processes = 12;
  TempDir folder;
  const std::string path = folder.path("new/store.db");
  const int good = in_processes(processes, [&](int i) {
    auto store = SqliteStore::open(path);
    if (!is_good(store)) return false;
    const auto n = static_cast<std::uint64_t>(i + 1);
    const auto outcome = (*store)->append(start_run(n, n, n));
    return is_good(outcome) && std::holds_alternative<ports::Appended>(*outcome);
  });
  EXPECT_EQ(good, processes);
  const auto store = MUST(SqliteStore::open(path));
  EXPECT_EQ(got(store->last_commit()), run::CommitNo{processes});
  EXPECT_EQ(got(store->runs(std::nullopt, 100)).size(), std::size_t{processes});
  EXPECT_EQ(got(table_problems(*store)), std::vector<std::string>{});
}

TEST(sqlite_processes, many_may_migrate_at_once) {
  constexpr int processes = 8;
  TempDir folder;
  const std::string path = folder.path("store.db");
  ASSERT_EQ(in_processes(1,
                         [&](int) {
                           auto store = SqliteStore::open(path);
                           return is_good(store) && is_good((*store)->append(start_run(1, 1, 1)));
                         }),
            1);
  const auto known = adapters::sqlite::migrations();
  std::vector<adapters::sqlite::Migration> steps(known.begin(), known.end());
  steps.push_back({steps.back().to + 1, "CREATE TABLE notes(text TEXT) STRICT"});
  const int good = in_processes(processes, [&](int i) {
    auto store = SqliteStore::open(path, {.migrations = steps});
    return store && (*store)->append(note(1, 1, 1, cat("n", i), "x")).has_value();
  });
  EXPECT_EQ(good, processes);
  const auto store = MUST(SqliteStore::open(path, {.migrations = steps}));
  EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{processes + 1});
  const auto copy = SqliteStore::open(path + ".v3.backup");
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ(chain_problem(**copy, session_id(1)), "");
}

// Enforces: G5
TEST(sqlite_processes, appends_of_many_make_one_chain) {
  constexpr int processes = 8;
  constexpr int appends = 40;
  TempDir folder;
  const std::string path = folder.path("store.db");
  const int good = in_processes(processes, [&](int i) {
    auto store = SqliteStore::open(path);
    if (!is_good(store)) return false;
    // One shared session by key alone, and one of its own by expected head.
    const auto own = static_cast<std::uint64_t>(100 + i);
    if (!(*store)->append(start_run(own, own, own * 1000))) return false;
    const auto shared = (*store)->append(start_run(1, 1, 1));
    if (!shared) return false;
    for (int n = 0; n < appends; ++n) {
      if (!(*store)->append(note(1, 1, 1, cat(i, '.', n), "x"))) return false;
      run::CommitDraft step = advance(own, own,
                                      {.from = own * 1000 + static_cast<std::uint64_t>(n),
                                       .to = own * 1000 + static_cast<std::uint64_t>(n) + 1});
      step.expected = run::Seq{n + 1};
      const auto outcome = (*store)->append(step);
      if (!outcome || !std::holds_alternative<ports::Appended>(*outcome)) return false;
    }
    return true;
  });
  EXPECT_EQ(good, processes);
  const auto store = MUST(SqliteStore::open(path));
  EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{1 + processes * appends});
  EXPECT_EQ(chain_problem(*store, session_id(1)), "");
  for (int i = 0; i < processes; ++i) {
    EXPECT_EQ(chain_problem(*store, session_id(static_cast<std::uint64_t>(100 + i))), "");
  }
  EXPECT_EQ(got(store->last_commit()), run::CommitNo{1 + processes + processes * appends * 2});
  EXPECT_EQ(got(table_problems(*store)), std::vector<std::string>{});
}

// Enforces: G2
TEST(sqlite_processes, a_killed_process_leaves_whole_commits) {
  constexpr int rounds = 10;
  TempDir folder;
  const std::string path = folder.path("store.db");
  std::int64_t told = 0;
  for (int round = 0; round < rounds; ++round) {
    int reports[2];
    ASSERT_EQ(::pipe(reports), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto store = SqliteStore::open(path);
      if (!store || !(*store)->append(start_run(1, 1, 1))) ::_exit(1);
      for (int n = 0;; ++n) {
        const auto outcome = (*store)->append(note(1, 1, 1, cat(round, '.', n), "x"));
        if (!outcome || ::write(reports[1], "a", 1) != 1) ::_exit(1);
      }
    }
    ::close(reports[1]);
    char report = 0;
    // Kill it after a number of acknowledged appends, at a moment of its own choosing.
    for (int n = 0; n < 3 + round && ::read(reports[0], &report, 1) == 1; ++n) ++told;
    ::kill(child, SIGKILL);
    while (::read(reports[0], &report, 1) == 1) ++told;
    ::close(reports[0]);
    ::waitpid(child, nullptr, 0);
  }
  const auto store = MUST(SqliteStore::open(path));
  EXPECT_EQ(chain_problem(*store, session_id(1)), "");
  const std::int64_t kept = got(store->head(session_id(1))).seq.value - 1;
  EXPECT_GE(kept, told) << "everything that was told is there";
  EXPECT_LE(kept, told + rounds) << "and at most the append in flight besides";
  EXPECT_EQ(got(table_problems(*store)), std::vector<std::string>{});
}

}  // namespace
}  // namespace baton::contract
