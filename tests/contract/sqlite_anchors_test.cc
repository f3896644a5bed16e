// What happens to a store's files from outside: older copies put back, files removed, replaced or
// cut short, under a running server and between two.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "adapters/store/sqlite/connection.h"
#include "adapters/store/sqlite/heads/heads_file.h"
#include "adapters/store/sqlite/heads/lost_heads.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "support/acts.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

namespace fs = std::filesystem;
using adapters::SqliteStore;
using adapters::sqlite::AnchoredHead;
using adapters::sqlite::AnchorKey;
using adapters::sqlite::AnchorMark;
using adapters::sqlite::HeadsFile;

// What belongs together.
const std::vector<std::string> ends = {"", "-wal", "-shm", ".heads", ".anchor-key"};

struct sqlite_anchors : ::testing::Test {
  TempDir folder;
  std::string path = folder.path("store.db");
  std::string copy = folder.path("copy.db");

  std::unique_ptr<SqliteStore> open() { return MUST(SqliteStore::open(path)); }

  /// As a process that is killed between a commit and its anchor.
  std::unique_ptr<SqliteStore> open_without_anchors() {
    return MUST(SqliteStore::open(path, {.vfs = "unix"}));
  }

  void copy_files(const std::string& from, const std::string& to,
                  const std::vector<std::string>& which = ends) {
    for (const std::string& end : which) {
      fs::remove(to + end);
      if (fs::exists(from + end)) fs::copy_file(from + end, to + end);
    }
  }

  /// A store with two commits, copied, and two more.
  void make_and_outgrow_a_copy() {
    {
      const auto store = open();
      must_append(*store, start_run(1, 1, 1));
      must_append(*store, note(1, 1, 1, "a", "x"));
    }
    copy_files(path, copy);
    const auto store = open();
    must_append(*store, note(1, 1, 1, "b", "x"));
    must_append(*store, start_run(2, 2, 2));
  }

  /// The same file with the bytes of another one.
  static void overwrite(const std::string& file, const std::string& with) {
    std::ifstream in(with, std::ios::binary);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << in.rdbuf();
  }

  static void restore(const std::string& from, const std::string& to) {
    sqlite3* source = nullptr;
    sqlite3* target = nullptr;
    ASSERT_EQ(sqlite3_open(from.c_str(), &source), SQLITE_OK);
    ASSERT_EQ(sqlite3_open(to.c_str(), &target), SQLITE_OK);
    sqlite3_backup* backup = sqlite3_backup_init(target, "main", source, "main");
    ASSERT_NE(backup, nullptr) << sqlite3_errmsg(target);
    EXPECT_EQ(sqlite3_backup_step(backup, -1), SQLITE_DONE);
    EXPECT_EQ(sqlite3_backup_finish(backup), SQLITE_OK);
    sqlite3_close(source);
    sqlite3_close(target);
  }

  Code refused(SqliteStore& store) {
    const auto outcome = store.append(note(1, 1, 1, "refused", "x"));
    EXPECT_FALSE(outcome) << "the append was acknowledged";
    return outcome ? Code::USAGE : outcome.error().code;
  }
};

// Enforces: G18
TEST_F(sqlite_anchors, an_older_store_beside_newer_heads_is_read_and_not_written) {
  make_and_outgrow_a_copy();
  copy_files(copy, path, {"", "-wal", "-shm"});
  const auto store = open();
  EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{2});
  const Error error = store->append(note(1, 1, 1, "n", "x")).error();
  EXPECT_EQ(error.code, Code::STORE_ROLLED_BACK);
  EXPECT_NE(error.message.find("commits 3 to 4 are missing"), std::string::npos) << error.message;
  EXPECT_EQ(store->purge(session_id(1), {2}, {}).error().code, Code::STORE_ROLLED_BACK);
  EXPECT_EQ(store->rebuild().error().code, Code::STORE_ROLLED_BACK);
}

// Enforces: G18
TEST_F(sqlite_anchors, an_older_store_that_was_written_on_elsewhere_is_noticed) {
  make_and_outgrow_a_copy();
  copy_files(copy, path, {"", "-wal", "-shm"});
  for (const char* key : {"c", "d", "e"}) {
    must_append(*open_without_anchors(), note(1, 1, 1, key, "x"));
  }
  EXPECT_EQ(refused(*open()), Code::STORE_ROLLED_BACK);
}

