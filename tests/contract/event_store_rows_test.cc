// The EventStore contract, second part: the rows that follow from the log. Nodes and their paths,
// attempts, runs, rebuilding.

#include "base/text/text.h"
#include "support/event_store_suite.h"

namespace baton::contract {
namespace {

using event_store_rows = EventStoreTest;
INSTANTIATE_TEST_SUITE_P(contract, event_store_rows, ::testing::ValuesIn(store_kinds), kind_of);

std::int64_t size_of(const run::Commit& commit) {
  return static_cast<std::int64_t>(commit.body.size());
}

TEST_P(event_store_rows, a_node_knows_its_place) {
  const auto start = must_append(store(), start_run(1, 1, 1));
  const auto step =
      must_append(store(), advance(1, 1, {.from = 1, .to = 2, .open = {"b", "c \"q\"", ""}}));

  const run::NodeRow root = must_have_node(store(), 1);
  EXPECT_EQ(root, start.nodes[0]);
  EXPECT_EQ(root.session, session_id(1));
  EXPECT_EQ(root.run, run_id(1));
  EXPECT_EQ(root.parent, std::nullopt);
  EXPECT_EQ(root.depth, 0);
  EXPECT_EQ(root.open_steps, std::vector<std::string>{"a"});
  EXPECT_EQ(root.snapshot, std::nullopt);
  EXPECT_EQ(root.path_events, 3);
  EXPECT_EQ(root.path_bytes, size_of(start.commit));

  const run::NodeRow child = must_have_node(store(), 2);
  EXPECT_EQ(child, step.nodes[0]);
  EXPECT_EQ(child.parent, root.no);
  EXPECT_EQ(child.depth, 1);
  EXPECT_EQ(child.open_steps, (std::vector<std::string>{"b", "c \"q\"", ""}));
  EXPECT_EQ(child.settled_step, "a");
  EXPECT_EQ(child.created, WallMs{2000});
  EXPECT_EQ(child.path_events, 3 + 4);
  EXPECT_EQ(child.path_bytes, size_of(start.commit) + size_of(step.commit));
  EXPECT_EQ(got(store().node(child.no)), child);
}

TEST_P(event_store_rows, a_path_counts_from_the_nearest_snapshot) {
  must_append(store(), start_run(1, 1, 1));
  run::CommitDraft with_snapshot = advance(1, 1, {.from = 1, .to = 2});
  with_snapshot.snapshot = "{\"state\":1}";
  const auto second = must_append(store(), with_snapshot);
  const auto third = must_append(store(), advance(1, 1, {.from = 2, .to = 3}));
  must_append(store(), advance(1, 1, {.from = 1, .to = 4, .attempt = {.count = 1}}));

  const run::NodeRow at_snapshot = must_have_node(store(), 2);
  EXPECT_EQ(at_snapshot.snapshot, at_snapshot.no);
  EXPECT_EQ(at_snapshot.path_events, 0);
  EXPECT_EQ(at_snapshot.path_bytes, 0);
  EXPECT_EQ(got(store().snapshot(second.nodes[0].no)),
            (run::StoredSnapshot{"{\"state\":1}", true}));
  EXPECT_EQ(got(store().snapshot(third.nodes[0].no)), std::nullopt);

  const run::NodeRow below = must_have_node(store(), 3);
  EXPECT_EQ(below.snapshot, at_snapshot.no);
  EXPECT_EQ(below.path_events, 4);
  EXPECT_EQ(below.path_bytes, size_of(third.commit));
  EXPECT_EQ(must_have_node(store(), 4).snapshot, std::nullopt) << "a branch beside the snapshot";
}

TEST_P(event_store_rows, an_append_replaces_snapshots_of_its_own_session) {
  const auto root = must_append(store(), start_run(1, 1, 1));
  run::CommitDraft with_snapshot = advance(1, 1, {.from = 1, .to = 2});
  with_snapshot.snapshot = "{\"state\":1}";
  const auto second = must_append(store(), with_snapshot);
  must_append(store(), start_run(2, 2, 10));
  run::CommitDraft of_another = advance(2, 2, {.from = 10, .to = 11});
  of_another.snapshot = "{\"state\":2}";
  const auto other = must_append(store(), of_another);

  run::CommitDraft next = advance(1, 1, {.from = 2, .to = 3});
  next.reseal = {{second.nodes[0].no, "{\"state\":3}"},
                 {root.nodes[0].no, "{\"state\":4}"},
                 {other.nodes[0].no, "{\"state\":5}"}};
  must_append(store(), next);
  EXPECT_EQ(got(store().snapshot(second.nodes[0].no)),
            (run::StoredSnapshot{"{\"state\":3}", true}));
  EXPECT_EQ(got(store().snapshot(root.nodes[0].no)), std::nullopt) << "it had none";
  EXPECT_EQ(got(store().snapshot(other.nodes[0].no)), (run::StoredSnapshot{"{\"state\":2}", true}));
}

TEST_P(event_store_rows, a_commit_may_make_a_chain_of_nodes) {
  run::CommitDraft append = start_run(1, 1, 1);
  for (std::uint64_t n = 2; n <= limits::nodes_per_commit_max; ++n) {
    run::NodeCreated node;
    node.run = run_id(1);
    node.node = node_id(n);
    node.parent = node_id(n - 1);
    append.events.emplace_back(node);
  }
  const auto appended = must_append(store(), append);
  ASSERT_EQ(appended.nodes.size(), limits::nodes_per_commit_max);
  const run::NodeRow last = must_have_node(store(), limits::nodes_per_commit_max);
  EXPECT_EQ(last.no, run::NodeNo::of({1}, limits::nodes_per_commit_max - 1));
  EXPECT_EQ(last.depth, static_cast<std::int64_t>(limits::nodes_per_commit_max) - 1);
  EXPECT_EQ(last.path_bytes, size_of(appended.commit)) << "one commit counts once";
  EXPECT_EQ(store().run(run_id(1)).value()->tip, last.no);
  EXPECT_EQ(store().run(run_id(1)).value()->nodes, 16);

  run::CommitDraft over = append;
  over.session = session_id(2);
  over.events.push_back(over.events.back());
  EXPECT_EQ(store().append(over).error().code, Code::INTERNAL);
}

TEST_P(event_store_rows, a_commit_with_a_broken_reference_is_refused_whole) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), start_run(2, 2, 2));
  must_append(store(), advance(1, 1, {.from = 1, .to = 3}));
  const std::string before = dump(store());

  std::vector<run::CommitDraft> wrong;
  wrong.push_back(advance(1, 1, {.from = 99, .to = 4}));                          // no parent
  wrong.push_back(advance(1, 9, {.from = 1, .to = 4, .attempt = {.count = 1}}));  // no such run
  wrong.push_back(advance(1, 1, {.from = 2, .to = 4}));                           // foreign parent
  wrong.push_back(advance(2, 1, {.from = 1, .to = 4, .attempt = {.count = 1}}));  // foreign run
  wrong.push_back(advance(1, 1, {.from = 1, .to = 3, .attempt = {.count = 1}}));  // node twice
  wrong.push_back(advance(1, 1, {.from = 1, .to = 4}));                           // attempt twice
  wrong.back().dedupe_key = "another";
  wrong.push_back(start_run(4, 1, 4));  // run twice
  wrong.push_back(note(1, 1, 1, "revoke", "x"));
  wrong.back().events.emplace_back(run::TokensRevoked{run_id(9)});
  wrong.push_back(note(1, 1, 1, "snapshot", "x"));
  wrong.back().snapshot = "{}";
  wrong.push_back(note(1, 1, 1, "empty", "x"));
  wrong.back().events.clear();
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const auto outcome = store().append(wrong[i]);
    ASSERT_FALSE(outcome.has_value()) << i;
    EXPECT_EQ(outcome.error().code, Code::INTERNAL) << i;
  }
  EXPECT_EQ(dump(store()), before);
}

