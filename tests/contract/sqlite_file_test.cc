// The SQLite store's file: making it, its version, its guards against editing, migrating it.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "adapters/store/sqlite/rows.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "support/acts.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

using adapters::SqliteStore;
using adapters::sqlite::Migration;

/// A bare connection beside the store, as an outside tool would have.
class Outsider {
 public:
  explicit Outsider(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK);
  }
  ~Outsider() { sqlite3_close(db_); }
  Outsider(const Outsider&) = delete;
  Outsider& operator=(const Outsider&) = delete;

  /// SQLite's message; empty when it went well.
  std::string run(const std::string& statements) {
    return sqlite3_exec(db_, statements.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK
               ? ""
               : sqlite3_errmsg(db_);
  }

  /// All rows of a query as text.
  std::string rows(const std::string& query) {
    std::string out;
    const auto add = [](void* text, int columns, char** values, char**) {
      for (int i = 0; i < columns; ++i) {
        *static_cast<std::string*>(text) += values[i] != nullptr ? values[i] : "null";
        *static_cast<std::string*>(text) += i + 1 < columns ? '|' : '\n';
      }
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(db_, query.c_str(), add, &out, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db_);
    return out;
  }

 private:
  sqlite3* db_ = nullptr;
};

/// This release's migrations and further ones, as a later release would have them.
std::vector<Migration> migrations_and(std::vector<const char*> further) {
  const auto known = adapters::sqlite::migrations();
  std::vector<Migration> out(known.begin(), known.end());
  for (const char* statements : further) out.push_back({out.back().to + 1, statements});
  return out;
}

/// Takes a file back to how it was before stores had anchors.
constexpr const char* undo_anchors =
    "DROP TRIGGER sessions_are_anchored; DROP TABLE epochs;"
    "DROP INDEX sessions_by_anchor; DROP INDEX purged_by_anchor; DROP INDEX tombstones_by_anchor;"
    "ALTER TABLE sessions DROP COLUMN anchor; ALTER TABLE purged DROP COLUMN anchor;"
    "ALTER TABLE purged DROP COLUMN seal; ALTER TABLE tombstones DROP COLUMN anchor;"
    "ALTER TABLE snapshots DROP COLUMN seal; PRAGMA user_version=2;";

void remove_anchors(const std::string& path) {
  std::filesystem::remove(path + ".heads");
  std::filesystem::remove(path + ".anchor-key");
}

struct sqlite_file : ::testing::Test {
  TempDir folder;
  std::string path = folder.path("store.db");

  std::unique_ptr<SqliteStore> open() { return MUST(SqliteStore::open(path)); }
};

int mode_of(const std::string& path) {
  struct stat found{};
  EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 0777;
}

constexpr const char* without_guards =
    "DROP TRIGGER commits_are_final; DROP TRIGGER commits_stay; DROP TRIGGER blobs_are_final;";

// Enforces: G17
TEST_F(sqlite_file, a_row_that_was_damaged_is_read_as_one_that_fits_no_commit) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  must_append(*store, advance(1, 1, {.from = 1, .to = 2}));
  const run::NodeRow whole = must_have_node(*store, 2);
  Outsider outsider(path);
  ASSERT_EQ(outsider.run(without_guards), "");
  for (const char* edit :
       {"node_id = x'00'", "kind = 7", "kind = 256", "open_steps = '{'", "open_steps = '[1]'",
        "open_steps = ''", "created_ms = -1", "parent = 1 << 50"}) {
    ASSERT_EQ(outsider.run(cat("SAVEPOINT s; UPDATE nodes SET ", edit, " WHERE depth = 1")), "");
    ASSERT_EQ(outsider.run("RELEASE s"), "");
    const auto row = store->node(whole.no);
    ASSERT_TRUE(row && *row) << edit;
    EXPECT_NE(**row, whole) << edit;
  }
  ASSERT_EQ(outsider.run("UPDATE commits SET hash = x'00', previous = x'' WHERE seq = 2"), "");
  const auto commit = got(store->commit({2}));
  ASSERT_TRUE(commit.has_value());
  EXPECT_NE(run::commit_hash(*commit), commit->hash);
  ASSERT_EQ(outsider.run("UPDATE runs SET workflow_hash = x'0000'"), "");
  EXPECT_EQ(got(store->runs(std::nullopt, 10)).size(), 1u);
  // None of this is a damaged file: writing continues, but not after a head without a hash.
  EXPECT_EQ(
      store->append(advance(1, 1, {.from = 1, .to = 3, .attempt = {.count = 1}})).error().code,
      Code::STORAGE_CORRUPTION_DETECTED);
  must_append(*store, start_run(4, 4, 4));
}

