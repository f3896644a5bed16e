#include "verbs/step_history.h"

#include "verbs/load.h"

namespace baton::verbs {

Result<StepHistory> step_history(const Reading& reading, const RunPoint& point) {
  StepHistory out;
  // Only a run's last step can have failed: that ends it.
  bool failed = point.state->run_state == run::RunState::failed;
  for (run::NodeRow node = point.node; node.parent;) {
    if (out.steps.size() == limits::step_history_max) {
      out.is_whole = false;
      break;
    }
    // Checkpoints and blocked attempts came in between; the step became open before them.
    const std::string step = node.settled_step;
    const WallMs completed = node.created;
    node = TRY(load_node(reading, *node.parent));
    while (!step.empty() && node.parent && node.settled_step.empty()) {
      node = TRY(load_node(reading, *node.parent));
    }
    if (!step.empty()) out.steps.push_back({step, node.created, completed, failed});
    failed = false;
  }
  return out;
}

}  // namespace baton::verbs
