#include "run/graph/placement.h"

#include "base/core/limits.h"

namespace baton::run {

bool blocks_join(std::string_view step, const Descendant& descendant) {
  if (descendant.is_end) return true;
  if (step.empty()) return !descendant.settled_step.empty();
  return descendant.settled_step == step;
}

Placement place_advance(NodeNo token_node, std::string_view step, std::span<const Descendant> below,
                        std::optional<NodeNo> newest) {
  const Placement fork{token_node, EdgeCause::non_tip_advance};
  if (below.size() > limits::rebase_walk_nodes_max) return fork;
  for (const Descendant& descendant : below) {
    if (blocks_join(step, descendant)) return fork;
  }
  const NodeNo leaf = below.empty() ? token_node : below.back().node;
  if (newest && *newest != leaf) return fork;
  return {leaf, EdgeCause::advance};
}

}  // namespace baton::run
