#pragma once
// Gates as events: where a run waits for a person, what the person said, and what came of it. A
// word of a person is a commit beside the nodes, so that it counts in every process; the attempt
// that it lets pass records it again on its path. Values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "base/text/text.h"
#include "run/log/types.h"
#include "run/policy/assurance.h"

namespace baton::run {

/// What a person decides about.
enum class GateKind : std::uint8_t {
  confirmation,  // the output of a step with requireConfirmation
  question,      // the answer to a user_input
  step,          // the output of a step with a gate of its own
  command,       // a command of the server, before it starts
  raise,         // preferences that go further than those of the run
  effect,        // what becomes of an effect that another branch had
  budget,        // whether the run may use more
  breaker,       // whether a run that fails or repeats itself may continue
  gap            // a command of the server behind an open critical gap
};
template <>
inline constexpr Names<9> names_of<GateKind> = {
    "confirmation", "question", "step", "command", "raise", "effect", "budget", "breaker", "gap"};

/// A gate where a run waits. The node that it was opened at names it: a node has at most one.
struct Gate {
  NodeId node;
  std::string step;  // the key of the open step
  GateKind kind = GateKind::step;
  std::string question;                   // what the person is asked, as plain text
  Assurance least = Assurance::claimed;   // that a decision has to have
  std::string who = {};                   // whom to ask, in the author's words; may be empty
  std::int64_t count = 1;                 // approvals by different keys
  std::optional<WallMs> expires = {};     // when it can no longer be approved
  std::optional<Sha256> output = {};      // of the output it is about; none: of none
  std::vector<std::string> choices = {};  // one of them comes with an approval; may be empty
  json::Object offer = {};                // what an approval changes, by its kind
  bool operator==(const Gate&) const = default;

  static constexpr std::string_view name = "gate";
  static void describe(auto& e, auto& v) {
    v("node", e.node);
    v("step", e.step);
    v("gate", e.kind);
    v("question", e.question);
    v("assurance", e.least);
    v.unless_empty("who", e.who);
    v.counted("count", e.count);
    v.unless_empty("expires", e.expires);
    v.unless_empty("output", e.output);
    v.unless_empty("choices", e.choices);
    v.unless_empty("offer", e.offer);
  }
};

/// The run waits at its `node`.
struct GateOpened {
  RunId run;
  Gate gate;
  bool operator==(const GateOpened&) const = default;

  static constexpr std::string_view name = "gate_opened";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v.flat(e.gate);
  }
};

enum class GateDecision : std::uint8_t { approved, refused };
template <>
inline constexpr Names<2> names_of<GateDecision> = {"approved", "refused"};

/// A signature with an approval key (docs/formats/approvals.md says of what).
struct Seal {
  std::string key;        // the public key, in hex
  std::string signature;  // in hex
  bool operator==(const Seal&) const = default;

  static constexpr std::string_view name = "seal";
  static void describe(auto& e, auto& v) {
    v("key", e.key);
    v("signature", e.signature);
  }
};

/// What a person said at a gate.
struct GateWord {
  NodeId gate;              // the node that it was opened at
  std::int64_t number = 1;  // 1, 2, 3, ... at that gate
  GateDecision decision = GateDecision::approved;
  Assurance assurance = Assurance::claimed;  // that it had
  std::string choice = {};                   // one of the gate's; may be empty
  std::string reason = {};                   // why, or the user's own words; may be empty
  ChangeSource source = {};
  std::optional<Seal> seal = {};
  bool operator==(const GateWord&) const = default;

  static constexpr std::string_view name = "word at a gate";
  static void describe(auto& e, auto& v) {
    v("gate", e.gate);
    v.counted("number", e.number);
    v("decision", e.decision);
    v("assurance", e.assurance);
    v.unless_empty("choice", e.choice);
    v.unless_empty("reason", e.reason);
    v("source", e.source);
    v.unless_empty("seal", e.seal);
  }
};

/// Beside the nodes: it counts in every process from then on.
struct GateAnswered {
  RunId run;
  GateWord word;
  bool operator==(const GateAnswered&) const = default;

  static constexpr std::string_view name = "gate_answered";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v.flat(e.word);
  }
};

/// How the dedupe keys of the words at one gate begin.
inline std::string gate_key_prefix(const NodeId& gate) {
  return cat("owner:gate:", gate.text(), ':');
}
inline std::string owner_key(const GateAnswered& answered) {
  return cat(gate_key_prefix(answered.word.gate), answered.word.number);
}

/// On the path: what was decided at a gate, as the attempt of `node` found it. It holds there and
/// below.
struct GateDecided {
  RunId run;
  NodeId node;
  std::string step;
  GateKind kind = GateKind::step;
  std::optional<Sha256> output = {};  // that it was about
  GateWord word;  // the one that decided it; of words that came with the attempt, `gate` is `node`
  bool operator==(const GateDecided&) const = default;

  static constexpr std::string_view name = "gate_decided";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("step", e.step);
    v("kindOfGate", e.kind);
    v.unless_empty("output", e.output);
    v.flat(e.word);
  }
};

/// The first `commits` commits of this session were made elsewhere, or came from an export: nothing
/// here vouches for what was decided in them. Recorded with an import that brings decisions along.
struct DecisionsImported {
  std::int64_t number = 1;  // 1, 2, 3, ... in the session
  std::int64_t commits = 0;
  bool operator==(const DecisionsImported&) const = default;

  static constexpr std::string_view name = "decisions_imported";
  static void describe(auto& e, auto& v) {
    v.counted("number", e.number);
    v.counted("commits", e.commits);
  }
};

inline std::string owner_key(const DecisionsImported& imported) {
  return cat("owner:import:", imported.number);
}

/// What an agent assumed in place of a person's word.
struct Assumption {
  std::string step;
  std::string summary;
  bool operator==(const Assumption&) const = default;

  static constexpr std::string_view name = "assumption";
  static void describe(auto& e, auto& v) {
    v("step", e.step);
    v("summary", e.summary);
  }
};

struct AssumptionRecorded {
  RunId run;
  NodeId node;
  Assumption assumption;
  bool operator==(const AssumptionRecorded&) const = default;

  static constexpr std::string_view name = "assumption_recorded";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.flat(e.assumption);
  }
};

}  // namespace baton::run
