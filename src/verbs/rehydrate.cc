#include "verbs/rehydrate.h"

#include "run/scope.h"
#include "verbs/command_status.h"
#include "verbs/drift.h"
#include "verbs/load.h"

namespace baton::verbs {
namespace {

Result<std::string> state_token_of(const Reading& reading, const Principal& principal,
                                   const run::Minting& minting, const run::NodeRow& node) {
  return sign_claim(reading, principal,
                    {.kind = run::TokenKind::state,
                     .node = node.id,
                     .life_minutes = minting.life_minutes,
                     .key_slot = minting.key_slot},
                    node);
}

/// What the attempt that made a blocked point was told of it: why it did not pass.
Result<void> add_block(const Reading& reading, const run::NodeRow& node, run::Reply& reply) {
  StoreBlobs blobs(reading, node.session);
  for (const run::Event& event : TRY(load_events(reading, node.no.commit()))) {
    const auto* record = std::get_if<run::AdvanceRecorded>(&event);
    if (record == nullptr) continue;
    run::Reply told =
        TRY(of_session(reading, node.session, run::restore_reply(record->reply, blobs)));
    reply.kind = told.kind;
    reply.blockers = std::move(told.blockers);
    reply.retryable = told.retryable;
    reply.example = std::move(told.example);
  }
  return {};
}

/// A step whose command the server ran is said to run only as long as it does.
Result<void> add_command_status(const Reading& reading, const workflow::CompiledWorkflow& workflow,
                                const run::NodeState& state, run::Reply& reply) {
  const auto status = TRY(command_status(reading, state));
  if (!status || !reply.pending) return {};
  reply.pending =
      run::pending_command(*run::step_at(workflow, state.cursor), *state.process, *status);
  return {};
}

}  // namespace

Result<SignedReply> rehydrate(const Reading& reading, const Principal& principal,
                              std::string_view state_token, Around around) {
  const OpenToken open = TRY(open_token(reading, principal, state_token, run::TokenKind::state));
  const auto state = TRY(load_state(reading, open.node));
  const auto pinned = TRY(load_workflow(reading, state->workflow_hash));
  const auto advances = TRY(reading.store.settled(open.node.no, run::AttemptKind::advance, 0));
  const auto checkpoints =
      TRY(reading.store.settled(open.node.no, run::AttemptKind::checkpoint, 0));
  const run::Minting minting = TRY(rail_minting(reading));
  run::Scripts shown(state->shown_values());
  run::Reply reply = TRY(
      run::reply_at(pinned->workflow, *state, {advances.count, checkpoints.count}, minting, shown));
  if (!reply.is_complete()) reply.next_intent = run::NextIntent::rehydrate_only;
  TRY(add_command_status(reading, pinned->workflow, *state, reply));
  if (state->kind == run::NodeKind::blocked_attempt) TRY(add_block(reading, open.node, reply));
  if (around == Around::left_out) {
    return sign_reply(reading, principal, std::move(reply), open.node);
  }
  if (auto drift = drift_warning(reading, state->workflow_id, state->workflow_hash)) {
    reply.warnings.push_back(*std::move(drift));
  }
  Recovery recovery = TRY(recovery_at(reading, open.node, pinned->workflow,
                                      reply.pending ? reply.pending->prompt : std::string()));
  recovery.raises = state->known().raises;
  for (Child& child : recovery.children) {
    child.state_token = TRY(state_token_of(reading, principal, minting, child.node));
  }
  if (recovery.tip) {
    recovery.tip_token = TRY(state_token_of(reading, principal, minting, *recovery.tip));
  }
  SignedReply out = TRY(sign_reply(reading, principal, std::move(reply), open.node));
  if (!recovery.is_empty()) out.recovery = std::move(recovery);
  return out;
}

Result<SignedReply> look_at(const Reading& reading, const Principal& principal,
                            const run::NodeRow& node, Around around) {
  const run::Minting minting = TRY(rail_minting(reading));
  const std::string token = TRY(state_token_of(reading, principal, minting, node));
  return rehydrate(reading, principal, token, around);
}

}  // namespace baton::verbs