// Enforces: G17
TEST_F(sqlite_file, appends_beside_one_after_a_damaged_head_succeed) {
  const auto store = open();
  for (std::uint64_t n = 1; n <= 8; ++n) must_append(*store, start_run(n, n, n * 10));
  Outsider outsider(path);
  ASSERT_EQ(outsider.run(without_guards), "");
  ASSERT_EQ(outsider.run("UPDATE commits SET hash = x'00' WHERE commit_no = 3"), "");
  std::array<std::string, 9> codes;
  {
    std::vector<std::jthread> all;
    for (std::uint64_t n = 1; n <= 8; ++n) {
      all.emplace_back([&, n] {
        const auto outcome = store->append(advance(n, n, {.from = n * 10, .to = n * 10 + 1}));
        codes[n] = outcome ? "ok" : std::string(name_of(outcome.error().code));
      });
    }
  }
  for (std::uint64_t n = 1; n <= 8; ++n) {
    EXPECT_EQ(codes[n], n == 3 ? "STORAGE_CORRUPTION_DETECTED" : "ok") << n;
  }
}

// Enforces: G17
TEST_F(sqlite_file, a_commit_that_cannot_be_read_keeps_no_session_from_being_removed) {
  const auto store = open();
  run::CommitDraft one = start_run(1, 1, 1);
  run::CommitDraft two = start_run(2, 2, 10);
  const std::string shared = "a text of both";
  one.blobs = two.blobs = {run::Content(shared)};
  must_append(*store, one);
  must_append(*store, two);
  Outsider outsider(path);
  ASSERT_EQ(outsider.run(without_guards), "");
  ASSERT_EQ(outsider.run(cat("UPDATE commits SET body = 'cut off \"", sha256(shared).hex(),
                             "\"' WHERE commit_no = 2")),
            "");
  must_purge(*store, 1);
  EXPECT_EQ(got(store->purged(session_id(1))), true);
  EXPECT_EQ(got(store->blob(sha256(shared))), shared) << "the damaged one may need it";
}

// Enforces: G17
TEST_F(sqlite_file, a_number_that_was_never_given_uses_nothing_up) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  must_append(*store, start_run(2, 2, 10));
  Outsider outsider(path);
  ASSERT_EQ(outsider.run(without_guards), "");
  ASSERT_EQ(outsider.run(cat("UPDATE commits SET commit_no = ", limits::commit_no_max + 1,
                             " WHERE commit_no = 2; INSERT INTO "
                             "purged(session, last_commit_no, at_ms) VALUES(x'00', ",
                             limits::commit_no_max + 5, ", 0)")),
            "");
  must_append(*store, start_run(3, 3, 20));
}

TEST_F(sqlite_file, a_new_file_and_its_folders_are_the_owners_alone) {
  const std::string deep = folder.path("a/b c/store.db");
  const auto store = MUST(SqliteStore::open(deep));
  must_append(*store, start_run(1, 1, 1));
  EXPECT_EQ(mode_of(folder.path("a")), 0700);
  EXPECT_EQ(mode_of(folder.path("a/b c")), 0700);
  EXPECT_EQ(mode_of(deep), 0600);
  EXPECT_EQ(mode_of(deep + "-wal"), 0600);
}

TEST_F(sqlite_file, a_place_that_cannot_be_made_is_named) {
  std::ofstream(folder.path("file")) << "x";
  const auto store = SqliteStore::open(folder.path("file/store.db"));
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code, Code::ENVIRONMENT);
  EXPECT_NE(store.error().message.find(folder.path("file")), std::string::npos);
}

