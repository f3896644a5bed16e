#include "run/log/event.h"

#include <algorithm>

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

namespace {

/// Whether 0.1.0 does not know the name.
bool is_newer_than_format_1(Reason reason) { return reason > Reason::evidence_missing; }
bool is_newer_than_format_1(BlockerCode code) { return code > BlockerCode::EVIDENCE_MISSING; }

/// Whether an entry of a list in a reply names a member of `Set` that 0.1.0 does not know.
template <class Set>
bool names_newer(const json::Value& reply, std::string_view list, std::string_view key) {
  const json::Value* found = reply.find(list);
  const json::Array* entries = found == nullptr ? nullptr : found->if_array();
  return entries != nullptr && std::ranges::any_of(*entries, [&](const json::Value& each) {
           const json::Value* name = each.find(key);
           const std::string* text = name == nullptr ? nullptr : name->if_string();
           const auto member = text == nullptr ? std::nullopt : from_name<Set>(*text);
           return member && is_newer_than_format_1(*member);
         });
}

/// Whether a recorded reply has a member or a name that 0.1.0 does not know.
bool is_newer_than_format_1(const json::Value& reply) {
  constexpr std::string_view newer[] = {"left", "gate", "assumptions", "guidance"};
  return std::ranges::any_of(newer, [&](auto key) { return reply.find(key) != nullptr; }) ||
         names_newer<BlockerCode>(reply, "blockers", "code") ||
         names_newer<Reason>(reply, "gaps", "reason");
}

}  // namespace

std::int64_t format_of(const Event& event) {
  // Each field or kind that 0.1.0 does not know is named here.
  return std::visit(
      Overloaded{[](const auto&) { return 1; },
                 [](const RunStarted& e) { return e.workflow_form != 0 ? 2 : 1; },
                 [](const PreferencesChanged& e) { return e.change ? 2 : 1; },
                 [](const RunHeld&) { return 2; },
                 [](const GuidanceGiven&) { return 2; },
                 [](const GuidanceDelivered&) { return 2; },
                 [](const GateOpened&) { return 2; },
                 [](const GateAnswered&) { return 2; },
                 [](const GateDecided&) { return 2; },
                 [](const AssumptionRecorded&) { return 2; },
                 [](const EffectReported&) { return 2; },
                 [](const EffectReused&) { return 2; },
                 [](const UndoIntended&) { return 2; },
                 [](const UndoFinished&) { return 2; },
                 [](const PolicyApplied&) { return 2; },
                 [](const BudgetSet&) { return 2; },
                 [](const TokensUsed&) { return 2; },
                 [](const UsageCounted&) { return 2; },
                 [](const DecisionsImported&) { return 2; },
                 [](const ApprovalKeyChanged&) { return 2; },
                 [](const PolicySigned&) { return 2; },
                 [](const GapRecorded& e) { return is_newer_than_format_1(e.gap.reason) ? 2 : 1; },
                 [](const AdvanceRecorded& e) { return is_newer_than_format_1(e.reply) ? 2 : 1; },
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
