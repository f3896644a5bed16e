#include "run/graph/snapshot_check.h"

#include <gtest/gtest.h>

#include "run/testing/sample_run.h"

namespace baton::run {
namespace {

NodeState with(const NodeState& state, const std::function<void(KnownFacts&)>& change) {
  NodeState out = state;
  auto ledger = std::make_shared<KnownFacts>(state.known());
  change(*ledger);
  out.ledger = std::move(ledger);
  return out;
}

TEST(snapshot_check, the_counts_of_breakers_have_no_part_in_it) {
  const testing::SampleRun run = testing::small_run();
  const NodeState& state = run.states().at(testing::id_of<NodeId>(3));
  const std::string text = MUST(write_snapshot(state));
  EXPECT_TRUE(is_snapshot_of(text, state));
  const NodeState counted = with(state, [](KnownFacts& known) {
    known.tries = {"a", 3};
    known.repeated = {{"a", sha256("x"), 7}};
  });
  EXPECT_TRUE(is_snapshot_of(text, counted));
  EXPECT_TRUE(is_snapshot_of(MUST(write_snapshot(counted)), state));
}

TEST(snapshot_check, whatever_else_differs_is_seen) {
  const testing::SampleRun run = testing::small_run();
  const NodeState& state = run.states().at(testing::id_of<NodeId>(3));
  const std::string text = MUST(write_snapshot(state));
  EXPECT_FALSE(is_snapshot_of(text + " ", state));
  EXPECT_FALSE(is_snapshot_of("{}", state));
  EXPECT_FALSE(is_snapshot_of(text, run.states().at(testing::id_of<NodeId>(2))));
  EXPECT_FALSE(
      is_snapshot_of(text, with(state, [](KnownFacts& known) { known.usage.tokens = 1; })));
  EXPECT_FALSE(
      is_snapshot_of(text, with(state, [](KnownFacts& known) { known.setbacks.refused += 1; })));
}

}  // namespace
}  // namespace baton::run