// Enforces: G22
TEST_P(event_store_rows, an_attempt_has_one_outcome_and_attempts_are_counted) {
  must_append(store(), start_run(1, 1, 1));
  const run::NodeNo root = must_have_node(store(), 1).no;
  const run::AttemptKey first{};
  EXPECT_EQ(got(store().attempt(root, first)), std::optional<run::NodeNo>{});
  EXPECT_EQ(store().settled(root, run::AttemptKind::advance, 0)->count, 0);

  const auto a = must_append(store(), advance(1, 1, {.from = 1, .to = 2}));
  const auto b = must_append(store(), advance(1, 1, {.from = 1, .to = 3, .attempt = {.count = 1}}));
  const auto c =
      must_append(store(), advance(1, 1, {.from = 1, .to = 4, .attempt = {.ordinal = 63}}));
  const auto d = must_append(
      store(),
      advance(1, 1, {.from = 1, .to = 5, .attempt = {.kind = run::AttemptKind::checkpoint}}));

  EXPECT_EQ(got(store().attempt(root, first)), a.nodes[0].no);
  EXPECT_EQ(got(store().attempt(root, {.count = 1})), b.nodes[0].no);
  EXPECT_EQ(got(store().attempt(root, {.count = 2})), std::optional<run::NodeNo>{});
  EXPECT_EQ(got(store().attempt(root, {.ordinal = 63})), c.nodes[0].no);
  EXPECT_EQ(got(store().attempt(root, {.kind = run::AttemptKind::checkpoint})), d.nodes[0].no);
  EXPECT_EQ(store().settled(root, run::AttemptKind::advance, 0)->count, 2);
  EXPECT_EQ(store().settled(root, run::AttemptKind::advance, 1)->count, 0);
  EXPECT_EQ(store().settled(root, run::AttemptKind::advance, 63)->count, 1);
  EXPECT_EQ(store().settled(root, run::AttemptKind::checkpoint, 0)->count, 1);
  EXPECT_EQ(store().settled(a.nodes[0].no, run::AttemptKind::advance, 0)->count, 0);
}

