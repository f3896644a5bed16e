#include "run/place.h"

namespace baton::run {

bool stands_in_the_way(std::string_view step, const Descendant& descendant) {
  if (step.empty()) return !descendant.settled_step.empty();
  return descendant.settled_step == step;
}

Placement place_advance(NodeNo token_node, std::string_view step,
                        std::span<const Descendant> below) {
  for (const Descendant& descendant : below) {
    if (stands_in_the_way(step, descendant)) return {token_node, EdgeCause::non_tip_advance};
  }
  return {below.empty() ? token_node : below.back().node, EdgeCause::advance};
}

}  // namespace baton::run
