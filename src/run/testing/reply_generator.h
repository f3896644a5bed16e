#pragma once
// Claims and replies for tests, drawn from a source of choices. Only tests include this.

#include "run/show/reply.h"
#include "run/testing/event_generator.h"

namespace baton::run::testing {

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
  for (std::size_t left = choose(3); left > 0; --left) reply.gaps.push_back(any<Gap>(choose));
  reply.open_gaps = static_cast<std::int64_t>(choose(9));
  if (choose(2) == 1) {
    reply.capabilities[static_cast<Capability>(choose(2))] = {
        static_cast<CapabilityStatus>(choose(3)), static_cast<Provenance>(choose(3))};
  }
  reply.step_context = any_exact_object(choose);
}

template <class Choose>
LeftBranch any_left_branch(Choose& choose) {
  LeftBranch left{.step = json::testing::any_string(choose), .tip = any_claim(choose)};
  for (std::size_t more = choose(3); more > 0; --more) {
    StartedCommand command{.step = json::testing::any_string(choose)};
    if (choose(2) == 1) command.end = static_cast<ProcessEnd>(choose(7));
    command.code = static_cast<std::int64_t>(choose(256));
    left.commands.push_back(std::move(command));
  }
  left.commands_omitted = static_cast<std::int64_t>(choose(3));
  left.nodes_unread = static_cast<std::int64_t>(choose(3));
  return left;
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
  if (choose(4) == 0) reply.task = any<TaskRef>(choose);
  if (choose(4) == 0) reply.left = any_left_branch(choose);
  reply.next_intent = static_cast<NextIntent>(choose(4));
  reply.preferences = any<Preferences>(choose);
  for (std::size_t left = choose(3); left > 0; --left) {
    reply.warnings.push_back(any_reply_text(choose));
  }
  if (choose(2) == 1) any_judgement(choose, reply);
  return reply;
}

}  // namespace baton::run::testing
