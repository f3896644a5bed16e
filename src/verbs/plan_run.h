#pragma once
// The bridge from a plan to a run: start a run of the plan's open tasks, and mark tasks in the plan
// as their steps are settled. The run is like any other and goes on through any surface.

#include "verbs/plan.h"
#include "verbs/tokens.h"

namespace baton::verbs {

/// NO_TASKS_FOUND when no task is open.
Result<SignedReply> start_plan_run(Engine& engine, const Planner& planner,
                                   const Principal& principal);

struct PlanSettled {
  bool of_plan = false;    // whether the run came from a plan; that never changes
  std::size_t marked = 0;  // tasks
};

/// Marks the tasks whose steps are settled on the way to the run's tip.
Result<PlanSettled> settle_plan(const Loading& loading, const Planner& planner, const RunId& run);

}  // namespace baton::verbs
