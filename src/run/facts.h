#pragma once
// Facts: events about why a run went where it went and what is known on its way. Each is recorded
// in the commit of the node it begins to hold at, and holds there and below.

#include <map>
#include <string>
#include <vector>

#include "base/json/fields.h"
#include "run/signals.h"
#include "state/delta.h"

namespace baton::run {

/// What a decision was about: a step, a loop, a condition or a round (as a decimal number).
struct TraceRef {
  TraceRefKind kind = TraceRefKind::step_id;
  std::string value;
  bool operator==(const TraceRef&) const = default;
};

struct TraceEntry {
  TraceKind kind = TraceKind::selected_next_step;
  std::string summary;
  std::vector<TraceRef> refs;
  bool operator==(const TraceEntry&) const = default;
};

/// How the way to `node` was found, in order. Long traces are several events.
struct DecisionTraceAppended {
  RunId run;
  NodeId node;
  std::vector<TraceEntry> entries;
  bool operator==(const DecisionTraceAppended&) const = default;
};

/// What was handed in was checked.
struct ValidationPerformed {
  RunId run;
  NodeId node;
  std::string contract;  // the one that counted; empty: the step's criteria
  bool valid = false;
  std::vector<std::string> issues;
  std::vector<std::string> suggestions;
  bool operator==(const ValidationPerformed&) const = default;
};

/// Something that was not as it should be when the run advanced.
struct Gap {
  std::string id;  // unique on the path of a node: gap-1, gap-2, ...
  GapSeverity severity = GapSeverity::critical;
  Reason reason = Reason::missing_required_output;
  std::string summary;
  std::string step;  // key of the step it was left open at
  bool operator==(const Gap&) const = default;
};

struct GapRecorded {
  RunId run;
  NodeId node;
  Gap gap;
  bool operator==(const GapRecorded&) const = default;
};

struct GapResolved {
  RunId run;
  NodeId node;
  std::string gap;
  std::string summary;
  bool operator==(const GapResolved&) const = default;
};

struct CapabilityObserved {
  RunId run;
  NodeId node;
  Capability capability = Capability::delegation;
  CapabilityStatus status = CapabilityStatus::unknown;
  Provenance provenance = Provenance::manual_claim;
  std::string failure_code;  // of a use that failed; may be empty
  std::string detail;        // may be empty
  bool operator==(const CapabilityObserved&) const = default;
};

/// What is known of a capability. A weak observation never takes a strong one's place.
struct KnownCapability {
  CapabilityStatus status = CapabilityStatus::unknown;
  Provenance provenance = Provenance::manual_claim;
  bool operator==(const KnownCapability&) const = default;
};

/// The agent left the workflow's path and says so.
struct DivergenceRecorded {
  RunId run;
  NodeId node;
  DivergenceReason reason = DivergenceReason::missing_user_context;
  std::string summary;
  std::string related_step;  // may be empty
  bool operator==(const DivergenceRecorded&) const = default;
};

struct AssessedDimension {
  std::string id;
  std::string level;
  std::string rationale;  // may be empty
  bool operator==(const AssessedDimension&) const = default;
};

struct Assessment {
  std::string id;
  std::vector<AssessedDimension> dimensions;
  std::string summary;                // may be empty
  std::vector<std::string> guidance;  // of the consequences that its levels have
  bool operator==(const Assessment&) const = default;
};

struct AssessmentRecorded {
  RunId run;
  NodeId node;
  Assessment assessment;
  bool operator==(const AssessmentRecorded&) const = default;
};

/// The run ends here, or is reopened.
struct RunStateChanged {
  RunId run;
  NodeId node;
  RunState to = RunState::running;
  std::string reason;          // may be empty
  bool resets_counts = false;  // of attempts that went wrong
  bool operator==(const RunStateChanged&) const = default;
};

/// What went wrong with a step, as expressions see it under the name `error`.
struct StepError {
  std::string step;  // its key
  std::string type;  // agent, command, timeout, input, ...
  std::string message;
  bool operator==(const StepError&) const = default;
};

/// A step could not be done.
struct StepFailed {
  RunId run;
  NodeId node;
  StepError error;
  Consequence consequence = Consequence::fail;
  bool operator==(const StepFailed&) const = default;
};

/// What a step did to the state of one frame.
struct StateUpdated {
  RunId run;
  NodeId node;
  std::string frame;  // the key of the include step whose frame it is; empty: the root's
  state::Delta delta;
  std::string cause;  // the key of the step, "start", or who changed it from outside
  std::string ended;  // the frame that ended with this; empty: none
  /// Of a task: what was asked for that goes to the state of the run it belongs to as well.
  std::vector<state::Write> writes = {};
  bool operator==(const StateUpdated&) const = default;
};

// The fields of each in the log, but for its kind, run and node, and back.
json::Object fact_fields(const DecisionTraceAppended& fact);
json::Object fact_fields(const ValidationPerformed& fact);
json::Object fact_fields(const GapRecorded& fact);
json::Object fact_fields(const GapResolved& fact);
json::Object fact_fields(const CapabilityObserved& fact);
json::Object fact_fields(const DivergenceRecorded& fact);
json::Object fact_fields(const AssessmentRecorded& fact);
json::Object fact_fields(const RunStateChanged& fact);
json::Object fact_fields(const StateUpdated& fact);
json::Object fact_fields(const StepFailed& fact);

Result<void> read_fact(json::Fields& fields, DecisionTraceAppended& fact);
Result<void> read_fact(json::Fields& fields, ValidationPerformed& fact);
Result<void> read_fact(json::Fields& fields, GapRecorded& fact);
Result<void> read_fact(json::Fields& fields, GapResolved& fact);
Result<void> read_fact(json::Fields& fields, CapabilityObserved& fact);
Result<void> read_fact(json::Fields& fields, DivergenceRecorded& fact);
Result<void> read_fact(json::Fields& fields, AssessmentRecorded& fact);
Result<void> read_fact(json::Fields& fields, RunStateChanged& fact);
Result<void> read_fact(json::Fields& fields, StateUpdated& fact);
Result<void> read_fact(json::Fields& fields, StepFailed& fact);

/// The member of a closed set that a field names.
template <class Set>
Result<Set> member_of(json::Fields& fields, std::string_view key) {
  const auto found = from_name<Set>(TRY(fields.string(key)));
  if (!found) return fields.wrong(key, "a known name");
  return *found;
}

// Also parts of snapshots and replies.
json::Object to_json(const Gap& gap);
json::Object to_json(const Assessment& assessment);
json::Object to_json(const StepError& error);
json::Array to_json(const std::map<Capability, KnownCapability>& capabilities);
Result<Gap> read_gap(json::Fields& fields);
Result<std::map<Capability, KnownCapability>> read_capabilities(const json::Array& list);
Result<Assessment> read_assessment(json::Fields& fields);
Result<StepError> read_step_error(json::Fields& fields);

}  // namespace baton::run
