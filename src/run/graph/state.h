#pragma once
// NodeState: everything that holds at one node, folded along its ancestry and nothing else. Nodes
// never change, so neither does the state of one.

#include <map>
#include <memory>
#include <span>
#include <string>

#include "run/graph/brake_counts.h"
#include "run/log/event.h"

namespace baton::run {

/// What went wrong on the way to a node and still counts there.
struct FailureCounts {
  std::string step;           // the one that the next two are of: its key
  std::int64_t refused = 0;   // attempts at it whose output was found wrong
  std::int64_t failed = 0;    // attempts at it that failed, after which it was tried again
  std::int64_t unproven = 0;  // attempts refused for missing proof while the run never stops
  std::int64_t restarts = 0;  // of the whole run
  std::optional<StepError> error = {};  // that the run fails with; its on_failure steps are done
  bool operator==(const FailureCounts&) const = default;

  std::int64_t refused_at(std::string_view key) const { return key == step ? refused : 0; }
  std::int64_t failed_at(std::string_view key) const { return key == step ? failed : 0; }
  std::int64_t unproven_at(std::string_view key) const { return key == step ? unproven : 0; }

  static constexpr std::string_view name = "setbacks";
  static void describe(auto& e, auto& v) {
    v("step", e.step);
    v("refused", e.refused);
    v("failed", e.failed);
    v("restarts", e.restarts);
    v.unless_empty("unproven", e.unproven);
    v.unless_empty("error", e.error);
  }
};

/// Preferences that were raised on the way to a node. A later lowering does not remove it. Raises
/// to the same preferences in the same way are one, with the latest of their sources, so that there
/// are never more than a few.
struct PreferenceRaise {
  Preferences to;
  PreferenceChange last;
  std::int64_t times = 1;
  bool operator==(const PreferenceRaise&) const = default;

  static constexpr std::string_view name = "raise of preferences";
  static void describe(auto& e, auto& v) {
    v.flat(e.to);
    v("times", e.times);
    v("change", e.last);
  }
};

/// A gate that a person let the open step pass.
struct PassedGate {
  std::string step;
  GateKind kind = GateKind::step;
  std::optional<Sha256> output = {};  // that it was about
  std::string choice = {};
  bool operator==(const PassedGate&) const = default;

  static constexpr std::string_view name = "passed gate";
  static void describe(auto& e, auto& v) {
    v("step", e.step);
    v("gate", e.kind);
    v.unless_empty("output", e.output);
    v.unless_empty("choice", e.choice);
  }
};

/// What is known at a node beyond its context.
struct KnownFacts {
  std::int64_t gaps_recorded = 0;  // on the path, resolved ones too; names the next
  std::vector<Gap> open_gaps;
  std::map<Capability, KnownCapability> capabilities;
  std::vector<Assessment> assessments;  // the latest of each id, in the order of their first
  FailureCounts setbacks = {};
  std::vector<PreferenceRaise> raises = {};  // in the order of their first
  std::int64_t guidance = 0;                 // the number of the last that was delivered
  std::vector<Assumption> assumptions = {};  // in the order they were made
  std::vector<PassedGate> passed = {};       // of the open step
  std::vector<PolicyEntry> policy = {};      // the latest that was recorded
  Budget budget = {};
  Usage usage = {};
  StepTries tries = {};
  std::vector<RepeatedOutput> repeated = {};  // of the loop around the open step
  bool operator==(const KnownFacts&) const = default;

  static constexpr std::string_view name = "ledger";
  static void describe(auto& e, auto& v) {
    v("gapsRecorded", e.gaps_recorded);
    v("openGaps", e.open_gaps);
    v("capabilities", e.capabilities);
    v("assessments", e.assessments);
    v.unless_empty("setbacks", e.setbacks);
    v.unless_empty("raises", e.raises);
    v.unless_empty("guidance", e.guidance);
    v.unless_empty("assumptions", e.assumptions);
    v.unless_empty("passed", e.passed);
    v.unless_empty("policy", e.policy);
    v.unless_empty("budget", e.budget);
    v.unless_empty("usage", e.usage);
    v.unless_empty("tries", e.tries);
    v.unless_empty("repeated", e.repeated);
  }
};

/// The frames of a run by their keys: "" for the root's, the key of its step for an include's.
using States = std::map<std::string, state::Frame, std::less<>>;

struct NodeState {
  SessionId session;
  RunId run;
  NodeId node;
  std::string workflow_id;
  Sha256 workflow_hash;
  std::int64_t workflow_form = 0;  // as run_started has it
  NodeKind kind = NodeKind::step;
  Cursor cursor;
  std::vector<std::string> open_steps;
  // Shared with the parent's state as long as it does not change.
  std::shared_ptr<const json::Object> context = std::make_shared<json::Object>();
  Preferences preferences;
  RunState run_state = RunState::running;
  // Shared in the same way; null as long as nothing is known.
  std::shared_ptr<const KnownFacts> ledger = {};
  // Shared in the same way; null for a workflow without state.
  std::shared_ptr<const States> states = {};
  // The results of the scripts in the open step's prompt here; null when it has none.
  std::shared_ptr<const json::Object> shown = {};
  std::string workspace = {};  // the folder that the run is about, absolute; empty: none
  // What the open step has to prove; null when it has to prove nothing.
  std::shared_ptr<const StepEvidence> evidence = {};
  // What the server runs for the open step; null: nothing. A checkpoint has it from its parent.
  std::shared_ptr<const ProcessIntended> process = {};
  // What became of the open step's command, when the step is the agent's since; else null.
  std::shared_ptr<const ProcessFinished> ran = {};
  // The effect of another branch whose result the server takes for the open step; null when it
  // takes none. A checkpoint taken meanwhile has it from its parent.
  std::shared_ptr<const EffectReused> reuse = {};
  // The gate where the run waits for a person; null when it does not wait. A checkpoint taken
  // meanwhile has it from its parent.
  std::shared_ptr<const Gate> gate = {};
  // What the open step hands to sub-agents, a list; null for any other step.
  std::shared_ptr<const json::Value> items = {};
  // What the run carries out, when it is a sub-agent's.
  std::optional<TaskRef> task = {};
  bool operator==(const NodeState& other) const;

