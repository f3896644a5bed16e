#pragma once
// Where an advance goes: onto the node its token names, onto the tip below it, or beside what
// already exists there.

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

/// `below` is the chain from the token's node (not in it) to the newest leaf; it may end early at
/// the first node that prevents it. If none does, parallel work joins: the advance is
/// rebased onto the leaf. Otherwise, and past limits::rebase_walk_nodes_max, it forks from the
/// token's node.
Placement place_advance(NodeNo token_node, std::string_view step,
                        std::span<const Descendant> below);

}  // namespace baton::run
