#include "verbs/prefer.h"

#include "verbs/advance.h"
#include "verbs/load.h"

namespace baton::verbs {

Result<run::Preferences> prefer(Engine& engine, const Principal& principal, const run::RunRow& run,
                                const run::PreferencesDelta& preferences) {
  const Reading reading = engine.reading();
  const run::NodeRow tip = TRY(load_node(reading, run.tip));
  if (tip.open_steps.empty()) {
    return fail(Code::INVALID_INPUT, "the run is complete; there is nothing left to prefer",
                "'baton runs' lists the others");
  }
  // A checkpoint is what changes a run without settling a step.
  const run::Minting minting = TRY(rail_minting(reading));
  const auto settled = TRY(engine.store.settled(tip.no, run::AttemptKind::checkpoint, 0));
  const run::TokenClaim claim{run::TokenKind::checkpoint, tip.id,          0, settled.count,
                              minting.life_minutes,       minting.key_slot};
  AttemptRequest request{
      .token = TRY(sign_claim(reading, principal, claim, tip)), .state_token = {}, .input = {}};
  request.input.preferences = preferences;
  request.how = run::ChangedHow::terminal;
  return TRY(checkpoint(engine, principal, request)).reply.preferences;
}

}  // namespace baton::verbs