TEST_F(sqlite_file, a_closed_store_leaves_what_a_reader_needs_emptied) {
  {
    const auto store = open();
    for (std::uint64_t n = 1; n <= 50; ++n) must_append(*store, start_run(n, n, n));
  }
  EXPECT_EQ(std::filesystem::file_size(path + "-wal"), 0u);
  EXPECT_TRUE(std::filesystem::exists(path + "-shm"));
  EXPECT_EQ(got(open()->runs(std::nullopt, 100)).size(), 50u);
}

// Enforces: G1
TEST_F(sqlite_file, the_file_is_in_wal_mode_and_marked_as_ours) {
  {
    must_append(*open(), start_run(1, 1, 1));
  }
  Outsider outsider(path);
  EXPECT_EQ(outsider.rows("PRAGMA journal_mode"), "wal\n");
  EXPECT_EQ(outsider.rows("PRAGMA application_id"), cat(adapters::sqlite::application_id, '\n'));
  EXPECT_EQ(outsider.rows("PRAGMA user_version"), "3\n");
}

TEST_F(sqlite_file, an_old_library_is_refused) {
  using adapters::sqlite::check_library;
  using adapters::sqlite::sqlite_version_min;
  EXPECT_EQ(check_library(sqlite_version_min - 1).error().code, Code::ENVIRONMENT);
  EXPECT_TRUE(check_library(sqlite_version_min).has_value());
  EXPECT_TRUE(check_library(sqlite3_libversion_number()).has_value());
}

TEST_F(sqlite_file, another_programs_file_is_left_alone) {
  {
    Outsider other(path);
    ASSERT_EQ(other.run("CREATE TABLE letters(id)"), "");
  }
  EXPECT_EQ(SqliteStore::open(path).error().code, Code::STORE_CORRUPT);
  Outsider other(path);
  EXPECT_EQ(other.rows("SELECT name FROM sqlite_schema"), "letters\n");
  EXPECT_EQ(other.rows("PRAGMA journal_mode"), "delete\n");
}

TEST_F(sqlite_file, a_file_that_is_not_a_database_is_left_alone) {
  std::ofstream(path) << std::string(5000, 'x');
  EXPECT_EQ(SqliteStore::open(path).error().code, Code::STORE_CORRUPT);
}

// Enforces: G4
TEST_F(sqlite_file, commits_and_contents_cannot_be_edited_or_removed) {
  run::CommitDraft append = start_run(1, 1, 1);
  append.blobs = {run::Content("blob")};
  const auto store = open();
  must_append(*store, append);
  const std::string before = dump(*store);
  Outsider outsider(path);
  EXPECT_NE(outsider.run("UPDATE commits SET body = 'x'"), "");
  EXPECT_NE(outsider.run("UPDATE commits SET at_ms = at_ms + 1"), "");
  EXPECT_NE(outsider.run("DELETE FROM commits"), "");
  EXPECT_NE(outsider.run("UPDATE blobs SET data = x'00'"), "");
  EXPECT_NE(outsider.run("UPDATE workflows SET data = x'00'"), "");
  EXPECT_EQ(dump(*store), before);
}

// Enforces: G4
TEST_F(sqlite_file, an_edit_past_the_guards_breaks_the_chain) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  must_append(*store, note(1, 1, 1, "a", "x"));
  must_append(*store, note(1, 1, 1, "b", "x"));
  Outsider outsider(path);
  ASSERT_EQ(outsider.run("DROP TRIGGER commits_are_final"), "");
  const std::string good = outsider.rows("SELECT hex(body) FROM commits WHERE seq = 2");
  ASSERT_EQ(outsider.run("UPDATE commits SET body = body || ' ' WHERE seq = 2"), "");
  EXPECT_EQ(chain_problem(*store, session_id(1)), "seq 2: its hash is wrong");
  ASSERT_EQ(outsider.run("UPDATE commits SET body = rtrim(body) WHERE seq = 2"), "");
  EXPECT_EQ(chain_problem(*store, session_id(1)), "");
  ASSERT_EQ(outsider.run("DROP TRIGGER commits_stay; DELETE FROM commits WHERE seq = 2"), "");
  EXPECT_EQ(chain_problem(*store, session_id(1)), "seq 3: a gap before it");
}

