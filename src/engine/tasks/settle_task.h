#pragma once
// Records the outcome of tasks in the log of the run they belong to, once each. What a dead
// process left undone is done at the next contact.

#include "engine/tasks/find_tasks.h"

namespace baton::engine {

/// Settles an attempt whose run is over; nothing happens when that was done before.
Result<void> settle_task(Engine& engine, const Tasks& tasks, std::size_t item, std::int64_t attempt,
                         const run::RunRow& child);

/// What the end of its run makes of a task. REQUIRES: it is over.
Result<run::TaskSettled> settlement_of(const LoadContext& loading, const Tasks& tasks,
                                       const run::TaskRef& task, const run::RunRow& child);

/// Settles with `settled` an attempt that has no run, or whose run does not matter.
Result<void> append_settled(Engine& engine, const Tasks& tasks, run::TaskSettled settled);

/// Settles every task whose run is over, and those that are open past the step's time.
Result<void> settle_ended_tasks(Engine& engine, const Tasks& tasks);

}  // namespace baton::engine
