#pragma once
// What was decided at the gates of a run, by whom and how. Reads only.

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "run/log/gate_events.h"

namespace baton::verbs {

struct Decision {
  std::string step;  // of the gate
  run::GateKind kind = run::GateKind::step;
  NodeId gate;  // the node that it was opened at; of a word that opened none, its own
  run::GateWord word;
  WallMs at;
};

/// Every word at a gate, in the order of the log: those that were said beside an attempt, and those
/// that came with one.
Result<std::vector<Decision>> decisions_of(ports::EventReader& store, const run::RunRow& run);

/// The word that decided the gate of a node, wherever it was said; nothing where none did.
std::optional<Decision> decision_at(const std::vector<Decision>& all, const NodeId& gate);

/// "the user (local) approved it in a terminal (present)", with the choice and the reason.
std::string decision_text(const Decision& decision);

/// Why a run does not go on with its agent's next call, in one sentence for its owner; empty where
/// it does.
Result<std::string> obstacle_of(const engine::ReadContext& reading, const run::RunRow& run);

}  // namespace baton::verbs
