// The EventStore contract, first part: the log. Compare-and-append, dedupe keys, the hash chain,
// order.

#include "base/text/text.h"
#include "support/event_store_suite.h"

namespace baton::contract {
namespace {

using ports::AlreadyRecorded;
using ports::Appended;
using ports::HeadMoved;

using event_store_log = EventStoreTest;
INSTANTIATE_TEST_SUITE_P(contract, event_store_log, ::testing::ValuesIn(store_kinds), kind_of);

TEST_P(event_store_log, an_empty_store_has_nothing) {
  EXPECT_EQ(got(store().head(session_id(1))), run::SessionHead{});
  EXPECT_EQ(got(store().last_commit()), run::CommitNo{0});
  EXPECT_EQ(got(store().commit({1})), std::optional<run::Commit>{});
  EXPECT_EQ(got(store().node({16})), std::optional<run::NodeRow>{});
  EXPECT_EQ(got(store().purged(session_id(1))), false);
  EXPECT_TRUE(store().log(session_id(1), {0}, 10)->empty());
  EXPECT_TRUE(store().runs(std::nullopt, 10)->empty());
}

TEST_P(event_store_log, an_append_gives_back_the_commit_that_is_read_later) {
  const run::CommitDraft asked = start_run(1, 1, 1);
  const Appended appended = must_append(store(), asked);
  EXPECT_EQ(appended.commit.no, run::CommitNo{1});
  EXPECT_EQ(appended.commit.seq, run::Seq{1});
  EXPECT_EQ(appended.commit.at, asked.at);
  EXPECT_EQ(appended.commit.dedupe_key, asked.dedupe_key);
  EXPECT_EQ(run::decode_events(appended.commit.body), asked.events);
  ASSERT_EQ(appended.nodes.size(), 1u);
  EXPECT_EQ(appended.nodes[0].no, run::NodeNo::of({1}, 0));

  EXPECT_EQ(got(store().commit({1})), appended.commit);
  EXPECT_EQ(got(store().commit_by_key(session_id(1), "start:1")), appended.commit);
  EXPECT_EQ(got(store().commit_by_key(session_id(2), "start:1")), std::optional<run::Commit>{});
  EXPECT_EQ(got(store().commit_by_key(session_id(1), "start:2")), std::optional<run::Commit>{});
  reopen();
  EXPECT_EQ(got(store().commit({1})), appended.commit);
  EXPECT_EQ(got(store().last_commit()), run::CommitNo{1});
}

TEST_P(event_store_log, the_latest_commit_with_a_kind_of_key_is_found_by_how_it_begins) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), start_run(2, 2, 10));
  EXPECT_EQ(got(store().newest_by_prefix(session_id(1), "revoke:")), std::nullopt);
  // Keys do not rise with the log.
  for (const char* key : {"revoke:b", "revoke:c", "revoke:a", "revoke", "revok:z", "revoke;"}) {
    must_append(store(), note(1, 1, 1, key, key));
  }
  must_append(store(), note(2, 2, 10, "revoke:z", "of another session"));
  const auto found = got(store().newest_by_prefix(session_id(1), "revoke:"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->dedupe_key, "revoke:a");
  EXPECT_EQ(got(store().newest_by_prefix(session_id(3), "revoke:")), std::nullopt);
}

