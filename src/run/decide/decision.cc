#include "run/decide/decision.h"

#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "run/checks/slots.h"
#include "run/decide/gates.h"
#include "run/effects/place_effect.h"
#include "run/show/prompt.h"
#include "run/steps/behaviour.h"
#include "run/steps/parallel_foreach.h"
#include "run/steps/shell_command.h"
#include "run/walk/scope.h"

namespace baton::run {

namespace {

/// A blocked attempt says itself whether it waits at the gate that is open there.
bool shows_gate(const NodeState& state) {
  return waits_first(state) || (state.kind == NodeKind::checkpoint && state.gate != nullptr);
}

void show_gaps(const NodeState& state, Reply& reply) {
  const std::vector<Gap>& gaps = state.known().open_gaps;
  reply.open_gaps = static_cast<std::int64_t>(gaps.size());
  for (auto gap = gaps.rbegin(); gap != gaps.rend(); ++gap) {
    if (reply.gaps.size() == limits::shown_gaps_max) break;
    reply.gaps.push_back(*gap);
  }
}

}  // namespace

bool needs_tasks(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                 const StepInput& input) {
  if (input.end || input.process || input.tasks || input.failure) return false;
  const workflow::Step* step = step_at(workflow, state.cursor);
  return step != nullptr && behaviour_of(*step).is_for_sub_agents;
}

std::string attempt_dedupe_key(const NodeId& node, const AttemptKey& attempt) {
  return cat(name_of(attempt.kind), ':', node.text(), ':', attempt.ordinal, ':', attempt.count);
}

Known<Reply> reply_at(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                      const Settled& settled, const TokenSettings& minting, Scripts& scripts) {
  const auto claim = [&](TokenKind kind, std::uint16_t count) {
    return TokenClaim{kind, state.node, 0, count, minting.life_minutes, minting.key_slot};
  };
  Reply reply;
  reply.session = state.session;
  reply.run = state.run;
  reply.state = claim(TokenKind::state, 0);
  reply.preferences = state.preferences;
  reply.status = state.status();
  show_gaps(state, reply);
  reply.capabilities = state.known().capabilities;
  reply.task = state.task;
  const workflow::Step* step = step_at(workflow, state.cursor);
  if (state.open_steps.empty() || step == nullptr) {
    reply.next_intent = NextIntent::complete;
    // What is open can be closed after the end too.
    if (reply.open_gaps > 0) reply.checkpoint = claim(TokenKind::checkpoint, settled.checkpoints);
    reply.assumptions = state.known().assumptions;
    return reply;
  }
  reply.ack = claim(TokenKind::ack, settled.advances);
  reply.checkpoint = claim(TokenKind::checkpoint, settled.checkpoints);
  if (is_servers_turn(state)) {
    reply.pending = state.process != nullptr ? pending_command(*step, *state.process)
                                             : pending_reuse(*step, *state.reuse);
    reply.next_intent = NextIntent::rehydrate_only;
    return reply;
  }
  if (shows_gate(state)) reply.gate = *state.gate;
  if (waits_first(state)) {
    reply.pending = pending_gate(*step, *state.gate);
    if (state.gate->least == Assurance::claimed) {
      json::Value word = example_confirmation();
      if (state.gate->choices.size() > 1) {
        word.if_object()->set("choice", slot(choices_text(*state.gate, " | ")));
      }
      reply.example = {{"artifacts", json::Array{std::move(word)}}};
    }
    reply.next_intent = NextIntent::await_user_confirmation;
    return reply;
  }
  AssembledPrompt text = TRY(assemble_prompt(workflow, *step, state, scripts));
  reply.pending = Pending{state.open_steps.front(),  std::move(text.title), std::move(text.prompt),
                          text.require_confirmation, step->agent_role,      step->kind(),
                          std::move(text.definition)};
  if (behaviour_of(*step).is_for_server) {
    // The server does not run it, so that it is the agent's.
    reply.pending->kind = workflow::StepKind::agent_shell_command;
  } else if (behaviour_of(*step).is_for_sub_agents) {
    show_tasks(workflow, *step, state, scripts, *reply.pending);
    TRY(scripts.settled());
  }
  if (state.ran != nullptr) {
    const std::string words = command_handover_text(*state.ran);
    reply.pending->prompt = cat(words, "\n\n", reply.pending->prompt);
    reply.pending->definition.set("handed_over", words);
  }
  reply.example = std::move(text.example);
  const PersonRule person =
      person_rule(*step, state.preferences, reply.pending->require_confirmation, false);
  reply.next_intent = person.need == PersonRule::Need::word
                          ? NextIntent::await_user_confirmation
                          : NextIntent::perform_pending_then_continue;
  return reply;
}

}  // namespace baton::run
