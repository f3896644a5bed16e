#include "verbs/rehydrate.h"

#include <algorithm>

#include "verbs/load.h"

namespace baton::verbs {

Result<SignedReply> rehydrate(const Reading& reading, const Principal& principal,
                              std::string_view state_token) {
  const OpenToken open = TRY(open_token(reading, principal, state_token, run::TokenKind::state));
  const auto state = TRY(load_state(reading, open.node));
  const auto pinned = TRY(load_workflow(reading, state->workflow_hash));
  const auto advances = TRY(reading.store.settled(open.node.no, run::AttemptKind::advance, 0));
  const auto checkpoints =
      TRY(reading.store.settled(open.node.no, run::AttemptKind::checkpoint, 0));
  run::Reply reply = run::reply_at(pinned->workflow, *state, {advances.count, checkpoints.count},
                                   TRY(rail_minting(reading)));
  if (!reply.is_complete()) reply.next_intent = run::NextIntent::rehydrate_only;
  return sign_reply(reading, principal, std::move(reply), open.node);
}

}  // namespace baton::verbs
