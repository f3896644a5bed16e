// What the SQLite store does when the disk does not do its part. Faults come from FaultVfs.

#include <gtest/gtest.h>

#include <filesystem>

#include "adapters/store/sqlite/sqlite_store.h"
#include "adapters/store/sqlite/testing/fault_vfs.h"
#include "base/text/text.h"
#include "support/acts.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

using adapters::SqliteStore;
using adapters::sqlite::testing::FaultVfs;
using adapters::sqlite::testing::FileOp;
using adapters::sqlite::testing::usual_failure;

struct sqlite_faults : ::testing::Test {
  TempDir folder;
  FaultVfs disk{"fault"};

  std::string path() { return folder.path("store.db"); }

  std::unique_ptr<SqliteStore> open() {
    return MUST(SqliteStore::open(path(), {.vfs = disk.name(), .busy_ms_max = 50}));
  }

  /// What another process finds: nothing injected.
  std::unique_ptr<SqliteStore> open_healthy() { return MUST(SqliteStore::open(path())); }
};

run::CommitDraft step(std::uint64_t n) {
  run::CommitDraft append = advance(1, 1, {.from = n, .to = n + 1});
  refer_to(append, cat("blob ", n));
  return append;
}

// Enforces: G1
TEST_F(sqlite_faults, an_append_is_synced_once_and_before_it_returns) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  const std::int64_t before = disk.count(FileOp::sync);
  for (std::uint64_t n = 1; n <= 10; ++n) {
    must_append(*store, step(n));
    EXPECT_GE(disk.count(FileOp::sync), before + static_cast<std::int64_t>(n));
  }
}

// Enforces: G10
TEST_F(sqlite_faults, a_failed_sync_ends_writing_but_not_reading) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  must_append(*store, step(1));
  disk.fail({.op = FileOp::sync});
  const auto failed = store->append(step(2));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Code::STORE_FAILED);
  EXPECT_EQ(disk.failures(), 1);

  const std::int64_t writes = disk.count(FileOp::write);
  for (std::uint64_t n = 2; n <= 4; ++n) {
    EXPECT_EQ(store->append(step(n)).error().code, Code::STORE_FAILED);
  }
  EXPECT_EQ(store->purge(session_id(1), {1}, {}).error().code, Code::STORE_FAILED);
  EXPECT_EQ(disk.count(FileOp::write), writes) << "nothing is written any more";
  EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{2});
  EXPECT_EQ(chain_problem(*store, session_id(1)), "");
  EXPECT_TRUE(must_have_node(*store, 2).parent.has_value());
}

// Enforces: G10
TEST_F(sqlite_faults, a_corrupt_page_ends_writing_but_not_reading_what_is_whole) {
  auto store = open();
  must_append(*store, start_run(1, 1, 1));
  disk.fail({.op = FileOp::write, .rc = SQLITE_CORRUPT});
  EXPECT_EQ(store->append(step(1)).error().code, Code::STORE_CORRUPT);
  EXPECT_EQ(store->append(step(1)).error().code, Code::STORE_CORRUPT);
  EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{1});
}

// Enforces: G10
TEST_F(sqlite_faults, damage_found_by_a_reader_ends_writing) {
  open_healthy();
  const auto empty_size = std::filesystem::file_size(path());
  {
    const auto store = open_healthy();
    for (std::uint64_t n = 10; n < 100; ++n) must_append(*store, start_run(n, n, n));
    must_append(*store, start_run(1, 1, 1));
  }
  {
    // What came after the tables were made becomes noise; the schema stays.
    std::FILE* file = std::fopen(path().c_str(), "r+b");
    ASSERT_NE(file, nullptr);
    std::fseek(file, static_cast<long>(empty_size), SEEK_SET);
    const std::string noise(std::filesystem::file_size(path()) - empty_size, '\xa5');
    ASSERT_EQ(std::fwrite(noise.data(), 1, noise.size(), file), noise.size());
    std::fclose(file);
  }
  const auto store = open_healthy();
  EXPECT_EQ(store->node_by_id(node_id(1)).error().code, Code::STORE_CORRUPT);
  EXPECT_EQ(store->append(start_run(2, 2, 2)).error().code, Code::STORE_CORRUPT);
  EXPECT_EQ(store->append(start_run(3, 3, 3)).error().code, Code::STORE_CORRUPT);
  const auto problems = table_problems(*store);
  EXPECT_TRUE(!problems.has_value() || !problems->empty());
}

// Enforces: G2
TEST_F(sqlite_faults, a_failed_write_loses_nothing_and_writing_continues) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  for (const bool writes_half : {false, true}) {
    disk.fail({.op = FileOp::write, .writes_half = writes_half});
    const auto head = got(store->head(session_id(1)));
    EXPECT_EQ(store->append(note(1, 1, 1, cat("n", writes_half ? 1 : 0), "x")).error().code,
              Code::STORE_FAILED);
    EXPECT_EQ(got(store->head(session_id(1))), head);
    must_append(*store, note(1, 1, 1, cat("n", writes_half ? 1 : 0), "x"));
  }
  EXPECT_EQ(chain_problem(*store, session_id(1)), "");
}

