#pragma once
// A person decides at a gate where a run waits, from anywhere: a form, a terminal, the console. The
// first decision counts; it is a commit beside the nodes, so that it counts in every process. The
// run goes on when its agent sends the output again.

#include "engine/engine.h"
#include "run/log/gate_events.h"

namespace baton::verbs {

struct GateAnswer {
  run::GateDecision decision = run::GateDecision::approved;
  run::Assurance assurance = run::Assurance::claimed;  // what its source shows, not what it says
  std::string reason = {};
  std::string choice = {};  // one of the gate's, when it has choices
  run::ChangeSource source = {};
  std::optional<run::Seal> seal = {};
};

struct AnsweredGate {
  run::Gate gate;
  run::GateWord word;        // as it is recorded
  bool is_decided = true;    // false: the gate waits for further approvals
  std::int64_t missing = 0;  // how many
};

/// The gate where a run waits: at its newest point, or the one that was opened at `node`. What was
/// said there so far is not in it. NOT_FOUND when there is none.
Result<run::Gate> find_gate(const engine::ReadContext& reading, const run::RunRow& run,
                            const std::optional<NodeId>& node = {});

/// Whether the answer could be recorded at this gate now, as far as it can be told before it is
/// sealed: what it says is not too long, an approval comes in time and names one of several
/// choices. Where there is one choice, an approval gets it.
Result<void> check_answer(const run::Gate& gate, GateAnswer& answer, WallMs now);

/// INVALID_INPUT when the gate is decided already, with who decided it, when it has expired, when
/// the assurance is less than it asks for, and when a seal is not genuine. Nothing is recorded
/// then.
Result<AnsweredGate> answer_gate(engine::Engine& engine, const run::RunRow& run,
                                 const std::optional<NodeId>& gate, const GateAnswer& answer);

}  // namespace baton::verbs