TEST_F(sqlite_anchors, a_complete_copy_of_the_files_works) {
  make_and_outgrow_a_copy();
  copy_files(copy, path);
  must_append(*open(), note(1, 1, 1, "c", "x"));
  EXPECT_EQ(got(open()->head(session_id(1))).seq, run::Seq{3});
}

// Enforces: G18
TEST_F(sqlite_anchors, a_store_without_its_heads_or_their_key_is_read_and_not_written) {
  for (const char* end : {".heads", ".anchor-key"}) {
    make_and_outgrow_a_copy();
    fs::remove(path + end);
    const auto store = open();
    EXPECT_EQ(refused(*store), Code::STORE_ROLLED_BACK) << end;
    EXPECT_EQ(got(store->last_commit()), run::CommitNo{4}) << end;
    EXPECT_FALSE(fs::exists(path + end)) << "a missing file is never made anew";
    copy_files(folder.path("none"), path);
  }
}

TEST_F(sqlite_anchors, the_heads_of_another_store_are_not_taken) {
  make_and_outgrow_a_copy();
  const std::string other = folder.path("other.db");
  must_append(*MUST(SqliteStore::open(other)), start_run(7, 7, 7));
  copy_files(other, path, {".heads", ".anchor-key"});
  EXPECT_EQ(refused(*open()), Code::STORE_ROLLED_BACK);
}

// Enforces: G18
TEST_F(sqlite_anchors, the_next_process_anchors_what_a_killed_one_left) {
  must_append(*open(), start_run(1, 1, 1));
  copy_files(path, copy);
  must_append(*open_without_anchors(), note(1, 1, 1, "a", "x"));
  {
    const auto store = open();
  }
  copy_files(copy, path, {"", "-wal", "-shm"});
  EXPECT_EQ(refused(*open()), Code::STORE_ROLLED_BACK);
}

TEST_F(sqlite_anchors, two_processes_anchor_each_others_commits) {
  const auto one = open();
  const auto two = open();
  must_append(*one, start_run(1, 1, 1));
  must_append(*two, start_run(2, 2, 2));
  must_append(*one, note(2, 2, 2, "a", "x"));
  must_append(*two, note(1, 1, 1, "b", "x"));
  const AnchorKey key = MUST(AnchorKey::open(path));
  HeadsFile heads = MUST(HeadsFile::open(HeadsFile::path_of(path), key, ::geteuid()));
  EXPECT_EQ(MUST(heads.mark())->commit, run::CommitNo{4});
  EXPECT_EQ(MUST(heads.head(1))->seq, run::Seq{2});
  EXPECT_EQ(MUST(heads.head(2))->hash, got(one->head(session_id(2))).hash);
}

// Enforces: G18
TEST_F(sqlite_anchors, accepting_the_loss_begins_an_epoch_and_keeps_the_old_heads) {
  make_and_outgrow_a_copy();
  copy_files(copy, path, {"", "-wal", "-shm"});
  {
    const auto store = open();
    EXPECT_EQ(refused(*store), Code::STORE_ROLLED_BACK);
    EXPECT_EQ(got(store->accept_loss()), 2);
  }
  const auto store = open();
  must_append(*store, note(1, 1, 1, "c", "x"));
  EXPECT_TRUE(fs::exists(path + ".heads.epoch-1"));
  EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{3});
}

TEST_F(sqlite_anchors, accepting_the_loss_creates_a_missing_key) {
  make_and_outgrow_a_copy();
  fs::remove(path + ".anchor-key");
  EXPECT_EQ(got(open()->accept_loss()), 2);
  must_append(*open(), note(1, 1, 1, "c", "x"));
}

// --- under a running server ---------------------------------------------------------------------

// Enforces: G18
TEST_F(sqlite_anchors, a_file_that_is_replaced_or_removed_stops_writing_before_the_reply) {
  for (const char* end : {"", "-wal", "-shm", ".heads"}) {
    for (const bool is_replaced : {true, false}) {
      make_and_outgrow_a_copy();
      const auto store = open();
      must_append(*store, note(1, 1, 1, "c", "x"));
      if (is_replaced) {
        fs::copy_file(path + end, path + ".new");
        fs::rename(path + ".new", path + end);
      } else {
        fs::remove(path + end);
      }
      EXPECT_EQ(refused(*store), Code::STORE_REPLACED) << end << is_replaced;
      EXPECT_EQ(refused(*store), Code::STORE_REPLACED) << "and it stays stopped";
      const auto seen = store->last_commit();
      ASSERT_FALSE(seen) << "a commit that was refused is not read back: " << end;
      EXPECT_EQ(seen.error().code, Code::STORE_REPLACED);
      copy_files(folder.path("none"), path);
    }
  }
}

