#pragma once
// Gates: whether a person has agreed to what an attempt is about. Every kind of gate goes the same
// way: who needs one says what it is about (GateAsk) and asks Gates::pass(), which finds the words
// that count, notes what they decided, or opens the gate. Pure.
//
//   const Gates gates(command_.words, command_.heard, came_with, command_.parent, now);
//   Passage passage = gates.pass(ask, state, facts);
//   if (!passage.is_passed) { ... passage.finding says why; the attempt is blocked ... }
//   // else passage.choice is what the person chose; it may be empty

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/checks/artifacts.h"
#include "run/checks/person_rule.h"
#include "run/decide/heard_gate.h"
#include "run/decide/submission.h"
#include "run/decide/verdict.h"
#include "run/graph/state.h"
#include "run/policy/policy.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

/// What a person is asked to agree to, before there is a gate.
struct GateAsk {
  GateKind kind = GateKind::step;
  std::string step;  // the key of the open step
  std::string question;
  Assurance least = Assurance::claimed;
  std::string who = {};
  std::int64_t count = 1;
  std::optional<std::int64_t> expires_minutes = {};
  std::optional<Sha256> output = {};  // what it is about; none: nothing that an agent sent
  std::vector<std::string> choices = {};
  json::Object offer = {};  // what an approval changes
};

/// What the beginning of a command goes by.
struct CommandBeginning {
  const workflow::CompiledWorkflow& workflow;
  std::string_view runner;  // empty: no command is run
  const Policy& policy;
  WallMs now;
  bool is_simulated = false;
};

/// Lets the server run the command of the step that `state` has come to, or opens its gate first.
Known<void> begin_command(const CommandBeginning& at, NodeState& state, std::vector<Event>& facts,
                          Scripts& scripts);

/// What came of asking.
struct Passage {
  bool is_passed = false;
  std::string choice = {};              // of an approval
  ChangeSource source = {};             // of the word that decided
  std::optional<Finding> finding = {};  // why it is not passed: it waits, or was refused
  bool is_refused = false;
  bool operator==(const Passage&) const = default;
};

/// What the words at a gate come to.
struct GateVerdict {
  enum class Kind : std::uint8_t { waiting, approved, refused } kind = Kind::waiting;
  const GateWord* word = nullptr;  // the one that decided
};

/// The first refusal decides, or the last of as many approvals as the gate asks for, by different
/// keys where it asks for more than one. Words that are not sure enough, and approvals that leave
/// open what is chosen, count as nothing.
GateVerdict verdict_of(const Gate& gate, std::span<const GateWord> words);

/// "reuse, repeat"
std::string choices_text(const Gate& gate, std::string_view between = ", ");

/// Whether an approval says which of several choices it is for; a refusal needs none.
bool is_clear(const Gate& gate, const GateWord& word);

/// Whether it can no longer be passed by what was said before.
bool is_expired(const Gate& gate, WallMs now);

/// The strictest of what a step and the policy ask for.
Assurance least_of(const workflow::Step& step, const Policy& policy);
/// Of what no step speaks of.
Assurance least_of(const Policy& policy);

/// The output that a gate is about: what was sent, but for the words that agree to it and for what
/// it asks of the run itself.
Result<Sha256> gate_output(const StepInput& input);

/// What an agent is told of a step that waits at a gate before anything is done for it.
Pending pending_gate(const workflow::Step& step, const Gate& gate);

/// Whether it is about the run as a whole, which goes on no further by itself.
constexpr bool is_brake(GateKind kind) {
  return kind == GateKind::budget || kind == GateKind::breaker;
}

/// Whether it is about what the run does itself, so that it opens before anything is sent.
constexpr bool opens_on_arrival(GateKind kind) {
  return kind == GateKind::command || kind == GateKind::effect || kind == GateKind::gap ||
         is_brake(kind);
}

/// Whether the run waits at a gate that opened before its step began.
inline bool waits_first(const NodeState& state) {
  return state.gate != nullptr && opens_on_arrival(state.gate->kind);
}

class Gates {
 public:
  /// `words` were said at the gate where `parent` waits, those of `heard` at other gates of its
  /// step, and `came` with this attempt. All must outlive this.
  Gates(std::span<const GateWord> words, std::span<const HeardGate> heard,
        std::span<const GateWord> came, const NodeState& parent, WallMs now)
      : words_(words), heard_(heard), came_(came), parent_(parent), now_(now) {}

  /// Passes when it was passed before on this path, or by a word; the first decision about the same
  /// output counts. Else `state` waits at it: at the gate of the parent when that asks the same, or
  /// at a new one. Facts are added as they are
  /// recorded; `state` is of the new node.
  Passage pass(const GateAsk& ask, NodeState& state, std::vector<Event>& facts) const;

 private:
  std::span<const GateWord> words_;
  std::span<const HeardGate> heard_;
  std::span<const GateWord> came_;
  const NodeState& parent_;
  const WallMs now_;
};

/// Opens it at the node of `state`, which the run has just come to.
void open_gate(const GateAsk& ask, NodeState& state, std::vector<Event>& facts, WallMs now);

/// Whether the path has passed it, for the open step.
const PassedGate* passed_gate(const NodeState& state, const GateAsk& ask);

/// The words that come with an attempt: of a form, of a terminal, or as the agent repeats them.
std::vector<GateWord> words_with(const StepInput& input, const ChangeSource& source,
                                 const std::optional<GateWord>& asked, const NodeId& node);

// --- the questions of each kind -----------------------------------------------------------------

/// The gate of raised preferences.
GateAsk raise_ask(std::string step, const Preferences& from, const Preferences& to,
                  const Policy& policy);

/// The gate of the command that the run has come to; nothing where the step has none. `intended` is
/// nullptr where an agent would run it.
Known<std::optional<GateAsk>> command_ask(const workflow::CompiledWorkflow& workflow,
                                          const NodeState& state, const ProcessIntended* intended,
                                          const Policy& policy, Scripts& scripts);

/// The gate of a command with effects behind critical gaps, unless its author says that it runs in
/// spite of them; nothing where none is open.
std::optional<GateAsk> gap_ask(const workflow::CompiledWorkflow& workflow,
                               const workflow::Step& step, const NodeState& state,
                               const ProcessIntended& intended, const Policy& policy);

/// The gate of a rule that needs a word.
Known<GateAsk> person_ask(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                          const PersonRule& rule, const StepInput& input, const Policy& policy,
                          Scripts& scripts);

/// How many steps of a workflow have a gate of their own, which no mode passes.
std::int64_t count_gates(const workflow::CompiledWorkflow& workflow);

}  // namespace baton::run
