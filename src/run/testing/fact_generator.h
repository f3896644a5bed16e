#pragma once
// Ids, texts, cursors and facts for tests, drawn from a source of choices (see
// base/testing/json_generator.h). Only tests include this; values only.

#include "base/testing/json_generator.h"
#include "run/event.h"

namespace baton::run::testing {

template <class IdType, class Choose>
IdType any_id(Choose& choose) {
  IdType id;
  for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(choose(256));
  return id;
}

/// The n-th id of its kind, for tests that name their nodes.
template <class IdType>
IdType id_of(std::size_t n) {
  IdType id;
  id.bytes[0] = 1;
  id.bytes[14] = static_cast<std::uint8_t>(n >> 8);
  id.bytes[15] = static_cast<std::uint8_t>(n & 0xFF);
  return id;
}

template <class Choose>
Sha256 any_hash(Choose& choose) {
  return sha256(json::testing::any_string(choose));
}

/// A value that its canonical text preserves.
template <class Choose>
json::Value any_exact_value(Choose& choose, std::size_t depth = 3) {
  json::Value value = json::testing::any_value(choose, depth);
  const auto text = json::canonical(value);
  return text && MUST(json::parse(*text)) == value ? value : json::Value(json::print(value));
}

template <class Choose>
json::Object any_exact_object(Choose& choose) {
  json::Object out;
  for (std::size_t left = choose(4); left > 0; --left) {
    out.set(json::testing::any_string(choose), any_exact_value(choose, 2));
  }
  return out;
}

template <class Choose>
std::vector<std::string> any_strings(Choose& choose) {
  std::vector<std::string> out;
  for (std::size_t left = choose(4); left > 0; --left) {
    out.push_back(json::testing::any_string(choose));
  }
  return out;
}

template <class Choose>
std::vector<Frame> any_frames(Choose& choose) {
  std::vector<Frame> frames;
  for (std::size_t left = choose(3); left > 0; --left) {
    Frame frame;
    frame.block = static_cast<std::int64_t>(choose(2));
    frame.iteration = static_cast<std::int64_t>(choose(3));
    frame.index = static_cast<std::int64_t>(choose(3));
    if (choose(3) == 0) frame.decision = static_cast<LoopDecision>(choose(2));
    if (choose(3) == 0) {
      frame.pinned = std::make_shared<const json::Value>(any_exact_value(choose, 2));
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

template <class Choose>
std::vector<TraceEntry> any_trace(Choose& choose) {
  std::vector<TraceEntry> trace;
  for (std::size_t left = choose(3); left > 0; --left) {
    TraceEntry entry{static_cast<TraceKind>(choose(4)), json::testing::any_string(choose), {}};
    for (std::size_t refs = choose(3); refs > 0; --refs) {
      entry.refs.push_back(
          {static_cast<TraceRefKind>(choose(4)), json::testing::any_string(choose)});
    }
    trace.push_back(std::move(entry));
  }
  return trace;
}

template <class Choose>
Gap any_gap(Choose& choose) {
  return {.id = json::testing::any_string(choose),
          .severity = static_cast<GapSeverity>(choose(3)),
          .reason = static_cast<Reason>(choose(13)),
          .summary = json::testing::any_string(choose),
          .step = json::testing::any_string(choose)};
}

template <class Choose>
Assessment any_assessment(Choose& choose) {
  Assessment out{json::testing::any_string(choose), {}, json::testing::any_string(choose), {}};
  for (std::size_t left = choose(3); left > 0; --left) {
    out.dimensions.push_back({json::testing::any_string(choose), json::testing::any_string(choose),
                              json::testing::any_string(choose)});
  }
  out.guidance = any_strings(choose);
  return out;
}

/// A fact recorded at `node`, of any kind.
/// Of fields that any frame has room for, so that it can be replayed.
template <class Choose>
StateUpdated any_state_updated(Choose& choose, const RunId& run, const NodeId& node) {
  const auto text = [&] { return json::testing::any_string(choose); };
  StateUpdated out{run, node, choose(3) == 0 ? "inc" : "", {}, text(), {}};
  if (choose(5) == 0) out.ended = "inc";
  for (std::size_t left = choose(3); left > 0; --left) {
    out.delta.sets.push_back(
        {{state::Root::raw, {std::string(1, static_cast<char>('a' + choose(4)))}},
         any_exact_value(choose)});
  }
  for (std::size_t left = choose(3); left > 0; --left) {
    state::Computation computed{text(), {},     static_cast<state::Outcome>(choose(3)),
                                text(), text(), 0};
    if (choose(3) != 0) computed.output = any_exact_value(choose);
    computed.elapsed_us = static_cast<std::int64_t>(choose(1'000));
    out.delta.computed.push_back(std::move(computed));
  }
  return out;
}

/// Values that only one who decides would put together; any of them is written and read.
template <class Choose>
Event any_command(Choose& choose, const RunId& run, const NodeId& node) {
  const auto text = [&] { return json::testing::any_string(choose); };
  const auto number = [&] { return static_cast<std::int64_t>(choose(1'000)); };
  if (choose(2) == 0) {
    ProcessIntended out{run,    node, text(),   number(), any_strings(choose),
                        text(), {},   number(), number(), text()};
    out.argv.push_back(text());
    for (std::string& name : any_strings(choose)) out.environment.emplace(name, text());
    return out;
  }
  return ProcessFinished{
      run,      node,     any_id<NodeId>(choose), text(), static_cast<ProcessEnd>(choose(7)),
      number(), number(), choose(2) == 1,         text(), text()};
}

template <class Choose>
EvidenceRecorded any_evidence_recorded(Choose& choose, const RunId& run, const NodeId& node) {
  const auto text = [&] { return json::testing::any_string(choose); };
  EvidenceRecorded out{run, node, text(), {}, {}, {}};
  if (choose(2) == 0) out.requirements = json::Array{json::Object{{"file_exists", text()}}};
  for (std::size_t left = choose(3); left > 0; --left) {
    Trace trace{static_cast<Look::Kind>(choose(5)), text(), {}};
    trace.seen.kind = static_cast<Seen::Kind>(choose(11));
    if (trace.seen.kind == Seen::Kind::file) {
      trace.seen.bytes = static_cast<std::int64_t>(choose(9));
      trace.seen.digest = any_hash(choose);
    }
    if (choose(4) == 0) {
      trace.seen.known = CommitSet{choose(2) == 0 ? 20 : 32, {}, {}};
      const auto bytes = static_cast<std::size_t>(trace.seen.known->id_bytes);
      trace.seen.known->named.assign(bytes * choose(3), static_cast<char>(choose(256)));
      trace.seen.known->others.assign(bytes * choose(3), static_cast<char>(choose(256)));
    }
    if (choose(4) == 0) trace.seen.place = text();
    if (choose(4) == 0) trace.seen.alternates = any_hash(choose);
    if (choose(4) == 0) trace.seen.shallow = any_hash(choose);
    if (choose(4) == 0) trace.seen.said = text();
    out.baseline.push_back(std::move(trace));
  }
  for (std::size_t left = choose(3); left > 0; --left) {
    out.entries.push_back({text(), choose(2) == 0, text(), std::nullopt});
    if (choose(2) == 0) out.entries.back().digest = any_hash(choose);
  }
  return out;
}

template <class Choose>
std::vector<state::Write> any_writes(Choose& choose) {
  std::vector<state::Write> out;
  for (std::size_t left = choose(3); left > 0; --left) {
    out.push_back({{state::Root::raw, {json::testing::any_string(choose)}},
                   static_cast<state::Operation>(choose(6)),
                   any_exact_value(choose)});
  }
  return out;
}

template <class Choose>
Event any_fact(Choose& choose, const RunId& run, const NodeId& node) {
  const auto text = [&] { return json::testing::any_string(choose); };
  switch (choose(13)) {
    case 0: return DecisionTraceAppended{run, node, any_trace(choose)};
    case 1:
      return ValidationPerformed{
          run, node, text(), choose(2) == 1, any_strings(choose), any_strings(choose)};
    case 2: return GapRecorded{run, node, any_gap(choose)};
    case 3: return GapResolved{run, node, text(), text()};
    case 4:
      return CapabilityObserved{run,
                                node,
                                static_cast<Capability>(choose(2)),
                                static_cast<CapabilityStatus>(choose(3)),
                                static_cast<Provenance>(choose(3)),
                                text(),
                                text()};
    case 5:
      return DivergenceRecorded{run, node, static_cast<DivergenceReason>(choose(5)), text(),
                                text()};
    case 6:
      return RunStateChanged{run, node, static_cast<RunState>(choose(3)), text(), choose(2) == 1};
    case 7: return any_state_updated(choose, run, node);
    case 8:
      return StepFailed{run, node, {text(), text(), text()}, static_cast<Consequence>(choose(4))};
    case 9: return any_evidence_recorded(choose, run, node);
    case 10:
      return TaskLeased{run,
                        node,
                        text(),
                        static_cast<std::int64_t>(choose(4)),
                        any_id<SessionId>(choose),
                        any_id<RunId>(choose),
                        WallMs{static_cast<std::int64_t>(choose(1u << 30))}};
    case 11:
      return TaskSettled{.run = run,
                         .node = node,
                         .task = text(),
                         .attempt = static_cast<std::int64_t>(choose(4)),
                         .is_final = choose(2) == 1,
                         .status = static_cast<TaskStatus>(choose(2)),
                         .result = any_exact_value(choose),
                         .type = text(),
                         .message = text(),
                         .writes = any_writes(choose)};
    default: return AssessmentRecorded{run, node, any_assessment(choose)};
  }
}

}  // namespace baton::run::testing
