#pragma once
// Advances a run, or takes a checkpoint of it. After the attempt comes what follows from it: the
// steps that the server runs itself, the step of another run whose last task this was, and the
// watcher of the run.

#include "engine/attempt.h"
#include "engine/tasks/find_tasks.h"
#include "engine/wait_policy.h"

namespace baton::engine {

/// Settles the step of `place`. Of a step that sub-agents settle: its end, or which tasks are open.
Result<NodeAnswer> advance(Engine& engine, const Principal& principal, Place place,
                           const Submission& submission, const WaitPolicy& wait = {});

/// REQUIRES: `place` is of a checkpoint.
Result<NodeAnswer> checkpoint(Engine& engine, Place place, const Submission& submission);

/// Ends a step whose tasks are settled: the server makes the attempt at it. Nothing while there is
/// something to wait for. A second call gets the recorded answer.
Result<std::optional<NodeAnswer>> join_tasks(Engine& engine, const Principal& principal,
                                             const Tasks& tasks);

}  // namespace baton::engine
