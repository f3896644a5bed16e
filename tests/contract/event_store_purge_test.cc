// The EventStore contract, third part: removing whole sessions, and what goes with them.

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "support/event_store_suite.h"

namespace baton::contract {
namespace {

using ports::Appended;
using ports::HeadMoved;

using event_store_purge = EventStoreTest;
INSTANTIATE_TEST_SUITE_P(contract, event_store_purge, ::testing::ValuesIn(store_kinds), kind_of);

/// An advance whose recorded reply refers to `text` by its hash.
run::CommitDraft advance_telling(std::uint64_t session, const Step& step, std::string text) {
  run::CommitDraft append = advance(session, session, step);
  refer_to(append, std::move(text));
  return append;
}

bool has_blob(ports::EventReader& store, std::string_view text) {
  return got(store.blob(sha256(text))).has_value();
}

TEST_P(event_store_purge, a_purged_session_leaves_a_tombstone_and_the_others_whole) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), start_run(2, 2, 2));
  const std::string kept = dump(store());
  must_append(store(), start_run(3, 3, 3));
  run::CommitDraft step = advance(3, 3, {.from = 3, .to = 4});
  step.snapshot = "{}";
  const Appended gone = must_append(store(), step);

  must_purge(store(), 3);
  reopen();
  EXPECT_EQ(dump(store()), kept);
  EXPECT_EQ(got(store().purged(session_id(3))), true);
  EXPECT_EQ(got(store().purged(session_id(2))), false);
  EXPECT_EQ(got(store().commit(gone.commit.no)), std::optional<run::Commit>{});
  EXPECT_EQ(got(store().node_by_id(node_id(4))), std::optional<run::NodeRow>{});
  EXPECT_EQ(got(store().snapshot(gone.nodes[0].no)), std::nullopt);
  EXPECT_EQ(got(store().run(run_id(3))), std::optional<run::RunRow>{});
  EXPECT_EQ(store().settled(run::NodeNo::of({3}, 0), run::AttemptKind::advance, 0)->count, 0);

  must_purge(store(), 3);  // a second time is not an error
  EXPECT_EQ(store().purge(session_id(77), {0}, WallMs{9}).error().code, Code::NOT_FOUND);
}

// Enforces: G4
TEST_P(event_store_purge, a_commit_number_is_never_used_again) {
  must_append(store(), start_run(1, 1, 1));
  const Appended last = must_append(store(), start_run(2, 2, 2));
  must_purge(store(), 2);
  EXPECT_EQ(got(store().last_commit()), last.commit.no);
  reopen();
  const Appended next = must_append(store(), start_run(3, 3, 3));
  EXPECT_EQ(next.commit.no.value, last.commit.no.value + 1);
  must_purge(store(), 3);
  must_purge(store(), 1);
  EXPECT_EQ(must_append(store(), start_run(4, 4, 4)).commit.no.value, next.commit.no.value + 1);
}

TEST_P(event_store_purge, nothing_is_appended_to_a_purged_session) {
  must_append(store(), start_run(1, 1, 1));
  must_purge(store(), 1);
  const auto outcome = store().append(start_run(1, 1, 1));
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, Code::NOT_FOUND);
}

// Enforces: G5
TEST_P(event_store_purge, a_session_that_moved_on_stays_whole) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), advance(1, 1, {.from = 1, .to = 2}));
  const std::string before = dump(store());
  const auto outcome = got(store().purge(session_id(1), {1}, WallMs{9}));
  ASSERT_TRUE(std::holds_alternative<HeadMoved>(outcome));
  EXPECT_EQ(std::get<HeadMoved>(outcome).head, run::Seq{2});
  EXPECT_TRUE(std::holds_alternative<HeadMoved>(got(store().purge(session_id(1), {3}, {}))));
  EXPECT_EQ(dump(store()), before);
  EXPECT_EQ(got(store().purged(session_id(1))), false);
  EXPECT_TRUE(got(store().workflow(sha256("{\"id\":\"flow1\"}"))).has_value());
  must_purge(store(), 1);
}

