#pragma once
// Settling: what the end of a task's run means to the run it belongs to. Pure.

#include <span>
#include <vector>

#include "run/graph/state.h"

namespace baton::run {

/// `end`: the state at the run's last point; `path`: the commits on the way there, the first first.
/// Its result is that of the last step that handed one in; without any, what a frame of its own
/// computed. REQUIRES: the run is over, and `end.task`.
TaskSettled settled_by(const workflow::CompiledWorkflow& workflow, const workflow::Step& step,
                       const NodeState& end, std::span<const std::vector<Event>> path);

/// One that could not begin, or that took too long.
TaskSettled failed_task(const TaskRef& task, bool is_final, std::string type, std::string message);

/// Whether no attempt follows one that failed.
bool is_final_failure(const workflow::Step& step, std::int64_t attempt);

}  // namespace baton::run
