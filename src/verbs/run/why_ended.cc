#include "verbs/run/why_ended.h"

#include "engine/load/load.h"

namespace baton::verbs {

Result<std::optional<EndReason>> why_ended(const engine::LoadContext& loading,
                                           const engine::RunPoint& point) {
  if (point.state->run_state == run::RunState::running) return std::nullopt;
  EndReason out{.step = {}, .type = "ended", .message = {}};
  if (const auto& error = point.state->known().setbacks.error) {
    out = {error->step, error->type, error->message};
  }
  for (const run::Event& event : TRY(load_events(loading, point.node.no.commit()))) {
    const auto* ended = std::get_if<run::RunStateChanged>(&event);
    if (ended != nullptr && !ended->reason.empty()) out.message = ended->reason;
  }
  return out;
}

}  // namespace baton::verbs
