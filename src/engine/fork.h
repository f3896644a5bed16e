#pragma once
// What a fork leaves behind: the branch that was continued before, and the commands that the server
// ran on it. Reads only.

#include "engine/place.h"

namespace baton::engine {

/// Of a fork at `place`: the branch that leads to the newest leaf below its node, of which the
/// limits::fork_walk_nodes_max newest nodes are read. REQUIRES: the node has children, and the
/// store was asked for them.
Result<run::LeftBranch> left_branch(const ReadContext& reading, const Place& place);

/// What was recorded of it with the attempt that made a node; nothing when that was not a fork.
Result<std::optional<run::LeftBranch>> left_by(const ReadContext& reading, run::NodeNo node);

}  // namespace baton::engine