TEST_P(event_store_rows, an_attempt_at_one_node_may_lead_below_another) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), advance(1, 1, {.from = 1, .to = 2}));
  // The token named node 1; the advance was rebased below node 2.
  run::CommitDraft rebased = advance(1, 1, {.from = 2, .to = 3});
  std::get<run::AdvanceRecorded>(rebased.events[2]).node = node_id(1);
  std::get<run::AdvanceRecorded>(rebased.events[2]).attempt.ordinal = 1;
  const auto appended = must_append(store(), rebased);
  EXPECT_EQ(got(store().attempt(must_have_node(store(), 1).no, {.ordinal = 1})),
            appended.nodes[0].no);
  EXPECT_EQ(must_have_node(store(), 3).parent, must_have_node(store(), 2).no);
}

TEST_P(event_store_rows, children_come_newest_first) {
  must_append(store(), start_run(1, 1, 1));
  for (std::uint16_t i = 0; i < 5; ++i) {
    must_append(store(), advance(1, 1, {.from = 1, .to = 10u + i, .attempt = {.count = i}}));
  }
  must_append(store(), advance(1, 1, {.from = 10, .to = 20}));
  const auto children = store().children(must_have_node(store(), 1).no, 3);
  ASSERT_EQ(children->size(), 3u);
  EXPECT_EQ((*children)[0], must_have_node(store(), 14));
  EXPECT_EQ((*children)[2], must_have_node(store(), 12));
  EXPECT_EQ(store().children(must_have_node(store(), 10).no, 9)->size(), 1u);
  EXPECT_TRUE(store().children(must_have_node(store(), 20).no, 9)->empty());
}

