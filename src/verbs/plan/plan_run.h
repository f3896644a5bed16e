#pragma once
// The bridge from a plan to a run: start a run of the plan's open tasks, and mark tasks in the plan
// as their steps are settled. The run is like any other and continues through any surface.

#include <functional>

#include "engine/load/lru.h"
#include "verbs/plan/plan.h"
#include "verbs/run/start_run.h"

namespace baton::verbs {

/// NO_TASKS_FOUND when no task is open.
Result<engine::NodeAnswer> start_plan_run(engine::Engine& engine, const Planner& planner,
                                          const engine::Principal& principal);

struct PlanSettled {
  bool of_plan = false;    // whether the run came from a plan; that never changes
  std::size_t marked = 0;  // tasks
};

/// Marks the tasks whose steps are settled, from the run's tip back to the first that is marked
/// already: what comes before it was marked when it was settled.
Result<PlanSettled> settle_plan(const engine::LoadContext& loading, const Planner& planner,
                                const RunId& run);

/// Marks tasks as runs of the plan continue. Any thread.
class PlanMarker final : public engine::RunWatcher {
 public:
  using PlannerSource = std::function<Planner()>;
  explicit PlanMarker(PlannerSource planner) : planner_(std::move(planner)) {}
  void advanced(const engine::LoadContext& loading, const RunId& run) override;

 private:
  const PlannerSource planner_;
  engine::Lru<std::string, bool> others_{limits::cached_states_max};  // runs that came from no plan
};

}  // namespace baton::verbs
