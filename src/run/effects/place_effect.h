#pragma once
// What becomes of a step with an effect that another branch of the run had: it runs again, takes
// the result that it had there, or waits for a person. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/effects/receipts.h"
#include "run/graph/state.h"
#include "run/policy/policy.h"
#include "run/show/reply.h"
#include "run/walk/scripts.h"

namespace baton::run {

/// Whether a step changes something outside: a command that the server could run, unless its author
/// says that it only reads; any other step where its author says so.
bool has_effect(const workflow::Step& step);
/// Whether it is unknown what the command of a step changed outside. A command that only reads
/// changed nothing, and one that was cut short is for the author's `on_error` where the step has
/// one; without it the agent looks.
bool leaves_unknown(const workflow::Step& step, ProcessEnd end);
/// Whether what the agent sends for it is a receipt.
bool is_reported(const workflow::Step& step);

/// The steps of a workflow whose author says that they only read.
class ReadingSteps {
 public:
  explicit ReadingSteps(const workflow::CompiledWorkflow& workflow);
  /// `key`: of the step in its round.
  bool contains(std::string_view key) const;

 private:
  std::vector<std::string> ids_;
};

/// The hash of what the open step of `state` is about to do; zero when it cannot be told. It is
/// never that of a receipt then.
Known<Sha256> effect_hash_at(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                             Scripts& scripts);

/// What a person may choose at a gate of kind `effect`.
namespace choices {
inline constexpr std::string_view reuse = "reuse";    // take the result that it had
inline constexpr std::string_view repeat = "repeat";  // run it again
inline constexpr std::string_view undo = "undo";      // undo the one that is named, then look again
inline constexpr std::string_view first = "first";    // the first that was offered
}  // namespace choices

/// What a person chose for the open step of `state`; empty: none was asked. An approval that
/// chooses nothing means the first that was offered.
std::string_view chosen_effect(const NodeState& state, const Sha256& subject);

struct EffectPlan {
  enum class Way : std::uint8_t { run, reuse, ask };
  Way way = Way::run;
  std::optional<EffectReceipt> of = {};  // that is reused, or asked about
  bool may_reuse = false;
  std::string warning = {};  // for the caller; may be empty
};

struct EffectQuestion {
  const workflow::Step& step;
  const NodeState& state;  // where the step is open
  const Policy& policy;
  std::span<const EffectReceipt> elsewhere;  // the newest first
  Sha256 hash;                               // of what it is about to do
  std::string_view choice;                   // of a person; may be empty
};

/// What a person decides about: the effect that is due, and those that other branches had by then.
/// A word about others does not let it happen once more.
Sha256 subject_of(const EffectQuestion& question);

EffectPlan plan_effect(const EffectQuestion& question);

/// The gate where the run waits for a person. `least`: the assurance that a decision needs. An
/// effect that can be undone is offered to be.
Gate effect_gate(const EffectQuestion& question, const EffectPlan& plan, Assurance least);

/// The node of the effect that a word at this gate asks to undo first; nothing when it asks for
/// something else.
std::optional<NodeId> undo_asked_by(const Gate& gate, const GateWord& word);

/// What an agent is told of a step whose result the server takes from another branch.
Pending pending_reuse(const workflow::Step& step, const EffectReused& reuse);
bool is_reuse(const Pending& pending);

}  // namespace baton::run
