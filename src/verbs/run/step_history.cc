#include "verbs/run/step_history.h"

#include <algorithm>

#include "engine/load/load.h"

namespace baton::verbs {
namespace {

/// Whether the step that led to a node failed.
Result<bool> has_failed(const engine::ReadContext& reading, const run::NodeRow& node) {
  const engine::CommitEvents events = TRY(load_events(reading, node.no.commit()));
  return std::ranges::any_of(events, [](const run::Event& event) {
    return std::holds_alternative<run::StepFailed>(event);
  });
}

}  // namespace

Result<StepHistory> step_history(const engine::ReadContext& reading,
                                 const engine::RunPoint& point) {
  StepHistory out;
  std::size_t looked_at = 1;
  const auto may_look = [&] { return looked_at < limits::step_history_nodes_max; };
  for (run::NodeRow node = point.node; node.parent;) {
    if (out.steps.size() == limits::step_history_max || !may_look()) {
      out.is_whole = false;
      break;
    }
    // Checkpoints and blocked attempts came in between; the step became open before them.
    const std::string step = node.settled_step;
    const WallMs completed = node.created;
    const bool failed = !step.empty() && TRY(has_failed(reading, node));
    node = TRY(load_parent(reading, node));
    ++looked_at;
    while (!step.empty() && node.parent && node.settled_step.empty() && may_look()) {
      node = TRY(load_parent(reading, node));
      ++looked_at;
    }
    if (!step.empty()) out.steps.push_back({step, node.created, completed, failed});
  }
  return out;
}

}  // namespace baton::verbs
