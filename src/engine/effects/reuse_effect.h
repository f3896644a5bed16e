#pragma once
// The server's own attempt at a step whose effect another branch had: with the result of that one.

#include "engine/attempt.h"

namespace baton::engine {

/// What is submitted at the node of `state.reuse`. What was undone since fails the step. REQUIRES:
/// the server takes a result for the open step of `state`.
Result<Submission> reused_result(const ReadContext& reading, const run::NodeState& state);

}  // namespace baton::engine