TEST_P(event_store_rows, a_run_shows_its_latest_point) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), advance(1, 1, {.from = 1, .to = 2}));
  const auto end = must_append(store(), advance(1, 1, {.from = 2, .to = 3, .open = {}}));
  must_append(store(), note(1, 1, 3, "afterthought", "x"));

  run::RunRow row = **store().run(run_id(1));
  EXPECT_EQ(row.session, session_id(1));
  EXPECT_EQ(row.workflow_id, "flow");
  EXPECT_EQ(row.workflow_hash, sha256("{\"id\":\"flow1\"}"));
  EXPECT_EQ(row.goal, "goal 1");
  EXPECT_EQ(row.started, WallMs{1000});
  EXPECT_EQ(row.last_active, WallMs{2000});
  EXPECT_EQ(row.last_commit, end.commit.no);
  EXPECT_EQ(row.tip, end.nodes[0].no);
  EXPECT_TRUE(row.is_complete);
  EXPECT_EQ(row.nodes, 3);

  must_append(store(), advance(1, 1, {.from = 1, .to = 4, .attempt = {.count = 1}}));
  EXPECT_FALSE((**store().run(run_id(1))).is_complete) << "a rewound run is open at its new tip";
}

TEST_P(event_store_rows, runs_are_listed_by_their_latest_activity) {
  for (std::uint64_t n = 1; n <= 6; ++n) must_append(store(), start_run(n, n, n * 100));
  must_append(store(), advance(2, 2, {.from = 200, .to = 201}));

  std::vector<RunId> seen;
  std::optional<run::CommitNo> before;
  for (;;) {
    const auto page = store().runs(before, 4);
    ASSERT_TRUE(page.has_value());
    if (page->empty()) break;
    for (const run::RunRow& row : *page) seen.push_back(row.run);
    before = page->back().last_commit;
  }
  EXPECT_EQ(seen, (std::vector{run_id(2), run_id(6), run_id(5), run_id(4), run_id(3), run_id(1)}));
}

TEST_P(event_store_rows, a_run_that_carries_out_a_task_names_whose_it_is) {
  must_append(store(), start_run(1, 1, 1));
  run::CommitDraft task = start_run(2, 2, 2);
  for (run::Event& event : task.events) {
    if (auto* started = std::get_if<run::RunStarted>(&event)) {
      started->task = run::TaskRef{run_id(1), node_id(1), "a.item0", 0};
    }
  }
  must_append(store(), task);
  EXPECT_EQ((**store().run(run_id(1))).parent, std::nullopt);
  EXPECT_EQ((**store().run(run_id(2))).parent, run_id(1));
  EXPECT_EQ(got(store().runs(std::nullopt, 1)).front().parent, run_id(1));
  must_append(store(), advance(2, 2, {.from = 2, .to = 3}));
  ASSERT_TRUE(store().rebuild());
  EXPECT_EQ((**store().run(run_id(2))).parent, run_id(1));
}

TEST_P(event_store_rows, a_run_may_start_in_a_session_that_has_one) {
  must_append(store(), start_run(1, 1, 1));
  run::CommitDraft second = start_run(1, 2, 2);
  second.expected = run::Seq{1};
  second.events.erase(second.events.begin());
  must_append(store(), second);
  EXPECT_EQ((**store().run(run_id(2))).session, session_id(1));
  EXPECT_EQ(must_have_node(store(), 2).run, run_id(2));
  must_purge(store(), 1);
  EXPECT_TRUE(store().runs(std::nullopt, 9)->empty());
}