TEST_F(sqlite_file, a_rebuild_gives_the_same_bytes_in_every_table) {
  const auto store = open();
  for (std::uint64_t s = 1; s <= 3; ++s) {
    must_append(*store, start_run(s, s, s * 100));
    for (std::uint64_t n = 0; n < 5; ++n) {
      must_append(*store, advance(s, s, {.from = s * 100 + n, .to = s * 100 + n + 1}));
    }
  }
  must_purge(*store, 2);
  const std::string tables =
      "SELECT quote(node_no),quote(node_id),run_no,parent,depth,kind,"
      "open_steps,settled_step,created_ms,snapshot,path_events,path_bytes"
      " FROM nodes UNION ALL SELECT node_no,kind,ordinal,count,outcome,"
      "0,0,0,0,0,0,0 FROM attempts UNION ALL SELECT run_no,quote(run_id),"
      "session_no,workflow_id,quote(workflow_hash),goal,started_ms,last_ms,"
      "last_commit || '/' || epoch,tip,is_complete || nodes,revoked_to FROM runs ORDER BY 1,2";
  Outsider outsider(path);
  const std::string before = outsider.rows(tables);
  ASSERT_EQ(outsider.run("UPDATE nodes SET depth = depth + 1; DELETE FROM attempts;"
                         "UPDATE runs SET goal = 'wrong'"),
            "");
  ASSERT_NE(outsider.rows(tables), before);
  ASSERT_TRUE(store->rebuild().has_value());
  EXPECT_EQ(outsider.rows(tables), before);
}

// Enforces: G13
TEST_F(sqlite_file, a_newer_file_is_read_but_not_written) {
  {
    must_append(*open(), start_run(1, 1, 1));
  }
  ASSERT_EQ(Outsider(path).run("PRAGMA user_version=99"), "");
  const auto store = open();
  EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{1});
  EXPECT_EQ(store->append(note(1, 1, 1, "n", "x")).error().code, Code::STORE_NEWER);
  EXPECT_EQ(store->purge(session_id(1), {1}, {}).error().code, Code::STORE_NEWER);
  EXPECT_EQ(store->rebuild().error().code, Code::STORE_NEWER);
  EXPECT_EQ(got(store->last_commit()), run::CommitNo{1});
}

// Enforces: G13
TEST_F(sqlite_file, an_older_file_is_copied_then_migrated) {
  {
    must_append(*open(), start_run(1, 1, 1));
  }
  const auto steps = migrations_and(
      {"ALTER TABLE runs ADD COLUMN colour TEXT", "CREATE TABLE notes(text TEXT) STRICT"});
  {
    const auto store = MUST(SqliteStore::open(path, {.migrations = steps}));
    must_append(*store, note(1, 1, 1, "n", "x"));
    EXPECT_EQ(got(store->head(session_id(1))).seq, run::Seq{2});
  }
  EXPECT_EQ(Outsider(path).rows("PRAGMA user_version"), "5\n");
  Outsider backup(path + ".v3.backup");
  EXPECT_EQ(backup.rows("PRAGMA user_version"), "3\n");
  EXPECT_EQ(backup.rows("SELECT count(*) FROM commits"), "1\n");
  EXPECT_EQ(backup.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'notes'"), "0\n");
  EXPECT_EQ(mode_of(path + ".v3.backup"), 0600);

  EXPECT_EQ(open()->append(note(1, 1, 1, "m", "x")).error().code, Code::STORE_NEWER)
      << "this release does not know version 5";
}

// Enforces: G13
TEST_F(sqlite_file, a_file_from_before_tasks_existed_still_works) {
  {
    must_append(*open(), start_run(1, 1, 1));
  }
  ASSERT_EQ(Outsider(path).run(undo_anchors), "");
  ASSERT_EQ(Outsider(path).run("ALTER TABLE runs DROP COLUMN parent; PRAGMA user_version=1"), "");
  remove_anchors(path);
  const auto store = open();
  must_append(*store, note(1, 1, 1, "n", "x"));
  const auto runs = got(store->runs(std::nullopt, 10));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].parent, std::nullopt);
  EXPECT_EQ(Outsider(path + ".v1.backup").rows("SELECT count(*) FROM commits"), "1\n");
}

