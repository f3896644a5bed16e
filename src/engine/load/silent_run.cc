#include "engine/load/silent_run.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/load/load.h"

namespace baton::engine {
namespace {

bool tells_something(const run::Event& event) {
  if (const auto* output = std::get_if<run::NodeOutputAppended>(&event)) {
    const auto* notes = std::get_if<run::Notes>(&output->payload);
    return notes == nullptr || !trimmed(notes->markdown).empty();
  }
  return std::holds_alternative<run::ProcessFinished>(event) ||
         std::holds_alternative<run::TaskSettled>(event) ||
         std::holds_alternative<run::StateUpdated>(event) ||
         std::holds_alternative<run::StepFailed>(event) ||
         std::holds_alternative<run::RunStateChanged>(event);
}

}  // namespace

Result<bool> is_silent(const LoadContext& loading, run::NodeRow node) {
  for (std::size_t looked = 0; looked < limits::silent_walk_nodes_max; ++looked) {
    const auto events = TRY(load_events(loading, node.no.commit()));
    if (std::ranges::any_of(events, tells_something)) return false;
    // A run that no step was done in has nothing to tell.
    if (!node.parent) return looked > 0;
    node = TRY(load_parent(loading, node));
  }
  return false;
}

}  // namespace baton::engine