/// Appends once with the n-th operation failing; then looks, as an honest client would, and goes
/// on. False: the operation that was to fail did not happen.
bool sweep_once(FaultVfs& disk, const std::string& path, const FaultVfs::Fault& fault) {
  {
    const auto store = MUST(SqliteStore::open(path, {.vfs = disk.name(), .busy_ms_max = 5}));
    must_append(*store, start_run(1, 1, 1));
    must_append(*store, step(1));
    const std::int64_t before = disk.failures();
    disk.fail(fault);
    const auto outcome = store->append(step(2));
    const bool has_failed = disk.failures() > before;
    disk.heal();
    if (!has_failed) return false;

    const run::Seq seen = got(store->head(session_id(1))).seq;
    EXPECT_EQ(seen.value, outcome ? 3 : 2) << "told and kept must agree";
    const auto again = store->append(step(2));
    if (outcome) {
      EXPECT_TRUE(again && std::holds_alternative<ports::AlreadyRecorded>(*again));
    } else if (!again) {
      // Only fail-stop may refuse now.
      EXPECT_EQ(again.error().code, Code::STORE_FAILED) << again.error().message;
    }
  }
  // A process that starts now finds all of the append or nothing, never a part, and can continue.
  const auto store = MUST(SqliteStore::open(path));
  EXPECT_EQ(chain_problem(*store, session_id(1)), "");
  const bool is_there = got(store->head(session_id(1))).seq == run::Seq{3};
  EXPECT_EQ(got(store->node_by_id(node_id(3))).has_value(), is_there);
  EXPECT_EQ(got(store->blob(sha256("blob 2"))).has_value(), is_there);
  EXPECT_EQ(got(table_problems(*store)), std::vector<std::string>{});
  if (!is_there) must_append(*store, step(2));
  must_append(*store, step(3));
  return true;
}

// Enforces: G2
TEST_F(sqlite_faults, whichever_operation_of_an_append_fails_nothing_is_lost_or_halved) {
  std::int64_t failed = 0;
  for (const std::int64_t times : {std::int64_t{1}, FaultVfs::forever}) {
    for (const bool writes_half : {false, true}) {
      for (std::int64_t nth = 1;; ++nth) {
        SCOPED_TRACE(cat("operation ", nth, times == 1 ? " once" : " and all after it"));
        TempDir fresh;
        if (!sweep_once(disk, fresh.path("store.db"),
                        {.nth = nth, .times = times, .writes_half = writes_half})) {
          break;
        }
        ++failed;
        ASSERT_LT(nth, 1000);
      }
    }
  }
  EXPECT_GE(failed, 20) << "an append does at least five file operations";
}

// Enforces: G2
TEST_F(sqlite_faults, a_full_disk_refuses_and_takes_appends_again_when_there_is_room) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  disk.fail({.op = FileOp::write, .times = FaultVfs::forever, .rc = SQLITE_FULL});
  for (int i = 0; i < 3; ++i) {
    const auto full = store->append(step(1));
    ASSERT_FALSE(full.has_value());
    EXPECT_EQ(full.error().code, Code::STORE_FULL);
    EXPECT_TRUE(full.error().retry.after_ms.has_value());
    EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{1});
  }
  disk.heal();
  must_append(*store, step(1));
}

TEST_F(sqlite_faults, a_file_at_its_bound_refuses_what_is_too_large_and_takes_what_is_not) {
  const auto store = MUST(SqliteStore::open(path(), {.pages_max = 64}));
  must_append(*store, start_run(1, 1, 1));
  const auto full = store->append(note(1, 1, 1, "big", std::string(400'000, 'x')));
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, Code::STORE_FULL);
  must_append(*store, note(1, 1, 1, "small", "x"));
  EXPECT_EQ(chain_problem(*store, session_id(1)), "");
}

TEST_F(sqlite_faults, a_read_only_file_is_read_and_written_again_when_it_may_be) {
  {
    must_append(*open_healthy(), start_run(1, 1, 1));
  }
  const auto holder = open_healthy();  // keeps the WAL's index, as another server would
  EXPECT_EQ(got(holder->last_commit()), run::CommitNo{1});
  disk.set_read_only(true);
  const auto store = open();
  EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{1});
  EXPECT_EQ(store->append(step(1)).error().code, Code::STORE_READ_ONLY);
  EXPECT_EQ(store->append(step(1)).error().code, Code::STORE_READ_ONLY);
  EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{1});
  disk.set_read_only(false);
  must_append(*store, step(1));
}

TEST_F(sqlite_faults, a_store_locked_by_another_process_says_when_to_retry) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto busy = store->append(step(1));
  ASSERT_FALSE(busy.has_value());
  EXPECT_EQ(busy.error().code, Code::STORE_BUSY);
  EXPECT_GT(busy.error().retry.after_ms.value_or(0), 0);
  EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{1}) << "reading goes on";
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  must_append(*store, step(1));
}

TEST_F(sqlite_faults, a_commit_that_happened_in_spite_of_its_error_is_found) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  // The first lock operation after the sync belongs to the end of the commit.
  bool has_synced = false;
  disk.set_hook([&](const adapters::sqlite::testing::FileCall& call) {
    if (call.op == FileOp::sync) has_synced = true;
    if (has_synced && call.op != FileOp::sync && call.op != FileOp::shm_lock) {
      has_synced = false;
      return usual_failure(call.op);
    }
    return SQLITE_OK;
  });
  const auto outcome = store->append(step(1));
  disk.set_hook({});
  const bool is_there = got(store->head(session_id(1))).seq == run::Seq{2};
  EXPECT_EQ(is_there, outcome.has_value()) << "told and kept must agree";
}

}  // namespace
}  // namespace baton::contract