TEST_F(sqlite_anchors, a_moved_store_stops_writing) {
  make_and_outgrow_a_copy();
  const auto store = open();
  fs::rename(path, folder.path("moved.db"));
  EXPECT_EQ(refused(*store), Code::STORE_REPLACED);
}

// Enforces: G18
TEST_F(sqlite_anchors, a_file_that_is_cut_short_stops_writing) {
  for (const char* end : {"", "-wal"}) {
    make_and_outgrow_a_copy();
    const auto store = open();
    must_append(*store, note(1, 1, 1, "c", "x"));
    ASSERT_EQ(::truncate((path + end).c_str(), 0), 0);
    const Code code = refused(*store);
    EXPECT_TRUE(code == Code::STORE_REPLACED || code == Code::STORE_CORRUPT ||
                code == Code::STORE_FAILED)
        << end << ' ' << name_of(code);
    copy_files(folder.path("none"), path);
  }
}

// Enforces: G18
TEST_F(sqlite_anchors, an_older_state_copied_into_the_open_file_is_noticed) {
  make_and_outgrow_a_copy();
  const auto store = open();
  EXPECT_EQ(got(store->last_commit()), run::CommitNo{4});
  // As `cp` does: the same file with the bytes of the older one.
  std::ofstream(path, std::ios::binary | std::ios::in)
      << std::ifstream(copy, std::ios::binary).rdbuf();
  const Code code = refused(*store);
  EXPECT_TRUE(code == Code::STORE_ROLLED_BACK || code == Code::STORE_REPLACED ||
              code == Code::STORE_CORRUPT)
      << name_of(code);
}

// Enforces: G18
TEST_F(sqlite_anchors, older_files_copied_over_all_open_ones_are_noticed) {
  make_and_outgrow_a_copy();
  const auto store = open();
  must_append(*store, note(1, 1, 1, "c", "x"));
  // As `cp -a` does: the same files with other bytes, and with the times they had.
  for (const char* end : {"", "-wal", "-shm", ".heads", ".anchor-key"}) {
    overwrite(path + end, copy + end);
    fs::last_write_time(path + end, fs::last_write_time(copy + end));
  }
  const Code code = refused(*store);
  EXPECT_TRUE(code == Code::STORE_ROLLED_BACK || code == Code::STORE_REPLACED) << name_of(code);
}

// Enforces: G18
TEST_F(sqlite_anchors, a_copy_restored_through_sqlite_under_an_open_store_is_noticed) {
  make_and_outgrow_a_copy();
  const auto store = open();
  must_append(*store, note(1, 1, 1, "c", "x"));
  // As the sqlite3 program's `.restore` does, and the heads with it: every file is as SQLite wants
  // it, so only what this process remembers can tell.
  restore(copy, path);
  overwrite(path + ".heads", copy + ".heads");
  EXPECT_EQ(refused(*store), Code::STORE_ROLLED_BACK);
}

// Enforces: G18
TEST_F(sqlite_anchors, a_wal_that_was_overwritten_in_place_is_noticed) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  fs::copy_file(path + "-wal", copy + "-wal");
  must_append(*store, note(1, 1, 1, "a", "x"));
  overwrite(path + "-wal", copy + "-wal");
  EXPECT_EQ(refused(*store), Code::STORE_REPLACED);
}

// Enforces: G18
TEST_F(sqlite_anchors, a_folder_whose_time_was_set_back_hides_nothing) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  const auto before = fs::last_write_time(folder.path(""));
  fs::rename(path + "-wal", copy + "-wal");
  fs::last_write_time(folder.path(""), before);
  EXPECT_EQ(refused(*store), Code::STORE_REPLACED);
}

// Enforces: G18
TEST_F(sqlite_anchors, a_folder_in_the_place_of_the_stores_is_noticed) {
  const std::string inner = folder.path("inner");
  fs::create_directory(inner);
  path = cat(inner, "/store.db");
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  fs::rename(inner, folder.path("away"));
  fs::create_directory(inner);
  for (const char* end : {"", "-wal", "-shm", ".heads", ".anchor-key"}) {
    fs::create_hard_link(cat(folder.path("away"), "/store.db", end), path + end);
  }
  const auto outcome = store->append(note(1, 1, 1, "a", "x"));
  ASSERT_FALSE(outcome) << "the append was acknowledged";
  EXPECT_EQ(outcome.error().code, Code::STORE_REPLACED);
}

