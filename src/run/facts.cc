#include "run/facts.h"

#include "base/text/text.h"
#include "run/tasks.h"

namespace baton::run {
namespace {

using json::Fields;
using json::Object;
using json::Value;

Value strings_json(const std::vector<std::string>& strings) {
  json::Array out;
  for (const std::string& each : strings) out.emplace_back(each);
  return out;
}

void set_if(Object& out, std::string_view key, const std::string& text) {
  if (!text.empty()) out.set(key, text);
}

Result<std::string> text_or_none(Fields& f, std::string_view key) {
  if (!f.has(key)) return std::string();
  return f.string(key);
}

Result<std::vector<std::string>> strings_or_none(Fields& f, std::string_view key) {
  if (!f.has(key)) return std::vector<std::string>();
  return f.strings(key);
}

Result<TraceRef> ref_from(const Value& value) {
  Fields f(value, "reference of a trace", Code::STORE_CORRUPT);
  TraceRef ref;
  ref.kind = TRY(member_of<TraceRefKind>(f, "kind"));
  ref.value = TRY(f.string("value"));
  TRY(f.done());
  return ref;
}

Result<TraceEntry> entry_from(const Value& value) {
  Fields f(value, "entry of a trace", Code::STORE_CORRUPT);
  TraceEntry entry;
  entry.kind = TRY(member_of<TraceKind>(f, "kind"));
  entry.summary = TRY(f.string("summary"));
  for (const Value& ref : *TRY(f.array("refs"))) entry.refs.push_back(TRY(ref_from(ref)));
  TRY(f.done());
  return entry;
}

Result<AssessedDimension> dimension_from(const Value& value) {
  Fields f(value, "assessed dimension", Code::STORE_CORRUPT);
  AssessedDimension dimension;
  dimension.id = TRY(f.string("id"));
  dimension.level = TRY(f.string("level"));
  dimension.rationale = TRY(text_or_none(f, "rationale"));
  TRY(f.done());
  return dimension;
}

}  // namespace

Object fact_fields(const DecisionTraceAppended& fact) {
  json::Array entries;
  for (const TraceEntry& entry : fact.entries) {
    json::Array refs;
    for (const TraceRef& ref : entry.refs) {
      refs.push_back(Object{{"kind", name_of(ref.kind)}, {"value", ref.value}});
    }
    entries.push_back(Object{
        {"kind", name_of(entry.kind)}, {"summary", entry.summary}, {"refs", std::move(refs)}});
  }
  return {{"entries", std::move(entries)}};
}

Result<void> read_fact(Fields& f, DecisionTraceAppended& fact) {
  for (const Value& entry : *TRY(f.array("entries"))) {
    fact.entries.push_back(TRY(entry_from(entry)));
  }
  return {};
}

Object fact_fields(const ValidationPerformed& fact) {
  Object out;
  set_if(out, "contract", fact.contract);
  out.set("valid", fact.valid);
  if (!fact.issues.empty()) out.set("issues", strings_json(fact.issues));
  if (!fact.suggestions.empty()) out.set("suggestions", strings_json(fact.suggestions));
  return out;
}

Result<void> read_fact(Fields& f, ValidationPerformed& fact) {
  fact.contract = TRY(text_or_none(f, "contract"));
  fact.valid = TRY(f.boolean("valid"));
  fact.issues = TRY(strings_or_none(f, "issues"));
  fact.suggestions = TRY(strings_or_none(f, "suggestions"));
  return {};
}

Object to_json(const Gap& gap) {
  return {{"gap", gap.id},
          {"severity", name_of(gap.severity)},
          {"category", name_of(category_of(gap.reason))},
          {"reason", name_of(gap.reason)},
          {"summary", gap.summary},
          {"step", gap.step}};
}

Result<Gap> read_gap(Fields& f) {
  Gap gap;
  gap.id = TRY(f.string("gap"));
  gap.severity = TRY(member_of<GapSeverity>(f, "severity"));
  gap.reason = TRY(member_of<Reason>(f, "reason"));
  if (TRY(member_of<GapCategory>(f, "category")) != category_of(gap.reason)) {
    return f.wrong("category", "that of the reason");
  }
  gap.summary = TRY(f.string("summary"));
  gap.step = TRY(f.string("step"));
  return gap;
}

Object fact_fields(const GapRecorded& fact) { return to_json(fact.gap); }

Result<void> read_fact(Fields& f, GapRecorded& fact) {
  fact.gap = TRY(read_gap(f));
  return {};
}

Object fact_fields(const GapResolved& fact) {
  return {{"gap", fact.gap}, {"summary", fact.summary}};
}

Result<void> read_fact(Fields& f, GapResolved& fact) {
  fact.gap = TRY(f.string("gap"));
  fact.summary = TRY(f.string("summary"));
  return {};
}

Object fact_fields(const CapabilityObserved& fact) {
  Object out{{"capability", name_of(fact.capability)},
             {"status", name_of(fact.status)},
             {"provenance", name_of(fact.provenance)}};
  set_if(out, "failureCode", fact.failure_code);
  set_if(out, "detail", fact.detail);
  return out;
}

Result<void> read_fact(Fields& f, CapabilityObserved& fact) {
  fact.capability = TRY(member_of<Capability>(f, "capability"));
  fact.status = TRY(member_of<CapabilityStatus>(f, "status"));
  fact.provenance = TRY(member_of<Provenance>(f, "provenance"));
  fact.failure_code = TRY(text_or_none(f, "failureCode"));
  fact.detail = TRY(text_or_none(f, "detail"));
  return {};
}

json::Array to_json(const std::map<Capability, KnownCapability>& capabilities) {
  json::Array out;
  for (const auto& [capability, known] : capabilities) {
    out.push_back(Object{{"capability", name_of(capability)},
                         {"status", name_of(known.status)},
                         {"provenance", name_of(known.provenance)}});
  }
  return out;
}

Result<std::map<Capability, KnownCapability>> read_capabilities(const json::Array& list) {
  std::map<Capability, KnownCapability> out;
  for (const Value& each : list) {
    Fields f(each, "known capability", Code::STORE_CORRUPT);
    const auto capability = TRY(member_of<Capability>(f, "capability"));
    KnownCapability& known = out[capability];
    known.status = TRY(member_of<CapabilityStatus>(f, "status"));
    known.provenance = TRY(member_of<Provenance>(f, "provenance"));
    TRY(f.done());
  }
  return out;
}

Object fact_fields(const DivergenceRecorded& fact) {
  Object out{{"reason", name_of(fact.reason)}, {"summary", fact.summary}};
  set_if(out, "relatedStep", fact.related_step);
  return out;
}

Result<void> read_fact(Fields& f, DivergenceRecorded& fact) {
  fact.reason = TRY(member_of<DivergenceReason>(f, "reason"));
  fact.summary = TRY(f.string("summary"));
  fact.related_step = TRY(text_or_none(f, "relatedStep"));
  return {};
}

Object to_json(const Assessment& assessment) {
  json::Array dimensions;
  for (const AssessedDimension& each : assessment.dimensions) {
    Object dimension{{"id", each.id}, {"level", each.level}};
    set_if(dimension, "rationale", each.rationale);
    dimensions.push_back(std::move(dimension));
  }
  Object out{{"assessment", assessment.id}, {"dimensions", std::move(dimensions)}};
  set_if(out, "summary", assessment.summary);
  if (!assessment.guidance.empty()) out.set("guidance", strings_json(assessment.guidance));
  return out;
}

Result<Assessment> read_assessment(Fields& f) {
  Assessment assessment;
  assessment.id = TRY(f.string("assessment"));
  for (const Value& each : *TRY(f.array("dimensions"))) {
    assessment.dimensions.push_back(TRY(dimension_from(each)));
  }
  assessment.summary = TRY(text_or_none(f, "summary"));
  assessment.guidance = TRY(strings_or_none(f, "guidance"));
  return assessment;
}

Object fact_fields(const AssessmentRecorded& fact) { return to_json(fact.assessment); }

Result<void> read_fact(Fields& f, AssessmentRecorded& fact) {
  fact.assessment = TRY(read_assessment(f));
  return {};
}

Object fact_fields(const RunStateChanged& fact) {
  Object out{{"to", name_of(fact.to)}};
  set_if(out, "why", fact.reason);
  if (fact.resets_counts) out.set("resetsCounts", true);
  return out;
}

Result<void> read_fact(Fields& f, RunStateChanged& fact) {
  fact.to = TRY(member_of<RunState>(f, "to"));
  fact.reason = TRY(text_or_none(f, "why"));
  if (f.has("resetsCounts")) fact.resets_counts = TRY(f.boolean("resetsCounts"));
  return {};
}

Object fact_fields(const StateUpdated& fact) {
  Object out = state::to_json(fact.delta);
  if (!fact.frame.empty()) out.set("frame", fact.frame);
  out.set("cause", fact.cause);
  if (!fact.ended.empty()) out.set("ended", fact.ended);
  if (!fact.writes.empty()) out.set("writes", to_json(fact.writes));
  return out;
}

Result<void> read_fact(Fields& f, StateUpdated& fact) {
  fact.frame = TRY(text_or_none(f, "frame"));
  fact.cause = TRY(f.string("cause"));
  fact.ended = TRY(text_or_none(f, "ended"));
  if (f.has("writes")) fact.writes = TRY(writes_from(*TRY(f.array("writes"))));
  const Value* sets = TRY(f.any("sets"));
  const Value* computed = TRY(f.any("computed"));
  fact.delta = TRY(state::delta_from_json(Object{{"sets", *sets}, {"computed", *computed}}));
  return {};
}

Object to_json(const StepError& error) {
  return {{"step", error.step}, {"type", error.type}, {"message", error.message}};
}

Result<StepError> read_step_error(Fields& f) {
  StepError error;
  error.step = TRY(f.string("step"));
  error.type = TRY(f.string("type"));
  error.message = TRY(text_or_none(f, "message"));
  return error;
}

Object fact_fields(const StepFailed& fact) {
  Object out = to_json(fact.error);
  out.set("consequence", name_of(fact.consequence));
  return out;
}

Result<void> read_fact(Fields& f, StepFailed& fact) {
  fact.error = TRY(read_step_error(f));
  fact.consequence = TRY(member_of<Consequence>(f, "consequence"));
  return {};
}

}  // namespace baton::run
