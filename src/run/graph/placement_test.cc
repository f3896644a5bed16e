#include "run/graph/placement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"

namespace baton::run {
namespace {

using Chain = std::vector<Descendant>;

constexpr NodeNo here{16};
constexpr Placement fork_here{here, EdgeCause::non_tip_advance};

Placement onto(std::int64_t node) { return {{node}, EdgeCause::advance}; }

Chain chain_of(std::initializer_list<const char*> settled) {
  Chain chain;
  for (const char* step : settled) {
    chain.push_back({{32 + 16 * static_cast<std::int64_t>(chain.size())}, step});
  }
  return chain;
}

TEST(place_advance, a_leaf_is_advanced_at_its_own_node) {
  EXPECT_EQ(place_advance(here, "a", {}), onto(16));
  EXPECT_EQ(place_advance(here, "", {}), onto(16));
}

TEST(place_advance, settled_step_forks) {
  EXPECT_EQ(place_advance(here, "a", chain_of({"a"})), fork_here);
  EXPECT_EQ(place_advance(here, "a", chain_of({"b", "a"})), fork_here);
  EXPECT_EQ(place_advance(here, "a", chain_of({"a", "b"})), fork_here);
}

TEST(place_advance, other_open_steps_settled_below_do_not_fork) {
  EXPECT_EQ(place_advance(here, "a", chain_of({"b"})), onto(32));
  EXPECT_EQ(place_advance(here, "a", chain_of({"b", "c"})), onto(48));
}

TEST(place_advance, checkpoints_below_do_not_fork) {
  EXPECT_EQ(place_advance(here, "a", chain_of({""})), onto(32));
  EXPECT_EQ(place_advance(here, "a", chain_of({"", "b", ""})), onto(64));
  EXPECT_EQ(place_advance(here, "a", chain_of({"", "a"})), fork_here);
}

TEST(place_advance, nothing_joins_below_the_end_of_a_run) {
  Chain chain = chain_of({"b", ""});
  chain.back().is_end = true;
  EXPECT_EQ(place_advance(here, "a", chain), fork_here);
  EXPECT_EQ(place_advance(here, "", {&chain.back(), 1}), fork_here);
}

TEST(place_advance, checkpoint_joins_checkpoints_and_forks_from_settled_steps) {
  EXPECT_EQ(place_advance(here, "", chain_of({""})), onto(32));
  EXPECT_EQ(place_advance(here, "", chain_of({"", ""})), onto(48));
  EXPECT_EQ(place_advance(here, "", chain_of({"a"})), fork_here);
  EXPECT_EQ(place_advance(here, "", chain_of({"", "a"})), fork_here);
}

// Enforces: G9
TEST(place_advance, walk_is_bounded) {
  Chain chain;
  for (std::size_t i = 0; i < limits::rebase_walk_nodes_max; ++i) {
    chain.push_back({{32 + 16 * static_cast<std::int64_t>(i)}, ""});
  }
  EXPECT_EQ(place_advance(here, "a", chain), (Placement{chain.back().node, EdgeCause::advance}));
  chain.push_back({{1'000'000}, ""});
  EXPECT_EQ(place_advance(here, "a", chain), fork_here);
}

/// A run as the design tells it: a node has open steps, each settled at most once on a path.
struct Model {
  struct Node {
    int parent = -1;
    std::string settled;
  };
  std::vector<Node> nodes{{}};

  int newest_child(int node) const {
    for (int i = static_cast<int>(nodes.size()) - 1; i > node; --i) {
      if (nodes[static_cast<std::size_t>(i)].parent == node) return i;
    }
    return -1;
  }

  /// Where an attempt at `step` of `node` belongs: at the newest leaf below, unless the way there
  /// already settled it (for a checkpoint: settled anything).
  Placement expected(int node, std::string_view step) const {
    bool in_the_way = false;
    int at = node;
    for (int next = newest_child(at); next >= 0; next = newest_child(at)) {
      at = next;
      const std::string& settled = nodes[static_cast<std::size_t>(at)].settled;
      in_the_way = in_the_way || (step.empty() ? !settled.empty() : settled == step);
    }
    if (in_the_way) return {number(node), EdgeCause::non_tip_advance};
    return {number(at), EdgeCause::advance};
  }

  /// What a verb gathers for place_advance: it may stop at the first node in the way.
  Chain below(int node, std::string_view step, bool stop_early) const {
    Chain chain;
    for (int next = newest_child(node); next >= 0; next = newest_child(next)) {
      chain.push_back({number(next), nodes[static_cast<std::size_t>(next)].settled});
      if (stop_early && blocks_join(step, chain.back())) break;
    }
    return chain;
  }

  static NodeNo number(int node) { return {16 * (node + 1)}; }
};

RC_GTEST_PROP(place_advance, agrees_with_the_run_graph_of_the_design, ()) {
  static const std::vector<std::string> steps = {"", "a", "b", "c"};
  Model model;
  const int acts = *rc::gen::inRange(1, 30);
  for (int act = 0; act < acts; ++act) {
    const int node = *rc::gen::inRange(0, static_cast<int>(model.nodes.size()));
    const std::string step = *rc::gen::elementOf(steps);
    const Placement expected = model.expected(node, step);
    RC_ASSERT(place_advance(Model::number(node), step, model.below(node, step, false)) == expected);
    RC_ASSERT(place_advance(Model::number(node), step, model.below(node, step, true)) == expected);
    model.nodes.push_back({static_cast<int>(expected.parent.value / 16) - 1, step});
  }
}

}  // namespace
}  // namespace baton::run
