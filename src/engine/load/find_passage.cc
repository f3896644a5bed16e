#include "engine/load/find_passage.h"

#include <algorithm>

#include "engine/load/load.h"
#include "run/decide/gates.h"

namespace baton::engine {
namespace {

/// The nodes where the step of `place` is open: those above it up to where the run came to the
/// step, itself, and those below it until the step is settled.
Result<std::vector<run::NodeRow>> nodes_of_step(const ReadContext& reading, const Place& place,
                                                std::span<const run::Descendant> below) {
  std::vector<run::NodeRow> out{place.node};
  while (out.back().kind != run::NodeKind::step && out.back().parent &&
         out.size() <= limits::recap_walk_nodes_max) {
    out.push_back(TRY(load_parent(reading, out.back())));
  }
  for (const run::Descendant& each : below) {
    if (!each.settled_step.empty() || each.is_end) break;
    out.push_back(TRY(load_node(reading, each.node)));
  }
  return out;
}

}  // namespace

bool has_passed(const RecordedAttempt& made, std::string_view step, const run::StepInput& input) {
  const auto output = run::gate_output(input);
  return output && std::ranges::any_of(made.events, [&](const run::Event& event) {
           const auto* decided = std::get_if<run::GateDecided>(&event);
           return decided != nullptr && decided->step == step && decided->output == *output &&
                  run::is_about_output(decided->kind) &&
                  decided->word.decision == run::GateDecision::approved;
         });
}

Result<std::optional<RecordedAttempt>> find_passage(const ReadContext& reading, const Place& place,
                                                    std::span<const run::Descendant> below,
                                                    const run::StepInput& input,
                                                    const std::optional<Sha256>& hash) {
  if (!hash) return std::nullopt;
  run::AttemptKey key{.kind = place.attempt.kind, .ordinal = place.attempt.ordinal};
  for (const run::NodeRow& node : TRY(nodes_of_step(reading, place, below))) {
    const auto settled = TRY(reading.store.settled(node.no, key.kind, key.ordinal));
    for (key.count = 0; key.count < settled.count; ++key.count) {
      auto made = TRY(load_attempt(reading, node, key));
      if (!made || TRY(load_node(reading, made->made)).settled_step != place.step) continue;
      if (has_passed(*made, place.step, input)) return made;
    }
  }
  return std::nullopt;
}

Result<std::optional<run::NodeRow>> servers_node_below(const ReadContext& reading,
                                                       const Place& place,
                                                       std::span<const run::Descendant> below) {
  if (!run::waits_first(*TRY(load_state(reading, place.node)))) return std::nullopt;
  std::optional<NodeId> begun;
  for (const run::Descendant& each : below) {
    if (!each.settled_step.empty() || each.is_end) break;
    const auto state = TRY(load_state(reading, TRY(load_node(reading, each.node))));
    if (state->process != nullptr) begun = state->process->node;
    if (state->reuse != nullptr) begun = state->reuse->node;
  }
  if (!begun) return std::nullopt;
  return reading.store.node_by_id(*begun);
}

}  // namespace baton::engine
