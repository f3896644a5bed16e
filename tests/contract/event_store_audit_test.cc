// The EventStore contract, fourth part: an audit shows one moment of a store, as it is stored.

#include <algorithm>
#include <filesystem>
#include <map>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "ports/store_admin.h"
#include "support/event_store_suite.h"

namespace baton::contract {
namespace {

using event_store_audit = EventStoreTest;
INSTANTIATE_TEST_SUITE_P(contract, event_store_audit, ::testing::ValuesIn(store_kinds), kind_of);

// Enforces: G4
TEST_P(event_store_audit, shows_one_moment_despite_later_writes) {
  for (std::uint64_t n = 1; n <= 3; ++n) must_append(store(), start_run(n, n, n * 10));
  must_append(store(), advance(1, 1, {.from = 10, .to = 11}));
  const std::string before = dump(store());
  const auto audit = MUST(store().audit());
  ports::EventReader& reader = audit->reader();
  EXPECT_EQ(dump(reader), before);

  must_append(store(), advance(1, 1, {.from = 11, .to = 12}));
  EXPECT_EQ(dump(reader), before);
  must_append(store(), start_run(4, 4, 40));
  must_purge(store(), 2);
  ASSERT_TRUE(store().rebuild().has_value());
  EXPECT_EQ(dump(reader), before);
  EXPECT_EQ(got(reader.purged(session_id(2))), false);
  EXPECT_EQ(got(reader.last_commit()), run::CommitNo{4});
  EXPECT_NE(dump(store()), before);
  EXPECT_EQ(dump(MUST(store().audit())->reader()), dump(store()));
}

TEST_P(event_store_audit, finds_nothing_wrong_at_any_of_its_moments) {
  must_append(store(), start_run(1, 1, 1));
  for (std::uint64_t n = 2; n <= 8; ++n) {
    must_append(store(), advance(1, 1, {.from = n - 1, .to = n}));
    must_append(store(), start_run(n, n, n * 100));
    if (n % 3 == 0) must_purge(store(), n);
    if (n % 4 == 0) {
      ASSERT_TRUE(store().rebuild().has_value());
    }
    EXPECT_EQ(got(table_problems(store())), std::vector<std::string>{}) << n;
  }
}

struct sqlite_audit : ::testing::Test {
  std::string path() const { return folder.path("store.db"); }
  void run(const std::string& statements) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
  }
  std::vector<std::string> problems() const {
    return got(table_problems(*MUST(adapters::SqliteStore::open(path()))));
  }

  TempDir folder;
};

// Enforces: G4
TEST_F(sqlite_audit, finds_a_commit_that_is_missing_where_no_session_was_removed) {
  {
    const auto store = MUST(adapters::SqliteStore::open(path()));
    for (std::uint64_t n = 1; n <= 4; ++n) must_append(*store, start_run(n, n, n));
  }
  EXPECT_EQ(problems(), std::vector<std::string>{});
  // The whole of a session, so that no chain has a gap.
  run("DROP TRIGGER commits_stay; DELETE FROM commits WHERE session_no = 2;"
      "DELETE FROM sessions WHERE session_no = 2; DELETE FROM workflows WHERE CAST(data AS TEXT) "
      "LIKE '%flow2%'");
  ASSERT_TRUE(MUST(adapters::SqliteStore::open(path()))->rebuild().has_value());
  const auto found = problems();
  EXPECT_NE(
      std::ranges::find(found, "commits 2 to 2: they are missing, and no removed session had them"),
      found.end());
}

// Enforces: G4
TEST_F(sqlite_audit, names_the_table_the_row_and_both_values) {
  {
    const auto store = MUST(adapters::SqliteStore::open(path()));
    must_append(*store, start_run(1, 1, 1));
    must_append(*store, advance(1, 1, {.from = 1, .to = 2}));
  }
  run("UPDATE nodes SET depth = 7 WHERE node_no = 32; UPDATE runs SET last_commit = 1;"
      "DELETE FROM attempts; INSERT INTO adopted VALUES(16, 48)");
  EXPECT_EQ(problems(),
            (std::vector<std::string>{
                "table adopted, parent 16, child 48: the log does not have this row",
                "table attempts, node_no 16, kind 0, ordinal 0, count 0: the row is missing",
                "table nodes, node_no 32: depth is 7, the log says 1",
                "table runs, run_no 1: last_commit is 1, the log says 2"}));
}

// Enforces: G18
TEST_F(sqlite_audit, finds_a_session_that_lost_its_end_even_if_it_grew_since) {
  {
    const auto store = MUST(adapters::SqliteStore::open(path()));
    must_append(*store, start_run(1, 1, 1));
    for (std::uint64_t n = 2; n <= 4; ++n) {
      must_append(*store, advance(1, 1, {.from = n - 1, .to = n}));
    }
    must_append(*store, start_run(2, 2, 20));
  }
  run("DROP TRIGGER commits_stay; DELETE FROM commits WHERE session_no = 1 AND seq > 2;"
      "CREATE TRIGGER commits_stay BEFORE DELETE ON commits\n"
      "WHEN NOT EXISTS(SELECT 1 FROM purged WHERE session =\n"
      "                (SELECT id FROM sessions WHERE session_no = OLD.session_no)) BEGIN\n"
      "  SELECT RAISE(ABORT, 'commits go only with their whole purged session');\nEND");
  const auto store = MUST(adapters::SqliteStore::open(path()));
  ASSERT_TRUE(store->rebuild().has_value());
  const auto finds = [&](std::string_view what) {
    return std::ranges::any_of(got(table_problems(*store)), [&](const std::string& problem) {
      return problem.find(what) != std::string::npos;
    });
  };
  EXPECT_TRUE(finds("has lost its last commits: it has 2 of 4"));
  must_append(*store, advance(1, 1, {.from = 2, .to = 31}));
  EXPECT_TRUE(finds("has lost its last commits: it has 3 of 4"));
  for (std::uint64_t n = 32; n <= 36; ++n) {
    must_append(*store, advance(1, 1, {.from = n - 1, .to = n}));
    EXPECT_TRUE(finds("its commit 4 is not the one that was anchored"));
  }
}

TEST_F(sqlite_audit, writes_nothing_and_leaves_nothing_behind) {
  const auto store = MUST(adapters::SqliteStore::open(path()));
  must_append(*store, start_run(1, 1, 1));
  const auto files = [&] {
    std::map<std::string, std::uintmax_t> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
      out[entry.path().filename().string()] = entry.file_size();
    }
    return out;
  };
  const auto before = files();
  EXPECT_EQ(got(table_problems(*store)), std::vector<std::string>{});
  EXPECT_EQ(files(), before);
}

// Enforces: G13
TEST_F(sqlite_audit, of_a_store_of_a_newer_release_is_left_to_that_release) {
  must_append(*MUST(adapters::SqliteStore::open(path())), start_run(1, 1, 1));
  run("PRAGMA user_version=99");
  const auto store = MUST(adapters::SqliteStore::open(path()));
  EXPECT_EQ(store->audit().error().code, Code::STORE_NEWER);
  EXPECT_TRUE(got(store->run(run_id(1))).has_value());
}

}  // namespace
}  // namespace baton::contract
