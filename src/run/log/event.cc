#include "run/log/event.h"

#include "base/core/overloaded.h"

namespace baton::run {

Event::Event() = default;
Event::Event(const Event& other) = default;
Event::Event(Event&& other) noexcept = default;
Event& Event::operator=(const Event& other) = default;
Event& Event::operator=(Event&& other) noexcept = default;
Event::~Event() = default;
bool Event::operator==(const Event& other) const {
  return static_cast<const AnyEvent&>(*this) == static_cast<const AnyEvent&>(other);
}

bool NodeCreated::operator==(const NodeCreated& other) const {
  const bool same_items = items == other.items ||
                          (items != nullptr && other.items != nullptr && *items == *other.items);
  return same_items && run == other.run && node == other.node && parent == other.parent &&
         kind == other.kind && position == other.position && open_steps == other.open_steps &&
         settled_step == other.settled_step && frames == other.frames && shown == other.shown;
}

std::int64_t format_of(const Event& event) {
  // Each field or kind that 0.1.0 does not know is named here.
  return std::visit(
      Overloaded{[](const auto&) { return 1; },
                 [](const PreferencesChanged& e) { return e.change ? 2 : 1; },
                 [](const RunHeld&) { return 2; }, [](const GuidanceGiven&) { return 2; },
                 [](const GuidanceDelivered&) { return 2; },
                 [](const EvidenceRecorded& fact) {
                   return is_newer_than_format_1(fact.baseline) ? 2 : 1;
                 }},
      event);
}

CommitIndex index_of(std::span<const Event> events) {
  CommitIndex index;
  index.events = std::ssize(events);
  for (const Event& event : events) {
    std::visit(
        Overloaded{
            [&](const RunStarted& e) {
              index.started = {e.run, e.workflow_id, e.workflow_hash, e.goal,
                               e.task ? std::optional(e.task->run) : std::nullopt};
            },
            [&](const NodeCreated& e) {
              index.nodes.push_back(
                  {e.node, e.run, e.parent, e.kind, e.open_steps, e.settled_step});
            },
            [&](const AdvanceRecorded& e) { index.attempts.push_back({e.node, e.attempt, e.to}); },
            [&](const TokensRevoked& e) { index.revoked.push_back(e.run); },
            [](const auto&) {},
        },
        event);
  }
  return index;
}

}  // namespace baton::run
