#pragma once
// The lease of a task: who carries it out, and until when. Two files need it: a sub-agent that
// comes for a task, and an advance of a task's run.

#include "engine/tasks/find_tasks.h"

namespace baton::engine {

/// One task as the board has it, and what else decides about it.
struct TaskView {
  run::TaskBoard::Task task;
  bool is_live = false;
  bool is_full = false;
  bool is_joinable = false;
  std::int64_t next_end_ms = 0;  // until the next lease ends
};

Result<TaskView> look_at_task(const ReadContext& reading, const Tasks& tasks, std::size_t item,
                              WallMs now);

/// `settled`: when the task's run is over as soon as it begins.
Result<void> append_lease(Engine& engine, const Tasks& tasks, std::size_t item,
                          const run::TaskBoard::Task& task, const run::TaskBoard::Lease& lease,
                          std::optional<run::TaskSettled> settled);

/// Renews what is held, when less than half of it is left.
Result<void> renew_lease(Engine& engine, const Tasks& tasks, std::size_t item,
                         std::int64_t attempt);

}  // namespace baton::engine
