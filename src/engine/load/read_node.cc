#include "engine/load/read_node.h"

#include "engine/commands/command_status.h"
#include "engine/load/gate_words.h"
#include "engine/load/load.h"
#include "engine/load/owner_words.h"
#include "engine/load/workflow_drift.h"

namespace baton::engine {
namespace {

/// What the attempt that made a blocked point was told of it: why it did not pass.
Result<void> add_block(const ReadContext& reading, const run::NodeRow& node, run::Reply& reply) {
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
    if (told.gate && told.kind == run::ReplyKind::blocked) reply.gate = std::move(told.gate);
  }
  return {};
}

}  // namespace

Result<NodeAnswer> look_at(const ReadContext& reading, const run::NodeRow& node,
                           RecoveryDetail around) {
  const auto state = TRY(load_state(reading, node));
  const auto pinned = TRY(load_workflow(reading, state->workflow_hash));
  const auto advances = TRY(reading.store.settled(node.no, run::AttemptKind::advance, 0));
  const auto checkpoints = TRY(reading.store.settled(node.no, run::AttemptKind::checkpoint, 0));
  const run::TokenSettings minting = TRY(current_token_settings(reading));
  run::Scripts shown(state->shown_values());
  NodeAnswer out;
  out.node = node;
  // What a node shows is recorded with it.
  out.reply = TRY(state::settled(run::reply_at(
      pinned->workflow, *state, {advances.count, checkpoints.count}, minting, shown)));
  out.reply.guidance = TRY(open_guidance(reading, *state));
  out.hold = TRY(hold_at(reading, *state));
  if (out.hold && !out.reply.is_complete()) {
    out.reply.next_intent = run::NextIntent::await_user_confirmation;
  }
  TRY(add_command_status(reading, pinned->workflow, *state, out.reply));
  if (state->kind == run::NodeKind::blocked_attempt) TRY(add_block(reading, node, out.reply));
  TRY(add_gate_words(reading, *state, out.reply));
  if (around == RecoveryDetail::left_out) return out;
  if (auto drift = drift_warning(reading, state->workflow_id, state->workflow_hash)) {
    out.reply.warnings.push_back(*std::move(drift));
  }
  const auto& pending = out.reply.pending;
  Recovery recovery =
      TRY(recovery_at(reading, node, pinned->workflow, pending ? pending->prompt : std::string()));
  recovery.raises = state->known().raises;
  // An attempt here would start a branch: there is only something to read.
  if (recovery.is_passed && !out.reply.is_complete()) {
    out.reply.next_intent = run::NextIntent::rehydrate_only;
  }
  if (!recovery.is_empty()) out.recovery = std::move(recovery);
  return out;
}

}  // namespace baton::engine