// Enforces: G13
TEST_F(sqlite_file, a_migration_that_fails_leaves_the_file_as_it_was) {
  {
    must_append(*open(), start_run(1, 1, 1));
  }
  const auto steps = migrations_and({"CREATE TABLE extra(x) STRICT; nonsense"});
  EXPECT_FALSE(SqliteStore::open(path, {.migrations = steps}).has_value());
  const auto store = open();
  must_append(*store, note(1, 1, 1, "n", "x"));
  EXPECT_EQ(Outsider(path).rows("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'"), "0\n");
}

TEST_F(sqlite_file, a_new_file_goes_through_every_migration_without_a_backup) {
  const auto steps = migrations_and({"CREATE TABLE notes(text TEXT) STRICT"});
  {
    must_append(*MUST(SqliteStore::open(path, {.migrations = steps})), start_run(1, 1, 1));
  }
  EXPECT_EQ(Outsider(path).rows("PRAGMA user_version"), "4\n");
  EXPECT_FALSE(std::filesystem::exists(path + ".v0.backup"));
  EXPECT_FALSE(std::filesystem::exists(path + ".v1.backup"));
}

/// Every statement that connections run while one of these lives, as the store wrote it.
class Statements {
 public:
  Statements() { EXPECT_EQ(sqlite3_auto_extension(hook()), SQLITE_OK); }
  ~Statements() { sqlite3_cancel_auto_extension(hook()); }
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;

  std::set<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  static int watch(sqlite3* db, char**, const void*) {
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, note, nullptr);
  }
  static void (*hook())() { return reinterpret_cast<void (*)()>(watch); }
  static int note(unsigned, void*, void* statement, void*) {
    const std::lock_guard lock(mutex_);
    texts_.emplace(sqlite3_sql(static_cast<sqlite3_stmt*>(statement)));
    return 0;
  }

  static inline std::mutex mutex_;
  static inline std::set<std::string> texts_;
};

std::string plan_of(Outsider& outsider, const std::string& statement) {
  return outsider.rows("EXPLAIN QUERY PLAN " + statement);
}

/// Through every read there is but those that look at the whole store.
void read_everything(ports::EventReader& store) {
  const run::NodeNo node = must_have_node(store, 1).no;
  EXPECT_TRUE(store.node(node) && store.tombstone(node) && store.snapshot(node));
  EXPECT_TRUE(store.attempt(node, {}) && store.settled(node, {}, 0) && store.children(node, 5));
  EXPECT_TRUE(store.commit({1}) && store.commit_by_key(session_id(1), "k"));
  EXPECT_TRUE(store.log(session_id(1), {1}, 5) && store.store_log({1}, 5));
  EXPECT_TRUE(store.head(session_id(1)) && store.purged(session_id(1)) && store.last_commit());
  EXPECT_TRUE(store.blob({}) && store.workflow({}) && store.run(run_id(1)));
  EXPECT_TRUE(store.runs(std::nullopt, 5) && store.runs(run::CommitNo{1}, 5));
}

TEST_F(sqlite_file, no_read_and_no_append_walks_through_a_table) {
  Statements statements;
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  statements.take();  // making the file is another thing
  run::CommitDraft step = advance(1, 1, {.from = 1, .to = 2});
  step.blobs = {run::Content("text")};
  step.snapshot = "{}";
  must_append(*store, step);
  read_everything(*store);
  const std::set<std::string> seen = statements.take();
  Outsider outsider(path);
  std::size_t looked_at = 0;
  for (const std::string& statement : seen) {
    if (statement.starts_with("PRAGMA") || statement.starts_with("--")) continue;
    const std::string plan = plan_of(outsider, statement);
    const std::size_t scan = plan.find("SCAN ");
    const bool is_of_one_row =
        scan != std::string::npos && plan.substr(scan, 17) == "SCAN CONSTANT ROW";
    EXPECT_TRUE(scan == std::string::npos || is_of_one_row) << statement << "\n" << plan;
    ++looked_at;
  }
  EXPECT_GT(looked_at, 20u);
}

