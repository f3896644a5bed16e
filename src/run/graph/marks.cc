#include "run/graph/marks.h"

#include <algorithm>

#include "run/effects/receipts.h"

namespace baton::run {
namespace {

std::string_view ref_of(const TraceEntry& entry, TraceRefKind kind) {
  const auto found = std::ranges::find(entry.refs, kind, &TraceRef::kind);
  return found == entry.refs.end() ? std::string_view() : std::string_view(found->value);
}

/// Whether a decision of the walk passed a step: its condition did not hold, or it had no items.
/// Only the summary has the value of a condition (run/walk/walk.cc): these words are part of the
/// log.
bool passes(const TraceEntry& entry) {
  if (entry.kind != TraceKind::evaluated_condition) return false;
  if (ref_of(entry, TraceRefKind::condition_id).ends_with(".runCondition")) {
    return entry.summary.ends_with(" is false");
  }
  return entry.summary.ends_with(": it is passed");
}

void add_skipped(NodeMark& out, const DecisionTraceAppended& trace) {
  for (const TraceEntry& entry : trace.entries) {
    if (!passes(entry)) continue;
    std::string_view step = ref_of(entry, TraceRefKind::step_id);
    if (step.empty()) step = ref_of(entry, TraceRefKind::loop_id);
    if (!step.empty()) out.skipped.emplace_back(step);
  }
}

StepMark mark_for(NodeKind kind) {
  switch (kind) {
    case NodeKind::step: return StepMark::done;
    case NodeKind::checkpoint: return StepMark::checkpoint;
    case NodeKind::blocked_attempt: return StepMark::blocked;
  }
  return StepMark::done;
}

void take(NodeMark& out, const NodeCreated& created) {
  if (!created.parent) return;  // the start
  out.mark = mark_for(created.kind);
  if (!created.settled_step.empty()) {
    out.step = created.settled_step;
  } else if (out.step.empty() && !created.open_steps.empty()) {
    out.step = created.open_steps.front();
  }
}

}  // namespace

std::string_view name_of(StepMark mark) {
  switch (mark) {
    case StepMark::start: return "start";
    case StepMark::done: return "done";
    case StepMark::failed: return "failed";
    case StepMark::blocked: return "blocked";
    case StepMark::unknown_end: return "unknown_end";
    case StepMark::checkpoint: return "checkpoint";
    case StepMark::ended: return "ended";
    case StepMark::reopened: return "reopened";
  }
  return "done";
}

NodeMark mark_of(std::span<const Event> events, const NodeId& node) {
  NodeMark out;
  const RunStateChanged* changed = nullptr;
  std::optional<ProcessEnd> ended;
  for (const Event& event : events) {
    if (const auto* created = std::get_if<NodeCreated>(&event)) {
      if (created->node == node) take(out, *created);
    } else if (const auto* advance = std::get_if<AdvanceRecorded>(&event)) {
      if (advance->to == node && !advance->step.empty()) out.step = advance->step;
    } else if (const auto* failed = std::get_if<StepFailed>(&event)) {
      if (failed->node == node) out.failure = *failed;
    } else if (const auto* state = std::get_if<RunStateChanged>(&event)) {
      if (state->node == node) changed = state;
    } else if (const auto* finished = std::get_if<ProcessFinished>(&event)) {
      if (finished->node == node) ended = finished->end;
    } else if (const auto* trace = std::get_if<DecisionTraceAppended>(&event)) {
      if (trace->node == node) add_skipped(out, *trace);
    }
  }
  if (changed != nullptr) {
    out.run_state = changed->to;
    out.reason = changed->reason;
  }
  if (out.failure) {
    out.mark = StepMark::failed;
    out.step = out.failure->error.step;
  } else if (ended == ProcessEnd::unknown ||
             (ended && is_cut_short(*ended) && out.mark == StepMark::blocked)) {
    out.mark = StepMark::unknown_end;
  } else if (changed != nullptr && out.mark == StepMark::checkpoint) {
    out.mark = changed->to == RunState::running ? StepMark::reopened : StepMark::ended;
  }
  return out;
}

}  // namespace baton::run