  /// The ledger, which may be empty.
  const KnownFacts& known() const;
  /// The results of scripts; may be empty.
  const json::Object& shown_values() const;
  RunStatus status() const;
  bool has_critical_gap() const;  // that is open
};

/// Whether the server settles the open step itself: with the result of a command or a branch.
inline bool is_servers_turn(const NodeState& state) {
  return state.process != nullptr || state.reuse != nullptr;
}

// What a fact changes in the state of the node it is recorded at. The fold and the Decider use
// the same, so that they agree. Facts of other kinds change nothing.
void apply(NodeState& state, const PreferencesChanged& fact);
void apply(NodeState& state, const GapRecorded& fact);
void apply(NodeState& state, const GapResolved& fact);
void apply(NodeState& state, const CapabilityObserved& fact);
void apply(NodeState& state, const AssessmentRecorded& fact);
void apply(NodeState& state, const RunStateChanged& fact);
void apply(NodeState& state, const ValidationPerformed& fact);
void apply(NodeState& state, const StepFailed& fact);
void apply(NodeState& state, const EvidenceRecorded& fact);
void apply(NodeState& state, const ProcessIntended& fact);
void apply(NodeState& state, const ProcessFinished& fact);
void apply(NodeState& state, const GuidanceDelivered& fact);
void apply(NodeState& state, const EffectReused& fact);
void apply(NodeState& state, const GateOpened& fact);
void apply(NodeState& state, const GateDecided& fact);
void apply(NodeState& state, const AssumptionRecorded& fact);
void apply(NodeState& state, const PolicyApplied& fact);
void apply(NodeState& state, const BudgetSet& fact);
void apply(NodeState& state, const TokensUsed& fact);
void apply(NodeState& state, const UsageCounted& fact);

/// Counts how often a step of a loop had the same output in a row. Of an attempt at `step` (its
/// key) that led to the node of `state`; an output of the server counts as none.
void note_output(NodeState& state, std::string_view step, const Sha256& input);

/// What a new node has of its parent's command and gate, before anything is recorded at it.
void inherit_command(NodeState& state);
/// Forgets what became of a command whose step is passed.
void drop_settled_command(NodeState& state);
/// STORE_CORRUPT when it is of another state.
Result<void> replay(std::shared_ptr<const States>& states, const StateUpdated& fact);
/// What all frames take as text.
std::size_t bytes_of(const States* states);
/// Keeps the results of the scripts in the open step's prompt.
void keep_shown(NodeState& state, json::Object shown);
/// Drops what a step has to prove that is not open any more.
void drop_settled_evidence(NodeState& state);

/// The name of the next gap that is recorded below this state.
std::string next_gap_id(const NodeState& state);

/// The state after one commit of the path: `state` is the parent node's, or empty for the root.
/// STORE_CORRUPT when the events do not continue it.
Result<NodeState> fold(NodeState state, std::span<const Event> events);

/// Canonical text of a state, and back.
Result<std::string> write_snapshot(const NodeState& state);
Result<NodeState> read_snapshot(std::string_view text);

/// Whether a node should carry a snapshot: the path since the last one has more events than
/// limits::snapshot_path_events_min and more bytes than the snapshot itself would have.
bool snapshot_due(std::int64_t path_events, std::int64_t path_bytes, std::size_t snapshot_bytes);

/// NUMBER_INEXACT when a number in `value` would be read from its canonical text, which is what
/// the log keeps, as another one: then the state would differ from what the log folds to.
Result<void> check_numbers(std::string_view what, const json::Value& value);

/// LIMIT_EXCEEDED when `delta` alone puts a context past its budget.
/// Takes no longer than a glance at its size, so it comes before anything that is done with it.
Result<void> check_context_size(const json::Object& delta);

/// Merges `delta` into `context`: a null deletes its key. INVALID_INPUT for a reserved key,
/// LIMIT_EXCEEDED past the budget, NUMBER_INEXACT by check_numbers; then `context` is unchanged.
Result<void> merge_context(json::Object& context, const json::Object& delta);

}  // namespace baton::run
