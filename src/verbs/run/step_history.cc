#include "verbs/run/step_history.h"

#include <optional>

#include "engine/load/load.h"

namespace baton::verbs {
namespace {

/// Why the step that led to a node failed; nothing when it did not.
Result<std::optional<std::string>> problem_at(const engine::ReadContext& reading,
                                              const run::NodeRow& node) {
  for (const run::Event& event : TRY(load_events(reading, node.no.commit()))) {
    const auto* failed = std::get_if<run::StepFailed>(&event);
    if (failed != nullptr) return failed->error.message;
  }
  return std::nullopt;
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
    const auto problem = step.empty() ? std::nullopt : TRY(problem_at(reading, node));
    node = TRY(load_parent(reading, node));
    ++looked_at;
    while (!step.empty() && node.parent && node.settled_step.empty() && may_look()) {
      node = TRY(load_parent(reading, node));
      ++looked_at;
    }
    if (!step.empty()) {
      out.steps.push_back(
          {step, node.created, completed, problem.has_value(), problem.value_or("")});
    }
  }
  return out;
}

}  // namespace baton::verbs