// Enforces: G8
TEST_P(event_store_log, what_a_token_is_checked_against_is_in_the_rows_and_in_the_log) {
  const Appended made = must_append(store(), start_run(1, 1, 1));
  const Appended gone = must_append(store(), start_run(2, 2, 10));
  const run::NodeRow row = must_have_node(store(), 1);
  const run::TokenSubject subject{row.id, row.open_steps, false};
  EXPECT_EQ(got(store().token_subject(made.nodes[0].no)), subject);
  EXPECT_EQ(got(store().logged_subject(made.nodes[0].no)), subject);
  const auto removed = got(store().token_subject(gone.nodes[0].no));
  must_purge(store(), 2);
  const auto grave = got(store().token_subject(gone.nodes[0].no));
  ASSERT_TRUE(removed && grave);
  EXPECT_EQ(grave->id, removed->id);
  EXPECT_EQ(grave->open_steps, removed->open_steps);
  EXPECT_TRUE(grave->is_removed);
  EXPECT_EQ(got(store().logged_subject(gone.nodes[0].no)), std::nullopt);
  EXPECT_EQ(got(store().token_subject({99'999})), std::nullopt);
}

// Enforces: G5
TEST_P(event_store_log, an_append_after_another_head_is_refused_and_changes_nothing) {
  must_append(store(), start_run(1, 1, 1));
  run::CommitDraft late = advance(1, 1, {.from = 1, .to = 2});
  late.expected = run::Seq{1};
  must_append(store(), late);
  const std::string before = dump(store());

  run::CommitDraft behind = advance(1, 1, {.from = 1, .to = 3, .attempt = {.count = 1}});
  behind.expected = run::Seq{1};
  behind.blobs = {run::Content("a blob of the refused")};
  const auto outcome = store().append(behind);
  ASSERT_TRUE(outcome.has_value());
  ASSERT_TRUE(std::holds_alternative<HeadMoved>(*outcome));
  EXPECT_EQ(std::get<HeadMoved>(*outcome).head, run::Seq{2});

  run::CommitDraft ahead = behind;
  ahead.expected = run::Seq{3};
  ASSERT_TRUE(std::holds_alternative<HeadMoved>(*store().append(ahead)));
  EXPECT_EQ(dump(store()), before);
  EXPECT_EQ(got(store().blob(sha256("a blob of the refused"))), std::optional<std::string>{});
}

TEST_P(event_store_log, without_an_expected_head_an_append_goes_after_the_latest) {
  must_append(store(), start_run(1, 1, 1));
  for (int i = 0; i < 5; ++i) must_append(store(), note(1, 1, 1, cat("n", i), "x"));
  EXPECT_EQ(store().head(session_id(1))->seq, run::Seq{6});
}

// Enforces: G22
TEST_P(event_store_log, a_key_is_recorded_once_for_any_expected_head) {
  must_append(store(), start_run(1, 1, 1));
  const Appended first = must_append(store(), advance(1, 1, {.from = 1, .to = 2}));
  must_append(store(), note(1, 1, 2, "later", "x"));
  const std::string before = dump(store());

  for (const std::optional<run::Seq> expected :
       {std::optional<run::Seq>{}, std::optional(run::Seq{0}), std::optional(run::Seq{1}),
        std::optional(run::Seq{3})}) {
    run::CommitDraft again = advance(1, 1, {.from = 1, .to = 9, .notes = "another output"});
    again.expected = expected;
    const auto outcome = store().append(again);
    ASSERT_TRUE(outcome.has_value());
    ASSERT_TRUE(std::holds_alternative<AlreadyRecorded>(*outcome));
    EXPECT_EQ(std::get<AlreadyRecorded>(*outcome).commit, first.commit.no);
  }
  EXPECT_EQ(dump(store()), before);
}

TEST_P(event_store_log, the_same_key_in_another_session_is_another_act) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), start_run(2, 2, 2));
  must_append(store(), note(1, 1, 1, "same", "x"));
  must_append(store(), note(2, 2, 2, "same", "x"));
}

// Enforces: G4
TEST_P(event_store_log, every_commit_carries_the_hash_of_the_one_before) {
  for (std::uint64_t s = 1; s <= 3; ++s) must_append(store(), start_run(s, s, s));
  for (int i = 0; i < 20; ++i) {
    const auto s = static_cast<std::uint64_t>(i % 3 + 1);
    must_append(store(), note(s, s, s, cat("n", i), cat("text ", i)));
  }
  for (std::uint64_t s = 1; s <= 3; ++s) EXPECT_EQ(chain_problem(store(), session_id(s)), "");
  reopen();
  for (std::uint64_t s = 1; s <= 3; ++s) EXPECT_EQ(chain_problem(store(), session_id(s)), "");
}

// Enforces: G11
TEST_P(event_store_log, order_does_not_follow_the_clock) {
  must_append(store(), start_run(1, 1, 1));
  const std::int64_t jumps[] = {5, -3'600'000, 0, INT64_MAX / 2, 1, -10};
  int i = 0;
  for (const std::int64_t at : jumps) {
    run::CommitDraft append = note(1, 1, 1, cat("n", i++), "x");
    append.at = WallMs{at};
    must_append(store(), append);
  }
  must_append(store(), start_run(2, 2, 2));
  run::CommitDraft back = advance(1, 1, {.from = 1, .to = 3});
  back.at = WallMs{-1'000'000};
  must_append(store(), back);

  const auto log = store().log(session_id(1), {1}, 100);
  ASSERT_EQ(log->size(), 7u);
  for (std::size_t n = 0; n < 6; ++n) EXPECT_EQ((*log)[n].at, WallMs{jumps[n]});
  const auto runs = store().runs(std::nullopt, 10);
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ((*runs)[0].run, run_id(1)) << "the latest commit comes first, whatever its clock said";
  EXPECT_EQ((*runs)[0].last_active, WallMs{-1'000'000});
}

TEST_P(event_store_log, logs_are_read_in_pages) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), start_run(2, 2, 2));
  for (int i = 0; i < 10; ++i) must_append(store(), note(1, 1, 1, cat("n", i), "x"));

  const auto page = store().log(session_id(1), {3}, 4);
  ASSERT_EQ(page->size(), 4u);
  EXPECT_EQ(page->front().seq, run::Seq{4});
  EXPECT_EQ(page->back().seq, run::Seq{7});
  EXPECT_EQ(store().log(session_id(1), {9}, 100)->size(), 2u);
  EXPECT_TRUE(store().log(session_id(1), {11}, 100)->empty());
  EXPECT_TRUE(store().log(session_id(1), {0}, 0)->empty());

  const auto whole = store().store_log({1}, 3);
  ASSERT_EQ(whole->size(), 3u);
  EXPECT_EQ((*whole)[0].session, session_id(2));
  EXPECT_EQ((*whole)[1].no, run::CommitNo{3});
  EXPECT_EQ(store().store_log({0}, 1000)->size(), 12u);
}

