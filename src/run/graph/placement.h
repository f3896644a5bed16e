#pragma once
// Where an advance goes: onto the node its token names, onto the tip below it, or beside what
// already exists there.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "run/log/types.h"

namespace baton::run {

/// One node on the way from a token's node to the newest leaf below it.
struct Descendant {
  NodeNo node;
  std::string settled_step;  // the open step whose settling made it; empty for a checkpoint
  bool is_end = false;       // no step is open there
};

struct Placement {
  NodeNo parent;
  EdgeCause cause = EdgeCause::advance;
  bool operator==(const Placement&) const = default;
};

/// Whether one more node below the token's node prevents rebasing: it settled the
/// same step, no step is open there, or the attempt is a checkpoint (`step` empty) and it settled
/// any step.
bool blocks_join(std::string_view step, const Descendant& descendant);

/// `below` is the chain from the token's node (not in it) along the newest children to a leaf; it
/// may end early at the first node that prevents it. If none does, the advance is rebased onto the
/// leaf: parallel work joins, and another output at a blocked step is the next attempt there.
/// Otherwise, and past limits::rebase_walk_nodes_max, it forks from the token's node. So it does
/// when `newest` is given, the newest leaf below the token's node, and is another one: then the run
/// has continued on a branch where the step is settled.
Placement place_advance(NodeNo token_node, std::string_view step, std::span<const Descendant> below,
                        std::optional<NodeNo> newest = {});

}  // namespace baton::run
