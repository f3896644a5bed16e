#pragma once
// Events, replies and histories for tests, drawn from a source of choices (see
// base/testing/json_generator.h). Only tests include this; values only.

#include "run/reply.h"
#include "run/testing/fact_generator.h"

namespace baton::run::testing {

template <class Choose>
Preferences any_preferences(Choose& choose) {
  return {static_cast<Autonomy>(choose(3)), static_cast<RiskPolicy>(choose(3))};
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
  if (choose(4) == 0) node.shown = any_exact_object(choose);
  if (choose(4) == 0) {
    node.items = std::make_shared<const json::Value>(json::Array{any_exact_value(choose)});
  }
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
  task.worker = json::testing::any_string(choose);
  task.message = json::testing::any_string(choose);
  task.state = any_exact_value(choose);
  task.requests = any_exact_object(choose);
  task.responses = any_exact_object(choose);
  task.result = any_exact_object(choose);
  task.error = any_exact_object(choose);
  return task;
}

template <class Choose>
TaskRef any_task_ref(Choose& choose) {
  return {any_id<RunId>(choose), any_id<NodeId>(choose), json::testing::any_string(choose),
          static_cast<std::int64_t>(choose(5))};
}

template <class Choose>
Event any_event(Choose& choose) {
  const auto run = [&] { return any_id<RunId>(choose); };
  const auto node = [&] { return any_id<NodeId>(choose); };
  const auto text = [&] { return json::testing::any_string(choose); };
  switch (choose(16)) {
    case 0: return SessionCreated{};
    case 1: {
      RunStarted started{run(), text(), any_hash(choose), text()};
      if (choose(2) == 0) started.task = any_task_ref(choose);
      return started;
    }
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
    case 8: {
      PreferencesChanged changed{run(), node(), any_preferences(choose)};
      if (choose(2) == 0) {
        changed.change = PreferenceChange{any_preferences(choose),
                                          {text(), static_cast<ChangedHow>(choose(3)), text()}};
      }
      return changed;
    }
    case 9: return TokensRevoked{run()};
    case 10: return ObservationRecorded{run(), static_cast<ObservationKey>(choose(5)), text()};
    case 11: return any_mcp_task_changed(choose);
    case 12: return any_command(choose, run(), node());
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
  // Free JSON may look like a reference to a text; it is not one.
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
    if (choose(2) == 1) {
      reply.pending->kind = static_cast<workflow::StepKind>(choose(16));
      reply.pending->definition = {{"message", any_reply_text(choose)}};
    }
  }
  if (choose(2) == 1) reply.checkpoint_node = any_id<NodeId>(choose);
  if (choose(4) == 0) reply.task = any_task_ref(choose);
  reply.next_intent = static_cast<NextIntent>(choose(4));
  reply.preferences = any_preferences(choose);
  for (std::size_t left = choose(3); left > 0; --left) {
    reply.warnings.push_back(any_reply_text(choose));
  }
  if (choose(2) == 1) any_judgement(choose, reply);
  return reply;
}

}  // namespace baton::run::testing