// Enforces: G9
TEST_P(event_store_log, a_page_ends_when_its_commits_have_so_many_bytes) {
  must_append(store(), start_run(1, 1, 1));
  const auto begin = store().head(session_id(1))->seq;
  // Four of them are less than a page, five are more, and one is longer than a page.
  const std::string fifth(limits::log_page_bytes_max / 5 + 1, 'n');
  for (int i = 0; i < 6; ++i) must_append(store(), note(1, 1, 1, cat("n", i), fifth));
  must_append(store(), note(1, 1, 1, "long", std::string(limits::log_page_bytes_max + 1, 'n')));
  must_append(store(), note(1, 1, 1, "last", "x"));
  const auto page_after = [&](std::int64_t read) {
    const auto of_session = store().log(session_id(1), {begin.value + read}, 100);
    const auto of_store = store().store_log({begin.value + read}, 100);
    EXPECT_EQ(of_session->size(), of_store->size());
    return of_session->size();
  };
  EXPECT_EQ(page_after(0), 5u);
  EXPECT_EQ(page_after(1), 5u);
  EXPECT_EQ(page_after(2), 5u) << "four, and the one that is longer than a page";
  EXPECT_EQ(page_after(6), 1u) << "the longest comes alone";
  EXPECT_EQ(page_after(7), 1u);
  EXPECT_EQ(page_after(8), 0u);
}

