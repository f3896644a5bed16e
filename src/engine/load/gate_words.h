#pragma once
// What persons said at the gates of a run. Reads only.

#include <optional>
#include <vector>

#include "engine/engine.h"
#include "run/decide/gates.h"
#include "run/decide/heard_gate.h"
#include "run/graph/state.h"

namespace baton::engine {

struct GateWords {
  std::vector<run::GateWord> counted;  // in order; those whose seals are not genuine are left out
  std::int64_t recorded = 0;           // all of them

  run::GateVerdict verdict(const run::Gate& gate) const { return run::verdict_of(gate, counted); }
};

/// Whether the seal of a word is of exactly that decision, by a key that counted in the commit `at`
/// that has it; without one, that counts now.
Result<bool> is_genuine(const ReadContext& reading, const run::NodeState& state,
                        const run::Gate& gate, const run::GateWord& word,
                        std::optional<run::CommitNo> at = {});

/// With the words first that decided about the same output at an earlier gate of the same step.
/// REQUIRES: the gate was opened in the session of `state`.
Result<GateWords> gate_words(const ReadContext& reading, const run::NodeState& state,
                             const run::Gate& gate);

/// The words at the gate where `state` waits; none where it does not.
Result<std::vector<run::GateWord>> words_at(const ReadContext& reading,
                                            const run::NodeState& state);

/// The gates that the way to `node` has for its open step, oldest first, but for `without`; none
/// where no attempt at the step came before. Of a long way, the limits::recap_walk_nodes_max
/// newest nodes.
Result<std::vector<run::HeardGate>> heard_gates(const ReadContext& reading,
                                                const run::NodeState& state,
                                                const run::NodeRow& node, const NodeId& without);

/// The gate that a recorded answer says the run waits at, if it was blocked by it.
Result<std::optional<run::Gate>> gate_in(const run::AdvanceRecorded& record);

/// Says in a reply what was decided since at the gate that it names.
Result<void> add_gate_words(const ReadContext& reading, const run::NodeState& state,
                            run::Reply& reply);

/// "the user (local) approved it in a terminal: the reason".
std::string word_text(const run::GateWord& word);

}  // namespace baton::engine
