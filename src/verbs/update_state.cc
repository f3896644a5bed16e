#include "verbs/update_state.h"

#include "base/text.h"
#include "state/write.h"
#include "verbs/advance.h"
#include "verbs/load.h"

namespace baton::verbs {
namespace {

/// What the engine writes by itself, and what is not a state, is nobody else's to write.
Result<state::Write> write_of(const StateUpdate& update) {
  state::Path path = TRY(state::parse_path(update.path));
  const bool is_open = path.root == state::Root::raw || path.root == state::Root::state ||
                       path.root == state::Root::this_frame || path.root == state::Root::global;
  if (!is_open) {
    return fail(Code::STATE_READ_ONLY, cat("\"", update.path, "\" cannot be written"),
                "begin the path with raw. or state.");
  }
  const auto operation =
      update.operation.empty() ? state::Operation::set : state::operation_of(update.operation);
  if (!operation) {
    return fail(Code::INVALID_INPUT, cat("there is no operation \"", update.operation, '"'),
                "set, append, increment, decrement, merge or multiply");
  }
  return state::Write{std::move(path), *operation, update.value};
}

}  // namespace

Result<StateView> update_state(Engine& engine, const Principal& principal, const run::RunRow& run,
                               const StateChange& change) {
  const Reading reading = engine.reading();
  const run::NodeRow tip = TRY(load_node(reading, run.tip));
  if (change.node && *change.node != tip.id) {
    return fail(Code::INVALID_INPUT, cat("the run has gone on from ", change.node->text()),
                cat("its tip is ", tip.id.text()));
  }
  if (tip.open_steps.empty()) {
    return fail(Code::INVALID_INPUT, "the run is complete; its state is final");
  }
  AttemptRequest request;
  for (const StateUpdate& each : change.updates) {
    request.input.writes.push_back(TRY(write_of(each)));
  }
  // A checkpoint is what changes a run without settling a step.
  const run::Minting minting = TRY(rail_minting(reading));
  const auto settled = TRY(engine.store.settled(tip.no, run::AttemptKind::checkpoint, 0));
  const run::TokenClaim claim{run::TokenKind::checkpoint, tip.id,          0, settled.count,
                              minting.life_minutes,       minting.key_slot};
  request.token = TRY(sign_claim(reading, principal, claim, tip));
  const SignedReply made = TRY(checkpoint(engine, principal, request));
  return read_state(reading, run, {.node = made.reply.state.node, .frame = {}, .paths = {}});
}

}  // namespace baton::verbs