// Enforces: G18
TEST_F(sqlite_anchors, heads_and_key_that_are_cut_short_in_place_stop_writing) {
  const std::pair<const char*, off_t> cuts[] = {
      {".heads", 0}, {".heads", 256}, {".anchor-key", 0}};  // 256: the mark alone
  for (const auto& [end, bytes] : cuts) {
    make_and_outgrow_a_copy();
    const auto store = open();
    must_append(*store, note(1, 1, 1, "c", "x"));
    ASSERT_EQ(::truncate((path + end).c_str(), bytes), 0);
    EXPECT_EQ(refused(*store), Code::STORE_REPLACED) << end << bytes;
    copy_files(folder.path("none"), path);
  }
}

// Enforces: G18
TEST_F(sqlite_anchors, a_store_that_lost_its_epochs_is_not_taken_for_a_new_one) {
  make_and_outgrow_a_copy();
  {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, "DELETE FROM epochs", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
  }
  fs::remove(path + ".heads");
  const auto store = open();
  EXPECT_EQ(refused(*store), Code::STORE_ROLLED_BACK);
  EXPECT_EQ(got(store->accept_loss()), 1);
  must_append(*open(), note(1, 1, 1, "c", "x"));
}

// Enforces: G17, G18
TEST_F(sqlite_anchors, a_file_that_lost_most_sessions_is_noticed_and_one_damaged_session_borne) {
  for (const bool is_most : {false, true}) {
    const auto store = open();
    for (const int n : {1, 2, 3, 4}) must_append(*store, start_run(n, n, n));
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    std::string drops;
    ASSERT_EQ(sqlite3_exec(
                  db, "SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'",
                  [](void* out, int, char** values, char**) {
                    *static_cast<std::string*>(out) += cat(values[0], ';');
                    return 0;
                  },
                  &drops, nullptr),
              SQLITE_OK);
    // The checkpoint writes the store's file, as older bytes would.
    const std::string lost = cat(drops, "DELETE FROM commits WHERE commit_no IN (",
                                 is_most ? "1, 2, 3" : "1", "); PRAGMA wal_checkpoint");
    EXPECT_EQ(sqlite3_exec(db, lost.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
    const auto outcome = store->append(note(4, 4, 4, "a", "x"));
    ASSERT_EQ(outcome.has_value(), !is_most);
    EXPECT_EQ(outcome ? Code::STORE_ROLLED_BACK : outcome.error().code, Code::STORE_ROLLED_BACK);
    copy_files(folder.path("none"), path);
  }
}

// --- the heads file -----------------------------------------------------------------------------

struct heads_file : ::testing::Test {
  TempDir folder;
  std::string path = folder.path("store.db.heads");
  AnchorKey key = AnchorKey::of(std::array<std::uint8_t, 32>{1, 2, 3}).value();

  static AnchorMark mark(std::int64_t commit) { return {{9}, 1, {commit}, {}}; }

  HeadsFile make() {
    MUST(HeadsFile::create(path, key, mark(0)));
    return MUST(HeadsFile::open(path, key, ::geteuid()));
  }
  static AnchoredHead head(std::int64_t commit) {
    return {session_id(1), {commit}, {commit}, sha256(std::to_string(commit))};
  }
  void flip(std::int64_t place) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(place);
    const char byte = static_cast<char>(file.get() ^ 0x40);
    file.seekp(place);
    file.put(byte);
  }
};

TEST_F(heads_file, a_torn_slot_falls_back_to_the_other) {
  HeadsFile heads = make();
  MUST(heads.write(3, head(10)));
  MUST(heads.write(3, head(11)));
  EXPECT_EQ(MUST(heads.head(3)), head(11));
  flip(3 * 256 + 128 + 30);
  EXPECT_EQ(MUST(heads.head(3)), head(10));
  MUST(heads.write(mark(11)));
  EXPECT_EQ(MUST(heads.mark())->commit, run::CommitNo{11});
  flip(128 + 30);
  EXPECT_EQ(MUST(heads.mark())->commit, run::CommitNo{0});
  flip(30);
  EXPECT_EQ(MUST(heads.mark()), std::nullopt);
}

TEST_F(heads_file, no_byte_of_a_record_can_be_changed_or_moved) {
  HeadsFile heads = make();
  MUST(heads.write(2, head(10)));
  for (std::int64_t byte = 0; byte < 112; ++byte) {
    flip(2 * 256 + byte);
    EXPECT_EQ(MUST(heads.head(2)), std::nullopt) << byte;
    flip(2 * 256 + byte);
  }
  EXPECT_EQ(MUST(heads.head(2)), head(10));
  // The same bytes as another session's record.
  std::string bytes(256, '\0');
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(2 * 256);
  file.read(bytes.data(), std::ssize(bytes));
  file.seekp(5 * 256);
  file.write(bytes.data(), std::ssize(bytes));
  file.close();
  EXPECT_EQ(MUST(heads.head(5)), std::nullopt);
}

TEST_F(heads_file, the_mark_says_what_was_synced_and_keeps_it) {
  HeadsFile heads = make();
  MUST(heads.write(1, head(10)));
  MUST(heads.write(mark(10)));
  EXPECT_EQ(MUST(heads.mark())->synced, run::CommitNo{0});
  MUST(heads.sync());
  HeadsFile other = MUST(HeadsFile::open(path, key, ::geteuid()));
  AnchorMark seen = MUST(other.mark()).value();
  EXPECT_EQ(seen.synced, run::CommitNo{10});
  seen.commit = {11};
  MUST(other.write(seen));
  EXPECT_EQ(MUST(heads.mark()), seen);
}

// Enforces: G4
TEST_F(sqlite_anchors, a_record_that_was_synced_and_is_gone_is_lost_and_an_unsynced_one_is_not) {
  {
    const auto store = open();
    must_append(*store, start_run(1, 1, 1));
    must_append(*store, note(1, 1, 1, "a", "x"));
  }
  adapters::sqlite::Health health;
  const auto connection = MUST(adapters::sqlite::Connection::open(
      {path, "", limits::store_busy_ms_max}, adapters::sqlite::Access::read, health));
  const AnchorKey key = MUST(AnchorKey::open(path));
  HeadsFile heads = MUST(HeadsFile::open(path + ".heads", key, ::geteuid()));
  AnchorMark mark = MUST(heads.mark()).value();
  EXPECT_EQ(mark.synced, mark.commit) << "closing a store syncs its heads";
  const auto lost = [&](std::int64_t synced, const std::optional<AnchoredHead>& head) {
    std::vector<std::pair<std::int64_t, AnchoredHead>> records;
    if (head) records.emplace_back(1, *head);
    mark.synced = {synced};
    return MUST(adapters::sqlite::lost_heads(*connection, mark, records)).size();
  };
  const AnchoredHead now = MUST(heads.head(1)).value();
  AnchoredHead before = now;
  before.seq = {1};
  EXPECT_EQ(lost(2, now), 0u);
  EXPECT_EQ(lost(2, before), 1u);
  EXPECT_EQ(lost(2, std::nullopt), 1u);
  EXPECT_EQ(lost(1, before), 0u) << "the last write may be torn";
  EXPECT_EQ(lost(0, std::nullopt), 0u) << "nothing was synced yet";
}

// --- bounds -------------------------------------------------------------------------------------

TEST_F(sqlite_anchors, heads_that_cannot_be_written_are_borne_for_so_many_commits) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  // The store's own descriptor of the heads can only be read from now on.
  const int readable = ::open((path + ".heads").c_str(), O_RDONLY);
  ASSERT_GE(readable, 0);
  for (const auto& each : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const int number = static_cast<int>(parse_int(each.path().filename().string()).value_or(-1));
    const bool is_heads = fs::read_symlink(each.path(), gone) == path + ".heads";
    if (number == readable || !is_heads || (::fcntl(number, F_GETFL) & O_ACCMODE) != O_RDWR) {
      continue;
    }
    ASSERT_GE(::dup2(readable, number), 0);
  }
  ::close(readable);
  for (std::int64_t i = 0; i <= limits::anchor_lag_commits_max; ++i) {
    must_append(*store, note(1, 1, 1, cat("n", i), "x"));
  }
  EXPECT_EQ(refused(*store), Code::ENVIRONMENT);
}

