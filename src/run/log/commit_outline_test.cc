#include "run/log/commit_outline.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/core/limits.h"

#include "run/testing/event_generator.h"

namespace baton::run {
namespace {

using run::testing::id_of;

/// A commit that makes a node below another one, by an attempt.
struct Sample {
  Sample() {
    NodeCreated node;
    node.run = id_of<RunId>(1);
    node.node = id_of<NodeId>(3);
    node.parent = id_of<NodeId>(2);
    node.open_steps = {"b"};
    node.settled_step = "a";
    AdvanceRecorded advance;
    advance.run = node.run;
    advance.node = id_of<NodeId>(2);
    advance.to = node.node;
    events = {node, advance};
    commit.no = {7};
    commit.session = id_of<SessionId>(1);
    commit.seq = {3};
    commit.dedupe_key = "advance";
    commit.at = {1'000};
    commit.body = encode_events(events).value();
    commit.hash = commit_hash(commit);
    outline = outline_of(commit, events);
    above.id = id_of<NodeId>(2);

    row.no = NodeNo::of({7}, 0);
    row.id = node.node;
    row.session = commit.session;
    row.run = node.run;
    row.parent = NodeNo::of({5}, 0);
    row.depth = 2;
    row.open_steps = node.open_steps;
    row.settled_step = node.settled_step;
    row.created = commit.at;
    row.path_events = 4 + std::ssize(events);
    row.path_bytes = 100 + std::ssize(commit.body);
    parent.no = *row.parent;
    parent.depth = 1;
    parent.path_events = 4;
    parent.path_bytes = 100;
  }

  std::vector<Event> events;
  Commit commit;
  CommitOutline outline;
  NodeOutline above;
  NodeRow row;
  NodeRow parent;
};

TEST(commit_outline, has_what_rows_follow_from) {
  const Sample sample;
  EXPECT_EQ(sample.outline.no, sample.commit.no);
  EXPECT_EQ(sample.outline.events, 2);
  EXPECT_EQ(sample.outline.bytes, std::ssize(sample.commit.body));
  ASSERT_EQ(sample.outline.nodes.size(), 1u);
  EXPECT_EQ(sample.outline.node(NodeNo::of({7}, 0)), &sample.outline.nodes[0]);
  EXPECT_EQ(sample.outline.node(NodeNo::of({7}, 1)), nullptr);
  EXPECT_EQ(sample.outline.node(NodeNo::of({8}, 0)), nullptr);
  EXPECT_TRUE(may_make_nodes(sample.commit));
  Commit other = sample.commit;
  other.body = encode_events(std::vector<Event>{TokensRevoked{id_of<RunId>(1)}}).value();
  EXPECT_FALSE(may_make_nodes(other));
}

// Enforces: G17
TEST(commit_outline, a_commit_fits_its_hash_and_the_commit_before_it) {
  const Sample sample;
  EXPECT_FALSE(commit_misfit(sample.commit));
  Commit next;
  next.no = {9};
  next.seq = {4};
  next.previous = sample.commit.hash;
  EXPECT_FALSE(chain_misfit(sample.commit, next));
  next.seq = {5};
  EXPECT_TRUE(chain_misfit(sample.commit, next));
  next.seq = {4};
  next.previous.bytes[0] ^= 1;
  EXPECT_TRUE(chain_misfit(sample.commit, next));
  next.previous = sample.commit.hash;
  next.no = sample.commit.no;
  EXPECT_TRUE(chain_misfit(sample.commit, next)) << "numbers grow along a log";
  Commit changed = sample.commit;
  changed.body += ' ';
  EXPECT_TRUE(commit_misfit(changed));
  changed = sample.commit;
  changed.no = {limits::commit_no_max};
  EXPECT_FALSE(commit_misfit(changed));
  changed.no = {limits::commit_no_max + 1};
  EXPECT_TRUE(commit_misfit(changed));
  changed.no = {0};
  EXPECT_TRUE(commit_misfit(changed));
}

// Enforces: G17
TEST(commit_outline, a_node_fits_in_every_field_or_not_at_all) {
  const Sample sample;
  EXPECT_FALSE(node_misfit(sample.row, sample.outline, &sample.above));
  EXPECT_FALSE(place_misfit(sample.row, sample.parent, sample.outline));
  const std::function<void(NodeRow&)> changes[] = {
      [](NodeRow& r) { r.no.value += 1; },
      [](NodeRow& r) { r.no = NodeNo::of({8}, 0); },
      [](NodeRow& r) { r.id.bytes[0] ^= 1; },
      [](NodeRow& r) { r.session.bytes[0] ^= 1; },
      [](NodeRow& r) { r.run.bytes[0] ^= 1; },
      [](NodeRow& r) { r.parent.reset(); },
      [](NodeRow& r) { r.parent = NodeNo::of({9}, 0); },
      [](NodeRow& r) { r.kind = NodeKind::checkpoint; },
      [](NodeRow& r) { r.open_steps.clear(); },
      [](NodeRow& r) { r.open_steps.push_back("c"); },
      [](NodeRow& r) { r.settled_step = "b"; },
      [](NodeRow& r) { r.created.value += 1; },
  };
  for (const auto& change : changes) {
    NodeRow row = sample.row;
    change(row);
    EXPECT_TRUE(node_misfit(row, sample.outline, &sample.above));
  }
  NodeOutline another = sample.above;
  another.id = id_of<NodeId>(9);
  EXPECT_TRUE(node_misfit(sample.row, sample.outline, &another));
  EXPECT_TRUE(node_misfit(sample.row, sample.outline, nullptr));
}

// Enforces: G17
TEST(commit_outline, a_place_below_a_parent_fits_in_every_field) {
  const Sample sample;
  const std::function<void(NodeRow&)> changes[] = {
      [](NodeRow& r) { r.depth += 1; },      [](NodeRow& r) { r.snapshot = NodeNo::of({5}, 0); },
      [](NodeRow& r) { r.snapshot = r.no; }, [](NodeRow& r) { r.path_events -= 1; },
      [](NodeRow& r) { r.path_bytes += 1; },
  };
  for (const auto& change : changes) {
    NodeRow row = sample.row;
    change(row);
    EXPECT_TRUE(place_misfit(row, sample.parent, sample.outline));
  }
  NodeRow with_snapshot = sample.row;
  with_snapshot.snapshot = with_snapshot.no;
  with_snapshot.path_events = 0;
  with_snapshot.path_bytes = 0;
  EXPECT_FALSE(place_misfit(with_snapshot, sample.parent, sample.outline));
  NodeRow beside = sample.parent;  // made by the same commit, which counts once on a path
  beside.no = NodeNo::of({7}, 0);
  NodeRow second = sample.row;
  second.no = NodeNo::of({7}, 1);
  second.path_events = beside.path_events;
  second.path_bytes = beside.path_bytes;
  EXPECT_FALSE(place_misfit(second, beside, sample.outline));
}

// Enforces: G17
TEST(commit_outline, a_root_has_depth_zero_and_no_parent) {
  Sample sample;
  sample.outline.nodes[0].parent.reset();
  sample.row.parent.reset();
  sample.row.depth = 0;
  EXPECT_FALSE(node_misfit(sample.row, sample.outline, nullptr));
  sample.row.depth = 1;
  EXPECT_TRUE(node_misfit(sample.row, sample.outline, nullptr));
}

// Enforces: G17
TEST(commit_outline, an_entry_of_a_run_fits_its_beginning_and_its_latest_point) {
  const Sample sample;
  CommitOutline start;
  start.no = {2};
  start.session = sample.commit.session;
  start.at = {500};
  start.started = {.run = id_of<RunId>(1),
                   .workflow_id = "w",
                   .workflow_hash = {},
                   .goal = "g",
                   .parent = std::nullopt};
  RunRow row;
  row.run = id_of<RunId>(1);
  row.session = start.session;
  row.workflow_id = "w";
  row.goal = "g";
  row.started = {500};
  row.last_active = sample.commit.at;
  row.last_commit = sample.commit.no;
  row.tip = sample.row.no;
  EXPECT_FALSE(run_misfit(row, start, sample.outline));
  const std::function<void(RunRow&)> changes[] = {
      [](RunRow& r) { r.run.bytes[0] ^= 1; },
      [](RunRow& r) { r.session.bytes[0] ^= 1; },
      [](RunRow& r) { r.workflow_id = "x"; },
      [](RunRow& r) { r.workflow_hash.bytes[0] ^= 1; },
      [](RunRow& r) { r.goal = ""; },
      [](RunRow& r) { r.parent = id_of<RunId>(2); },
      [](RunRow& r) { r.started.value += 1; },
      [](RunRow& r) { r.last_active.value += 1; },
      [](RunRow& r) { r.last_commit.value += 1; },
      [](RunRow& r) { r.tip.value += 1; },
      [](RunRow& r) { r.is_complete = true; },
  };
  for (const auto& change : changes) {
    RunRow changed = row;
    change(changed);
    EXPECT_TRUE(run_misfit(changed, start, sample.outline));
  }
  EXPECT_TRUE(run_misfit(row, sample.outline, sample.outline)) << "nothing began there";
}

// Enforces: G17
TEST(commit_outline, an_attempt_is_settled_by_the_node_that_its_commit_names) {
  const Sample sample;
  const NodeNo made = NodeNo::of({7}, 0);
  const NodeId at = id_of<NodeId>(2);
  EXPECT_TRUE(settles(sample.outline, made, at, {}));
  EXPECT_FALSE(settles(sample.outline, NodeNo::of({7}, 1), at, {}));
  EXPECT_FALSE(settles(sample.outline, made, id_of<NodeId>(4), {}));
  EXPECT_FALSE(settles(sample.outline, made, at, {AttemptKind::checkpoint, 0, 0}));
  EXPECT_FALSE(settles(sample.outline, made, at, {AttemptKind::advance, 1, 0}));
  EXPECT_FALSE(settles(sample.outline, made, at, {AttemptKind::advance, 0, 1}));
}

TEST(commit_outline, says_what_a_token_of_its_node_is_checked_against) {
  const Sample sample;
  const TokenSubject expected{id_of<NodeId>(3), {"b"}, false};
  EXPECT_EQ(subject_in(sample.commit, NodeNo::of({7}, 0)), expected);
  EXPECT_EQ(subject_in(sample.commit, NodeNo::of({7}, 1)), std::nullopt);
  Commit unreadable = sample.commit;
  unreadable.body = "no JSON";
  EXPECT_EQ(subject_in(unreadable, NodeNo::of({7}, 0)), std::nullopt);
}

}  // namespace
}  // namespace baton::run
