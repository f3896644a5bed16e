#pragma once
// Runs the steps whose commands are the server's: starts each, waits for its end and records its
// result, until a step is the agent's or the caller has waited long enough.

#include "engine/load/find_open_step.h"
#include "engine/wait_policy.h"

namespace baton::engine {

/// The answer to a caller that got `answer`: of the first step that is not the server's, or of the
/// one whose command still runs, here or elsewhere. A command whose end is not known makes its step
/// the agent's. What earlier answers said and the last does not is added to the last.
Result<NodeAnswer> run_server_steps(Engine& engine, NodeAnswer answer, const WaitPolicy& wait);

/// The same for a caller that returns to a node.
Result<NodeAnswer> run_server_steps_at(Engine& engine, const NodeId& node, const WaitPolicy& wait);

/// The latest point of a run, once its server steps were run.
Result<RunPoint> run_server_steps_of(Engine& engine, const Principal& principal,
                                     std::string_view run, const WaitPolicy& wait);

}  // namespace baton::engine