TEST_P(event_store_rows, sessions_that_began_without_a_run_are_listed_apart) {
  const auto loose = [](std::uint64_t n) {
    run::CommitDraft append;
    append.session = session_id(n);
    append.expected = run::Seq{0};
    append.dedupe_key = "task";
    append.events = {run::SessionCreated{}, run::McpTaskChanged{}};
    return append;
  };
  const run::CommitNo first = must_append(store(), loose(1)).commit.no;
  must_append(store(), start_run(2, 2, 2));
  const run::CommitNo second = must_append(store(), loose(3)).commit.no;
  must_append(store(), note(2, 2, 2, "n", "x"));
  const run::LooseSession one{session_id(1), first};
  const run::LooseSession two{session_id(3), second};
  EXPECT_EQ(got(store().loose_sessions({}, 10)), (std::vector{one, two}));
  EXPECT_EQ(got(store().loose_sessions({}, 1)), std::vector{one});
  EXPECT_EQ(got(store().loose_sessions(first, 10)), std::vector{two});
  EXPECT_EQ(got(store().loose_sessions(second, 10)), std::vector<run::LooseSession>{});
  EXPECT_EQ(got(store().runs(std::nullopt, 10)).size(), 1u);
  must_purge(store(), 1);
  EXPECT_EQ(got(store().loose_sessions({}, 10)), std::vector{two});
}

TEST_P(event_store_rows, revoking_marks_the_nodes_a_run_has_so_far) {
  must_append(store(), start_run(1, 1, 1));
  must_append(store(), start_run(2, 2, 2));
  must_append(store(), advance(1, 1, {.from = 1, .to = 3}));
  run::CommitDraft revoke = note(1, 1, 1, "revoke", "x");
  revoke.events.emplace_back(run::TokensRevoked{run_id(1)});
  must_append(store(), revoke);
  must_append(store(), advance(1, 1, {.from = 3, .to = 4}));

  EXPECT_TRUE(must_have_node(store(), 1).revoked);
  EXPECT_TRUE(must_have_node(store(), 3).revoked);
  EXPECT_FALSE(must_have_node(store(), 4).revoked) << "made after the revocation";
  EXPECT_FALSE(must_have_node(store(), 2).revoked) << "of another run";
}

// Enforces: G4
TEST_P(event_store_rows, a_rebuild_gives_the_same_rows) {
  for (std::uint64_t s = 1; s <= 4; ++s) {
    must_append(store(), start_run(s, s, s * 1000));
    for (std::uint64_t n = 1; n <= 12; ++n) {
      run::CommitDraft step =
          advance(s, s,
                  {.from = s * 1000 + (n % 4 == 0 ? 0 : n - 1),
                   .to = s * 1000 + n,
                   .attempt = {.count = static_cast<std::uint16_t>(n % 4 == 0 ? n / 4 : 0)},
                   .notes = std::string(n * 37, 'n')});
      if (n % 5 == 0) step.snapshot = cat("{\"n\":", n, "}");
      must_append(store(), step);
    }
  }
  run::CommitDraft revoke = note(2, 2, 2000, "revoke", "x");
  revoke.events.emplace_back(run::TokensRevoked{run_id(2)});
  must_append(store(), revoke);
  must_purge(store(), 3);

  const std::string before = dump(store());
  ASSERT_NE(before.find("snapshot {\"n\":5}"), std::string::npos);
  ASSERT_NE(before.find("revoked"), std::string::npos);
  ASSERT_TRUE(store().rebuild().has_value());
  EXPECT_EQ(dump(store()), before);
  reopen();
  EXPECT_EQ(dump(store()), before);
  must_append(store(), advance(1, 1, {.from = 1012, .to = 1013}));
}

TEST_P(event_store_rows, many_sessions_are_independent) {
  constexpr std::uint64_t sessions = 300;
  for (std::uint64_t s = 1; s <= sessions; ++s) must_append(store(), start_run(s, s, s));
  for (std::uint64_t s = 1; s <= sessions; s += 7) {
    EXPECT_EQ(store().head(session_id(s))->seq, run::Seq{1});
    EXPECT_EQ((**store().run(run_id(s))).tip, must_have_node(store(), s).no);
  }
  EXPECT_EQ(store().runs(std::nullopt, 1000)->size(), sessions);
}

}  // namespace
}  // namespace baton::contract
