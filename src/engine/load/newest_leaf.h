#pragma once
// The newest leaf below a node: where the run has continued from there. Reads only.

#include "engine/engine.h"

namespace baton::engine {

/// A leaf below a node, and the way there.
struct Leaf {
  run::NodeRow tip;
  SessionNodes::Way way;
};

/// The leaf below `node` with the latest activity; of a branch that the run has left, of the
/// limits::recap_walk_nodes_max newest nodes. REQUIRES: `node` has children, and the store was
/// asked for them.
Result<Leaf> newest_leaf(const LoadContext& loading, const run::NodeRow& node);

}  // namespace baton::engine
