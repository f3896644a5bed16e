#pragma once
// Facts: events about why a run went where it went and what is known on its way. Each is recorded
// in the commit of the node it begins to hold at, and holds there and below.

#include <map>
#include <string>
#include <vector>

#include "base/json/fields.h"
#include "run/log/signals.h"
#include "run/log/step_facts.h"
#include "state/delta.h"

namespace baton::run {

/// What a decision was about: a step, a loop, a condition or a round (as a decimal number).
struct TraceRef {
  TraceRefKind kind = TraceRefKind::step_id;
  std::string value;
  bool operator==(const TraceRef&) const = default;

  static constexpr std::string_view name = "reference of a trace";
  static void describe(auto& e, auto& v) {
    v("kind", e.kind);
    v("value", e.value);
  }
};

struct TraceEntry {
  TraceKind kind = TraceKind::selected_next_step;
  std::string summary;
  std::vector<TraceRef> refs;
  bool operator==(const TraceEntry&) const = default;

  static constexpr std::string_view name = "entry of a trace";
  static void describe(auto& e, auto& v) {
    v("kind", e.kind);
    v("summary", e.summary);
    v("refs", e.refs);
  }
};

/// How the way to `node` was found, in order. Long traces are several events.
struct DecisionTraceAppended {
  RunId run;
  NodeId node;
  std::vector<TraceEntry> entries;
  bool operator==(const DecisionTraceAppended&) const = default;

  static constexpr std::string_view name = "decision_trace_appended";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("entries", e.entries);
  }
};

/// What was sent was checked.
struct ValidationPerformed {
  RunId run;
  NodeId node;
  std::string contract;  // the one that counted; empty: the step's criteria
  bool valid = false;
  std::vector<std::string> issues;
  std::vector<std::string> suggestions;
  bool operator==(const ValidationPerformed&) const = default;

  static constexpr std::string_view name = "validation_performed";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.unless_empty("contract", e.contract);
    v("valid", e.valid);
    v.unless_empty("issues", e.issues);
    v.unless_empty("suggestions", e.suggestions);
  }
};

/// Something that was not as it should be when the run advanced.
struct Gap {
  std::string id;  // unique on the path of a node: gap-1, gap-2, ...
  GapSeverity severity = GapSeverity::critical;
  Reason reason = Reason::missing_required_output;
  std::string summary;
  std::string step;  // key of the step it was left open at
  bool operator==(const Gap&) const = default;

  static constexpr std::string_view name = "gap";
  static void describe(auto& e, auto& v) {
    v("gap", e.id);
    v("severity", e.severity);
    v("reason", e.reason);
    v.implied("category", category_of(e.reason), "that of the reason");
    v("summary", e.summary);
    v("step", e.step);
  }
};

struct GapRecorded {
  RunId run;
  NodeId node;
  Gap gap;
  bool operator==(const GapRecorded&) const = default;

  static constexpr std::string_view name = "gap_recorded";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.flat(e.gap);
  }
};

struct GapResolved {
  RunId run;
  NodeId node;
  std::string gap;
  std::string summary;
  bool operator==(const GapResolved&) const = default;

  static constexpr std::string_view name = "gap_resolved";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("gap", e.gap);
    v("summary", e.summary);
  }
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

  static constexpr std::string_view name = "capability_observed";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("capability", e.capability);
    v("status", e.status);
    v("provenance", e.provenance);
    v.unless_empty("failureCode", e.failure_code);
    v.unless_empty("detail", e.detail);
  }
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

  static constexpr std::string_view name = "divergence_recorded";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("reason", e.reason);
    v("summary", e.summary);
    v.unless_empty("relatedStep", e.related_step);
  }
};

/// The member of a closed set that a field names.
template <class Set>
Result<Set> member_of(json::Fields& fields, std::string_view key) {
  const auto found = from_name<Set>(TRY(fields.string(key)));
  if (!found) return fields.wrong(key, "a known name");
  return *found;
}

// Part of snapshots and replies.
json::Array to_json(const std::map<Capability, KnownCapability>& capabilities);
Result<std::map<Capability, KnownCapability>> read_capabilities(const json::Array& list);

}  // namespace baton::run
