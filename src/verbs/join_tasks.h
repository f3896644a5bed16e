#pragma once
// Ends a step whose tasks are settled: the server makes the attempt at it, as if the agent had.

#include "verbs/find_tasks.h"
#include "verbs/tokens.h"

namespace baton::verbs {

/// Nothing while there is something to wait for. Whoever comes second gets the recorded answer.
Result<std::optional<SignedReply>> join_tasks(Engine& engine, const Principal& principal,
                                              const Tasks& tasks);

/// The same with whatever is settled by now.
Result<SignedReply> end_tasks(Engine& engine, const Principal& principal, const Tasks& tasks);

/// What follows from an advance of a task's own run: a renewed lease or, at its end, its settlement
/// and what comes of that.
Result<void> follow_task(Engine& engine, const Principal& principal, const run::Reply& reply);

/// The answer to whoever acknowledges such a step: of the step's end, or which tasks are open.
Result<SignedReply> answer_for_tasks(Engine& engine, const Principal& principal,
                                     const OpenToken& open);

}  // namespace baton::verbs
