#include "verbs/run/decisions.h"

#include <map>
#include <ranges>

#include "base/text/text.h"
#include "engine/load/gate_words.h"
#include "engine/load/load.h"
#include "engine/load/owner_words.h"
#include "engine/revocation.h"
#include "run/decide/hold.h"
#include "verbs/run/history.h"

namespace baton::verbs {
namespace {

/// Where the gate was opened that a word let pass which came with the attempt.
NodeId opened_at(const std::map<NodeId, run::Gate>& gates, const run::GateDecided& decided) {
  for (const auto& [node, gate] : gates | std::views::reverse) {
    if (gate.step == decided.step && gate.kind == decided.kind && gate.output == decided.output) {
      return node;
    }
  }
  return decided.node;
}

}  // namespace

Result<std::vector<Decision>> decisions_of(ports::EventReader& store, const run::RunRow& run) {
  std::vector<Decision> out;
  std::map<NodeId, run::Gate> gates;
  for (LoggedEvent& each : TRY(run_log(store, run))) {
    if (const auto* opened = std::get_if<run::GateOpened>(&each.event)) {
      gates.insert_or_assign(opened->gate.node, opened->gate);
    } else if (auto* answered = std::get_if<run::GateAnswered>(&each.event)) {
      const auto gate = gates.find(answered->word.gate);
      if (gate == gates.end()) continue;
      const auto& [node, about] = *gate;
      out.push_back({about.step, about.kind, node, std::move(answered->word), each.at});
    } else if (auto* decided = std::get_if<run::GateDecided>(&each.event)) {
      // A word that was said at the gate is in the log already.
      if (decided->word.gate != decided->node) continue;
      const NodeId gate = opened_at(gates, *decided);
      out.push_back({decided->step, decided->kind, gate, std::move(decided->word), each.at});
    }
  }
  return out;
}

std::optional<Decision> decision_at(const std::vector<Decision>& all, const NodeId& gate) {
  for (const Decision& each : all | std::views::reverse) {
    if (each.gate == gate) return each;
  }
  return std::nullopt;
}

std::string decision_text(const Decision& decision) {
  const run::GateWord& word = decision.word;
  run::GateWord plain = word;
  plain.reason.clear();
  std::string out = cat(engine::word_text(plain), " (", name_of(word.assurance), ')');
  if (!word.choice.empty()) out += cat(", ", word.choice);
  return word.reason.empty() ? out : cat(out, ": ", word.reason);
}

Result<std::string> obstacle_of(const engine::ReadContext& reading, const run::RunRow& run) {
  const run::NodeRow tip = TRY(load_node(reading, run.tip));
  if (TRY(engine::is_revoked(reading, tip))) {
    return std::string("The run was revoked: it takes no calls any more.");
  }
  if (const auto held = TRY(engine::hold_at(reading, *TRY(load_state(reading, tip))))) {
    return cat("The run is held, and takes no calls until it is resumed: ", run::hold_text(*held),
               '.');
  }
  if (tip.open_steps.empty()) {
    return std::string("The run has ended, and goes on only where its agent goes back in it.");
  }
  return std::string();
}

}  // namespace baton::verbs