// Enforces: G9
TEST_F(sqlite_anchors, a_reader_that_never_ends_cannot_grow_the_wal_past_its_ceiling) {
  static_assert(limits::store_wal_pages_ceiling * 1'048 <= std::int64_t{1} << 30);
  const auto store = MUST(SqliteStore::open(path, {.wal_pages_ceiling = 200}));
  must_append(*store, start_run(1, 1, 1));
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &reader), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM commits", nullptr, nullptr, nullptr),
            SQLITE_OK);
  int written = 0;
  Code code = Code::INTERNAL;
  for (; written < 1'000; ++written) {
    const auto outcome = store->append(note(1, 1, 1, cat("n", written), "x"));
    if (outcome) continue;
    code = outcome.error().code;
    break;
  }
  EXPECT_EQ(code, Code::STORE_BUSY);
  EXPECT_GT(written, 20);
  EXPECT_LT(fs::file_size(path + "-wal"), 400u * 1'048u);
  ASSERT_EQ(sqlite3_exec(reader, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  must_append(*store, note(1, 1, 1, "after", "x"));
  sqlite3_close(reader);
}

// --- planted files ------------------------------------------------------------------------------

TEST_F(sqlite_anchors, a_planted_link_beside_the_store_is_refused) {
  for (const char* end :
       {"-wal", "-shm", "-bell", ".heads", ".anchor-key", ".keys", ".search", ".aux"}) {
    std::ofstream(folder.path("elsewhere")) << "theirs";
    fs::create_symlink(folder.path("elsewhere"), path + end);
    const auto store = SqliteStore::open(path);
    ASSERT_FALSE(store) << end;
    EXPECT_EQ(store.error().code, Code::ENVIRONMENT) << end;
    EXPECT_EQ(fs::file_size(folder.path("elsewhere")), 6u) << end;
    fs::remove(path + end);
  }
}

TEST_F(sqlite_anchors, a_store_behind_a_link_is_refused_before_anything_is_made) {
  const std::string link = folder.path("link.db");
  for (const bool is_dangling : {true, false}) {
    const std::string target = folder.path("target.db");
    if (!is_dangling) {
      ASSERT_TRUE(SqliteStore::open(target));
    }
    fs::create_symlink(target, link);
    const auto store = SqliteStore::open(link);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, Code::ENVIRONMENT);
    EXPECT_TRUE(store.error().message.contains("link.db is a symbolic link"));
    EXPECT_EQ(fs::exists(target), !is_dangling);
    for (const char* end : {"-wal", ".heads", ".anchor-key", "-bell"}) {
      EXPECT_FALSE(fs::exists(link + end)) << end;
    }
    fs::remove(link);
  }
}

TEST_F(sqlite_anchors, a_store_of_another_user_is_refused_before_anything_is_made) {
  if (::geteuid() != 0) return;
  const std::string theirs = folder.path("theirs.db");
  std::ofstream(theirs) << "";
  ASSERT_EQ(::chown(theirs.c_str(), 12345, 12345), 0);
  const auto store = SqliteStore::open(theirs);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, Code::ENVIRONMENT);
  EXPECT_TRUE(store.error().message.contains("belongs to another user"));
  EXPECT_EQ(fs::file_size(theirs), 0u);
  for (const char* end : {"-wal", "-shm", ".heads", ".anchor-key", "-bell"}) {
    EXPECT_FALSE(fs::exists(theirs + end)) << end;
  }
}

TEST_F(sqlite_anchors, a_new_store_is_for_its_owner_alone) {
  const std::string fresh = folder.path("fresh.db");
  const auto store = MUST(SqliteStore::open(fresh));
  for (const char* end : {"", "-wal", "-shm", ".heads", ".anchor-key"}) {
    struct stat found{};
    ASSERT_EQ(::stat((fresh + end).c_str(), &found), 0) << end;
    EXPECT_EQ(found.st_mode & 0777, 0600u) << end;
  }
}

TEST_F(sqlite_anchors, a_planted_file_of_another_user_is_refused) {
  if (::geteuid() != 0) return;
  for (const char* end : {"-wal", "-shm", "-bell", ".heads", ".anchor-key", ".search", ".aux"}) {
    std::ofstream(path + end) << "";
    ASSERT_EQ(::chown((path + end).c_str(), 12345, 12345), 0);
    const auto store = SqliteStore::open(path);
    ASSERT_FALSE(store) << end;
    EXPECT_EQ(store.error().code, Code::ENVIRONMENT) << end;
    fs::remove(path + end);
  }
}

}  // namespace
}  // namespace baton::contract