TEST_P(event_store_log, contents_are_kept_once_under_their_hash) {
  run::CommitDraft first = start_run(1, 1, 1);
  const std::string big(100'000, 'b');
  first.blobs = {run::Content("one"), run::Content(big), run::Content("one")};
  const std::string workflow = first.workflow->data;
  must_append(store(), first);
  run::CommitDraft second = note(1, 1, 1, "again", "x");
  second.blobs = {run::Content("one"), run::Content("two")};
  second.workflow.emplace(workflow);
  must_append(store(), second);

  reopen();
  EXPECT_EQ(got(store().blob(sha256("one"))), "one");
  EXPECT_EQ(got(store().blob(sha256("two"))), "two");
  EXPECT_EQ(got(store().blob(sha256(big))), big);
  EXPECT_EQ(got(store().blob(sha256("three"))), std::optional<std::string>{});
  EXPECT_EQ(got(store().workflow(sha256(workflow))), workflow);
  EXPECT_EQ(got(store().workflow(sha256("one"))), std::optional<std::string>{});
}

TEST_P(event_store_log, a_body_of_several_megabytes_is_returned_whole) {
  must_append(store(), start_run(1, 1, 1));
  std::string text(3u << 20, 'x');
  for (std::size_t i = 0; i < text.size(); i += 997) text[i] = '\n';
  const Appended appended = must_append(store(), note(1, 1, 1, "big", text));
  reopen();
  const auto commit = store().commit(appended.commit.no);
  ASSERT_TRUE(commit.has_value() && commit->has_value());
  EXPECT_EQ(**commit, appended.commit);
  EXPECT_EQ(chain_problem(store(), session_id(1)), "");
}

// Enforces: G9
TEST_P(event_store_log, a_commit_over_its_limit_is_refused) {
  must_append(store(), start_run(1, 1, 1));
  const std::size_t around = must_append(store(), note(1, 1, 1, "e", "")).commit.body.size();
  const std::size_t room = limits::commit_bytes_max - around;
  must_append(store(), note(1, 1, 1, "full", std::string(room, 'x')));
  const auto outcome = store().append(note(1, 1, 1, "over", std::string(room + 1, 'x')));
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, Code::LIMIT_EXCEEDED);
}

// Enforces: G9
TEST_P(event_store_log, a_dedupe_key_over_its_limit_is_refused) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), note(1, 1, 1, std::string(limits::dedupe_key_bytes_max, 'k'), "x"));
  EXPECT_FALSE(
      store().append(note(1, 1, 1, std::string(limits::dedupe_key_bytes_max + 1, 'k'), "x")));
  EXPECT_FALSE(store().append(note(1, 1, 1, "", "x")));
}

std::vector<run::CommitDraft> whole_log(std::uint64_t session) {
  std::vector<run::CommitDraft> log = {start_run(session, session, session * 10)};
  log.push_back(advance(session, session, {.from = session * 10, .to = session * 10 + 1}));
  log.push_back(note(session, session, session * 10, "n", "x"));
  for (std::size_t i = 0; i < log.size(); ++i) {
    log[i].expected = run::Seq{static_cast<std::int64_t>(i)};
  }
  return log;
}

// Enforces: G2
TEST_P(event_store_log, a_whole_log_is_taken_over_or_nothing_of_it) {
  must_append(store(), start_run(1, 1, 1));
  const std::string before = dump(store());
  std::vector<run::CommitDraft> twice = whole_log(2);
  twice[2].dedupe_key = twice[1].dedupe_key;
  EXPECT_EQ(store().append_all(twice).error().code, Code::INVALID_INPUT);
  std::vector<run::CommitDraft> gap = whole_log(2);
  gap[2].expected = run::Seq{7};
  EXPECT_EQ(store().append_all(gap).error().code, Code::INVALID_INPUT);
  std::vector<run::CommitDraft> broken = whole_log(2);
  std::get<run::NodeCreated>(broken[1].events[0]).parent = node_id(99);
  EXPECT_EQ(store().append_all(broken).error().code, Code::INTERNAL);
  EXPECT_EQ(store().append_all(whole_log(1)).error().code, Code::INVALID_INPUT)
      << "the session has commits";
  EXPECT_EQ(dump(store()), before);
  EXPECT_EQ(got(store().last_commit()), run::CommitNo{1});

  ASSERT_TRUE(store().append_all(whole_log(2)).has_value());
  EXPECT_EQ(got(store().head(session_id(2))).seq, run::Seq{3});
  EXPECT_EQ(chain_problem(store(), session_id(2)), "");
  EXPECT_EQ(must_have_node(store(), 21).parent, must_have_node(store(), 20).no);
  EXPECT_EQ(store().append_all(whole_log(2)).error().code, Code::INVALID_INPUT);
  EXPECT_TRUE(store().append_all({}).has_value());
}

TEST_P(event_store_log, a_sound_store_reports_no_problem) {
  must_append(store(), start_run(1, 1, 1));
  EXPECT_EQ(got(table_problems(store())), std::vector<std::string>{});
}

}  // namespace
}  // namespace baton::contract
