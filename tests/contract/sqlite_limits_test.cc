// The bounds that only the SQLite store has: what shares a commit, when the WAL is copied back, how
// many read at once.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "adapters/store/sqlite/reader_pool.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "support/acts.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

using adapters::SqliteStore;

/// Until it is so; for a store that never gets there the test's own time limit ends it.
template <class Condition>
void wait_until(const Condition& condition) {
  while (!condition()) std::this_thread::yield();
}

/// How many commits the store makes of `count` appends that wait while another process writes.
std::int64_t commits_of_waiting(std::size_t count) {
  const TempDir folder;
  const std::string path = folder.path("store.db");
  const auto store = MUST(SqliteStore::open(path, {.busy_ms_max = 120'000}));
  must_append(*store, start_run(1, 1, 1));
  wait_until([&] { return store->counts().checkpoints > 0 && !store->counts().is_led; });
  sqlite3* other = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const std::int64_t before = store->counts().groups;
  {
    std::vector<std::jthread> callers;
    const auto call = [&](std::size_t n) {
      callers.emplace_back([&, n] { must_append(*store, note(1, 1, 1, cat("n", n), "x")); });
    };
    call(0);  // leads alone, and waits for the other process
    wait_until([&] { return store->counts().is_led; });
    for (std::size_t n = 1; n <= count; ++n) call(n);
    wait_until([&] { return store->counts().waiting == static_cast<std::int64_t>(count); });
    EXPECT_EQ(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  sqlite3_close(other);
  EXPECT_EQ(got(store->head(session_id(1))).seq.value, static_cast<std::int64_t>(count) + 2);
  return store->counts().groups - before;
}

// Enforces: G9
TEST(sqlite_limits, so_many_appends_share_a_commit_and_no_more) {
  EXPECT_EQ(commits_of_waiting(limits::group_commit_appends_max), 2);
  EXPECT_EQ(commits_of_waiting(limits::group_commit_appends_max + 1), 3);
}

/// Whether one append with a text of so many pages to a fresh store makes the WAL too long to wait
/// for a quiet moment.
bool makes_long_wal(std::int64_t text_pages) {
  const std::size_t text_bytes_per_page = 1'020;
  const TempDir folder;
  const auto store = MUST(SqliteStore::open(folder.path("store.db")));
  must_append(*store, start_run(1, 1, 1));
  wait_until([&] { return store->counts().checkpoints > 0; });
  const std::int64_t before = store->counts().checkpoints;
  run::CommitDraft append = note(1, 1, 1, "n", "x");
  append.blobs = {
      run::Content(std::string(static_cast<std::size_t>(text_pages) * text_bytes_per_page, 'x'))};
  must_append(*store, append);
  wait_until([&] { return store->counts().checkpoints > before; });
  return store->counts().long_wals > 0;
}

// Enforces: G9
TEST(sqlite_limits, a_wal_of_that_length_waits_for_a_quiet_moment_and_a_longer_one_does_not) {
  // Beside the text, a commit has a few pages of rows and indexes.
  std::int64_t short_enough = limits::store_wal_pages_max - 40;
  std::int64_t too_long = limits::store_wal_pages_max;
  ASSERT_FALSE(makes_long_wal(short_enough));
  ASSERT_TRUE(makes_long_wal(too_long));
  while (too_long - short_enough > 1) {
    const std::int64_t middle = (short_enough + too_long) / 2;
    (makes_long_wal(middle) ? too_long : short_enough) = middle;
  }
  // One page more makes the difference, here and whenever it is tried again.
  EXPECT_FALSE(makes_long_wal(short_enough));
  EXPECT_TRUE(makes_long_wal(short_enough + 1));
}

// Enforces: G9
TEST(sqlite_limits, so_many_connections_read_at_once_and_no_more) {
  const TempDir folder;
  const std::string path = folder.path("store.db");
  MUST(SqliteStore::open(path));
  adapters::sqlite::Health health;
  std::atomic<std::size_t> opened = 0;
  adapters::sqlite::ReaderPool pool(
      [&] {
        ++opened;
        return adapters::sqlite::Connection::open({path, "", 1'000}, adapters::sqlite::Access::read,
                                                  health);
      },
      limits::store_readers_max);
  {
    std::vector<adapters::sqlite::ReaderPool::Lease> leases;
    for (std::size_t i = 0; i < limits::store_readers_max; ++i) {
      leases.push_back(MUST(pool.take()));
    }
    EXPECT_EQ(opened, limits::store_readers_max);
  }
  std::atomic<std::size_t> reading = 0;
  std::atomic<std::size_t> most = 0;
  std::vector<std::jthread> callers;
  for (std::size_t i = 0; i < limits::store_readers_max * 3; ++i) {
    callers.emplace_back([&] {
      for (int n = 0; n < 50; ++n) {
        const auto lease = MUST(pool.take());
        std::size_t now = ++reading;
        for (std::size_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        --reading;
      }
    });
  }
  callers.clear();
  EXPECT_LE(most, limits::store_readers_max);
  EXPECT_EQ(opened, limits::store_readers_max);
}

// Enforces: G9
TEST(sqlite_limits, the_last_commit_number_is_given_and_none_after_it) {
  const TempDir folder;
  const std::string path = folder.path("store.db");
  const auto store = MUST(SqliteStore::open(path));
  must_append(*store, start_run(1, 1, 1));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  // As if so many sessions had been removed before.
  const std::string past = cat("INSERT INTO purged(session, last_commit_no, at_ms) VALUES(x'00', ",
                               limits::commit_no_max - 1, ", 0)");
  ASSERT_EQ(sqlite3_exec(other, past.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(must_append(*store, note(1, 1, 1, "last", "x")).commit.no.value, limits::commit_no_max);
  const auto refused = store->append(note(1, 1, 1, "past", "x"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
}

// Enforces: G9
TEST(sqlite_limits, a_session_has_so_many_commits_and_no_more) {
  const TempDir folder;
  const std::string path = folder.path("store.db");
  const auto store = MUST(SqliteStore::open(path));
  must_append(*store, start_run(1, 1, 1));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  const std::string late =
      cat("INSERT INTO commits(commit_no, session_no, seq, dedupe_key, at_ms, previous, hash, body)"
          " SELECT 2, session_no, ",
          limits::session_commits_max - 1, ", 'late', at_ms, previous, hash, body FROM commits");
  ASSERT_EQ(sqlite3_exec(other, late.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(must_append(*store, note(1, 1, 1, "last", "x")).commit.seq.value,
            limits::session_commits_max);
  const auto refused = store->append(note(1, 1, 1, "past", "x"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
  must_append(*store, start_run(2, 2, 2));  // the others go on
}

}  // namespace
}  // namespace baton::contract