// Enforces: G22
TEST_P(event_store_purge, contents_go_with_the_last_session_that_refers_to_them) {
  const std::string workflow = "{\"id\":\"shared\"}";
  for (std::uint64_t n = 1; n <= 3; ++n) {
    run::CommitDraft start = start_run(n, n, n * 10);
    start.workflow.emplace(workflow);
    std::get<run::RunStarted>(start.events[1]).workflow_hash = sha256(workflow);
    must_append(store(), start);
    must_append(store(), advance_telling(n, {.from = n * 10, .to = n * 10 + 1}, "shared"));
    must_append(store(),
                advance_telling(n, {.from = n * 10 + 1, .to = n * 10 + 2}, cat("own ", n)));
  }
  must_purge(store(), 2);
  EXPECT_FALSE(has_blob(store(), "own 2"));
  EXPECT_TRUE(has_blob(store(), "own 1") && has_blob(store(), "own 3"));
  EXPECT_TRUE(has_blob(store(), "shared"));
  EXPECT_EQ(got(store().workflow(sha256(workflow))), workflow);

  // One more refers to a text of its own of session 1 after session 2 was looked through.
  must_append(store(), advance_telling(3, {.from = 32, .to = 33}, "own 1"));
  must_purge(store(), 1);
  EXPECT_TRUE(has_blob(store(), "own 1") && has_blob(store(), "shared"));
  reopen();
  EXPECT_EQ(got(table_problems(store())), std::vector<std::string>{});
  must_purge(store(), 3);
  for (const char* gone : {"own 1", "own 3", "shared"}) EXPECT_FALSE(has_blob(store(), gone));
  EXPECT_EQ(got(store().workflow(sha256(workflow))), std::optional<std::string>{});
}

TEST_P(event_store_purge, a_removed_content_can_be_stored_again) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), advance_telling(1, {.from = 1, .to = 2}, "text"));
  must_purge(store(), 1);
  ASSERT_FALSE(has_blob(store(), "text"));
  must_append(store(), start_run(2, 2, 10));
  must_append(store(), advance_telling(2, {.from = 10, .to = 11}, "text"));
  EXPECT_TRUE(has_blob(store(), "text"));
  ASSERT_TRUE(store().rebuild().has_value());
  must_purge(store(), 2);
  EXPECT_FALSE(has_blob(store(), "text"));
}

TEST(sqlite_purge, a_use_that_is_not_noted_as_it_must_be_is_found) {
  const TempDir folder;
  const auto store = MUST(adapters::SqliteStore::open(folder.path("store.db")));
  must_append(*store, start_run(1, 1, 1));
  must_append(*store, start_run(2, 2, 2));
  must_purge(*store, 2);
  EXPECT_EQ(got(table_problems(*store)), std::vector<std::string>{});
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(folder.path("store.db").c_str(), &db), SQLITE_OK);
  const auto run = [&](const char* statement) {
    ASSERT_EQ(sqlite3_exec(db, statement, nullptr, nullptr, nullptr), SQLITE_OK);
  };
  run("UPDATE content_uses SET session_no = 77");
  EXPECT_EQ(got(table_problems(*store)).size(), 2u) << "one is missing, one is nobody's";
  ASSERT_TRUE(store->rebuild().has_value());
  EXPECT_EQ(got(table_problems(*store)), std::vector<std::string>{});
  sqlite3_close(db);
}

// Enforces: G9
TEST(sqlite_purge, reads_a_log_of_any_length_a_part_at_a_time) {
  for (const std::size_t more : {0, 1, 2}) {
    const TempDir folder;
    const auto store = MUST(adapters::SqliteStore::open(folder.path("store.db")));
    must_append(*store, start_run(1, 1, 1));
    must_append(*store, advance_telling(1, {.from = 1, .to = 2}, "in use"));
    must_append(*store, start_run(2, 2, 10));
    must_append(*store, advance_telling(2, {.from = 10, .to = 11}, "in use"));
    for (std::size_t n = 4; n < limits::content_scan_commits - 1 + more; ++n) {
      must_append(*store, note(2, 2, 10, cat("n", n), "x"));
    }
    must_append(*store, advance_telling(1, {.from = 2, .to = 3}, "of the last"));
    const std::int64_t groups = store->counts().groups;
    must_purge(*store, 1);
    // Up to the bound one part is noted, past it two; then there is the removal.
    EXPECT_EQ(store->counts().groups - groups, more == 0 ? 2 : 3) << more;
    EXPECT_TRUE(has_blob(*store, "in use"));
    EXPECT_FALSE(has_blob(*store, "of the last"));
  }
}

}  // namespace
}  // namespace baton::contract
