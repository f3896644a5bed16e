#pragma once
// Whether a run came to its end without any output. Reads only.

#include "engine/engine.h"

namespace baton::engine {

/// Whether nothing was recorded on the way to `node` beside acknowledgements: no note, no artifact,
/// no result of a command or a task, no state. False past limits::silent_walk_nodes_max.
Result<bool> is_silent(const LoadContext& loading, run::NodeRow node);

}  // namespace baton::engine
