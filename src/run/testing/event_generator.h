#pragma once
// Events, replies and histories for tests, drawn from a source of choices (see
// base/testing/json_generator.h). Only tests include this; values only.

#include "base/testing/json_generator.h"
#include "run/event.h"
#include "run/reply.h"

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

/// A value that comes back from its canonical text.
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
Preferences any_preferences(Choose& choose) {
  return {static_cast<Autonomy>(choose(3)), static_cast<RiskPolicy>(choose(3))};
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
NodeCreated any_node_created(Choose& choose) {
  NodeCreated node;
  node.run = any_id<RunId>(choose);
  node.node = any_id<NodeId>(choose);
  if (choose(2) == 1) node.parent = any_id<NodeId>(choose);
  node.kind = static_cast<NodeKind>(choose(3));
  node.position = static_cast<std::int64_t>(choose(1001));
  node.open_steps = any_strings(choose);
  node.settled_step = json::testing::any_string(choose);
  node.frames = any_frames(choose);
  return node;
}

template <class Choose>
AdvanceRecorded any_advance_recorded(Choose& choose) {
  AdvanceRecorded record;
  record.run = any_id<RunId>(choose);
  record.node = any_id<NodeId>(choose);
  record.attempt = {static_cast<AttemptKind>(choose(2)),
                    static_cast<std::uint8_t>(choose(limits::open_steps_max)),
                    static_cast<std::uint16_t>(choose(limits::attempts_per_step_max))};
  record.step = json::testing::any_string(choose);
  record.to = any_id<NodeId>(choose);
  record.drawn.now.value = static_cast<std::int64_t>(choose(1u << 30)) - (1 << 29);
  record.drawn.seed = json::testing::any_bits(choose);
  record.input = any_hash(choose);
  record.reply = any_exact_value(choose);
  return record;
}

template <class Choose>
McpTaskChanged any_mcp_task_changed(Choose& choose) {
  McpTaskChanged task;
  task.task = any_id<TaskId>(choose);
  if (choose(2) == 1) {
    task.call = McpTaskCall{json::testing::any_string(choose),
                            json::testing::any_string(choose),
                            any_exact_object(choose),
                            any_exact_object(choose),
                            std::nullopt,
                            static_cast<std::int64_t>(choose(10'000))};
    if (choose(2) == 1) task.call->ttl_ms = static_cast<std::int64_t>(choose(1u << 30));
  }
  task.status = static_cast<McpTaskStatus>(choose(5));
  task.message = json::testing::any_string(choose);
  task.state = any_exact_value(choose);
  task.requests = any_exact_object(choose);
  task.responses = any_exact_object(choose);
  task.result = any_exact_object(choose);
  task.error = any_exact_object(choose);
  return task;
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
template <class Choose>
Event any_fact(Choose& choose, const RunId& run, const NodeId& node) {
  const auto text = [&] { return json::testing::any_string(choose); };
  switch (choose(7)) {
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
    default: return AssessmentRecorded{run, node, any_assessment(choose)};
  }
}

template <class Choose>
Event any_event(Choose& choose) {
  const auto run = [&] { return any_id<RunId>(choose); };
  const auto node = [&] { return any_id<NodeId>(choose); };
  const auto text = [&] { return json::testing::any_string(choose); };
  switch (choose(14)) {
    case 0: return SessionCreated{};
    case 1: return RunStarted{run(), text(), any_hash(choose), text()};
    case 2: return any_node_created(choose);
    case 3:
      return EdgeCreated{run(), node(), node(), static_cast<EdgeKind>(choose(2)),
                         static_cast<EdgeCause>(choose(3))};
    case 4: return any_advance_recorded(choose);
    case 5: return NodeOutputAppended{run(), node(), Notes{text()}};
    case 6:
      return NodeOutputAppended{run(), node(), Artifact{any_hash(choose), any_exact_value(choose)}};
    case 7:
      return ContextSet{run(), node(), static_cast<ContextSource>(choose(2)),
                        any_exact_object(choose)};
    case 8: return PreferencesChanged{run(), node(), any_preferences(choose)};
    case 9: return TokensRevoked{run()};
    case 10: return ObservationRecorded{run(), ObservationKey::workspace_path, text()};
    case 11: return any_mcp_task_changed(choose);
    default: return any_fact(choose, run(), node());
  }
}

template <class Choose>
TokenClaim any_claim(Choose& choose) {
  return {.kind = static_cast<TokenKind>(choose(4)),
          .node = any_id<NodeId>(choose),
          .ordinal = static_cast<std::uint8_t>(choose(limits::open_steps_max)),
          .count = static_cast<std::uint16_t>(choose(limits::attempts_per_step_max + 1)),
          .life_minutes = static_cast<std::uint16_t>(choose(65'536)),
          .key_slot = static_cast<std::uint8_t>(choose(16))};
}

/// Texts around the length at which a reply keeps them by hash.
template <class Choose>
std::string any_reply_text(Choose& choose) {
  if (choose(2) == 0) return json::testing::any_string(choose);
  return std::string(limits::reply_inline_bytes_max - 1 + choose(3),
                     static_cast<char>('a' + choose(26)));
}

template <class Choose>
void any_judgement(Choose& choose, Reply& reply) {
  reply.status = static_cast<RunStatus>(choose(4));
  for (std::size_t left = choose(3); left > 0; --left) {
    reply.blockers.push_back(
        {static_cast<BlockerCode>(choose(8)),
         {static_cast<PointerKind>(choose(6)), json::testing::any_string(choose)},
         any_reply_text(choose),
         any_reply_text(choose)});
  }
  reply.retryable = choose(2) == 1;
  // Free JSON may look like a reference to a text; it is none.
  reply.example = any_exact_object(choose);
  if (choose(2) == 1) reply.example.set("$blob", sha256("none").hex());
  for (std::size_t left = choose(3); left > 0; --left) reply.gaps.push_back(any_gap(choose));
  reply.open_gaps = static_cast<std::int64_t>(choose(9));
  if (choose(2) == 1) {
    reply.capabilities[static_cast<Capability>(choose(2))] = {
        static_cast<CapabilityStatus>(choose(3)), static_cast<Provenance>(choose(3))};
  }
  reply.step_context = any_exact_object(choose);
}

template <class Choose>
Reply any_reply(Choose& choose) {
  Reply reply;
  reply.kind = static_cast<ReplyKind>(choose(2));
  reply.session = any_id<SessionId>(choose);
  reply.run = any_id<RunId>(choose);
  reply.state = any_claim(choose);
  if (choose(2) == 1) reply.ack = any_claim(choose);
  if (choose(2) == 1) reply.checkpoint = any_claim(choose);
  if (choose(3) != 0) {
    reply.pending = Pending{json::testing::any_string(choose), any_reply_text(choose),
                            any_reply_text(choose), choose(2) == 1, std::nullopt};
    if (choose(2) == 1) reply.pending->agent_role = any_reply_text(choose);
  }
  if (choose(2) == 1) reply.checkpoint_node = any_id<NodeId>(choose);
  reply.next_intent = static_cast<NextIntent>(choose(4));
  reply.preferences = any_preferences(choose);
  for (std::size_t left = choose(3); left > 0; --left) {
    reply.warnings.push_back(any_reply_text(choose));
  }
  if (choose(2) == 1) any_judgement(choose, reply);
  return reply;
}

}  // namespace baton::run::testing
