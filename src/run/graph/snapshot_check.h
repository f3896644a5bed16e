#pragma once
// Whether a snapshot is one of a state that was folded from the log. Pure.

#include <string_view>

#include "run/graph/state.h"

namespace baton::run {

/// The counts of breakers have no part in it: releases that have no breakers wrote snapshots
/// without them, and counting goes on from such a snapshot.
bool is_snapshot_of(std::string_view text, const NodeState& state);

}  // namespace baton::run