// Enforces: G9
TEST_F(sqlite_file, listing_runs_sorts_no_more_than_an_epoch_of_them) {
  Statements statements;
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  statements.take();
  EXPECT_EQ(got(store->runs(std::nullopt, 5)).size(), 1u);
  std::set<std::string> seen = statements.take();
  std::erase_if(seen, [](const std::string& text) { return text.starts_with("PRAGMA"); });
  ASSERT_EQ(seen.size(), 1u);
  Outsider outsider(path);
  const std::string plan = plan_of(outsider, *seen.begin());
  EXPECT_NE(plan.find("runs_by_epoch"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("USE TEMP B-TREE FOR ORDER BY"), std::string::npos) << plan;
}

TEST_F(sqlite_file, runs_are_listed_by_activity_across_epochs) {
  const auto store = open();
  const std::int64_t epoch = adapters::sqlite::commits_per_epoch;
  must_append(*store, start_run(1, 1, 1));
  must_append(*store, start_run(2, 2, 10));
  must_append(*store, start_run(3, 3, 20));
  std::uint64_t tip = 1;
  // Run 1 advances to the last commit of this epoch, to the first of the next, and past it.
  for (std::int64_t no = 4; no <= epoch + 2; ++no, ++tip) {
    if (no == epoch - 1) must_append(*store, advance(2, 2, {.from = 10, .to = 11}));
    const std::uint64_t next = tip == 1 ? 10'000 : tip + 1;
    must_append(*store, advance(1, 1, {.from = tip, .to = next}));
    if (tip == 1) tip = next - 1;
    const auto rows = got(store->runs(std::nullopt, 10));
    ASSERT_EQ(rows.size(), 3u);
    ASSERT_EQ(rows[0].run, run_id(1)) << no;
    ASSERT_EQ(rows[2].run, run_id(no < epoch - 1 ? 2 : 3)) << no;
  }
  must_append(*store, advance(3, 3, {.from = 20, .to = 21}));
  const auto newest = got(store->runs(std::nullopt, 1));
  EXPECT_EQ(newest.front().run, run_id(3));
  const auto older = got(store->runs(newest.front().last_commit, 10));
  ASSERT_EQ(older.size(), 2u);
  EXPECT_EQ(older[0].run, run_id(1));
  EXPECT_EQ(older[1].run, run_id(2));
  Outsider outsider(path);
  EXPECT_EQ(outsider.rows(cat("SELECT count(*) FROM runs WHERE epoch <> last_commit / ", epoch)),
            "0\n");
  ASSERT_TRUE(store->rebuild().has_value());
  EXPECT_EQ(outsider.rows(cat("SELECT count(*) FROM runs WHERE epoch <> last_commit / ", epoch)),
            "0\n");
}

// Enforces: G9
TEST_F(sqlite_file, a_long_reader_does_not_stop_writing_and_the_wal_is_reset_after_it) {
  const auto store = open();
  must_append(*store, start_run(1, 1, 1));
  Outsider reader(path);
  ASSERT_EQ(reader.run("BEGIN"), "");
  ASSERT_EQ(reader.rows("SELECT count(*) FROM commits"), "1\n");

  const auto wal_bytes = [&] { return std::filesystem::file_size(path + "-wal"); };
  constexpr auto overlong_bytes =
      static_cast<std::uintmax_t>(limits::store_wal_pages_max) * 3 * 1024;
  int written = 0;
  const auto write_one = [&] {
    must_append(*store, note(1, 1, 1, cat("n", ++written), std::string(1'000'000, 'x')));
  };
  while (wal_bytes() < overlong_bytes) write_one();
  ASSERT_EQ(reader.rows("SELECT count(*) FROM commits"), "1\n") << "it still sees its moment";
  ASSERT_EQ(reader.run("COMMIT"), "");

  // With the reader gone the WAL is begun again and cut to its usual length.
  for (int i = 0; i < 100 && wal_bytes() >= overlong_bytes; ++i) write_one();
  EXPECT_LT(wal_bytes(), overlong_bytes);
  EXPECT_EQ(chain_problem(*store, session_id(1)), "");
}

}  // namespace
}  // namespace baton::contract
