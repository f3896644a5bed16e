#pragma once
// What is to be done next in a run, or in one of its tasks, for surfaces without tokens. Coming for
// it moves what can move by itself: leases, settled tasks, a step whose tasks are done.

#include "run/steps/parallel_foreach.h"
#include "verbs/run/complete_step.h"
#include "verbs/run/lease_task.h"

namespace baton::verbs {

struct NextStep {
  std::optional<engine::RunPoint> point;  // nothing when the task must wait or was abandoned
  std::int64_t wait_ms = 0;               // of a task that must wait
  std::optional<run::TaskStatus> status;  // of a task that is settled
  std::optional<EndReason> why = {};      // of a task or a run that failed
  /// Of a step that sub-agents carry out: what is open, and how many are settled.
  std::optional<run::TaskList> tasks;
  std::size_t settled = 0;
  std::size_t failed = 0;
};

Result<NextStep> next_step(engine::Engine& engine, const engine::Principal& principal,
                           std::string_view run, const engine::WaitPolicy& wait);

Result<NextStep> next_step_of_task(engine::Engine& engine, const engine::Principal& principal,
                                   std::string_view run, std::string_view task,
                                   const engine::WaitPolicy& wait);

/// Settles a step of a task. NOT_FOUND for a task that was not started, and for an abandoned one.
Result<engine::NodeAnswer> complete_step_of_task(engine::Engine& engine,
                                                 const engine::Principal& principal,
                                                 const StepRequest& request, std::string_view task);

/// The run that carries out a task by now, and the frame of its state that is the task's: its own,
/// or empty for the root's. NOT_FOUND for a task that was not started.
struct TaskRun {
  run::RunRow run;
  std::string frame;
};
Result<TaskRun> run_of_task(const engine::ReadContext& reading, const engine::Principal& principal,
                            std::string_view run, std::string_view task);
/// The same for who changes it: also NOT_FOUND for a task that was abandoned.
Result<TaskRun> run_of_live_task(const engine::ReadContext& reading,
                                 const engine::Principal& principal, std::string_view run,
                                 std::string_view task);

/// Of a point where sub-agents work: adds what is open by now.
Result<void> add_open_tasks(const engine::ReadContext& reading, const engine::RunPoint& point,
                            NextStep& out);

}  // namespace baton::verbs
