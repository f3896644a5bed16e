#include "engine/place.h"

namespace baton::engine {

Place place_of(const run::TokenClaim& claim, const run::NodeRow& node) {
  ASSERT(claim.node == node.id);
  const bool is_checkpoint = claim.kind == run::TokenKind::checkpoint;
  ASSERT(is_checkpoint || claim.ordinal < node.open_steps.size());
  return {.node = node,
          .attempt = {is_checkpoint ? run::AttemptKind::checkpoint : run::AttemptKind::advance,
                      claim.ordinal, claim.count},
          .step = is_checkpoint ? std::string() : node.open_steps[claim.ordinal]};
}

Result<Place> checkpoint_place(const LoadContext& loading, const run::NodeRow& node) {
  const auto settled = TRY(loading.store.settled(node.no, run::AttemptKind::checkpoint, 0));
  return Place{
      .node = node, .attempt = {run::AttemptKind::checkpoint, 0, settled.count}, .step = {}};
}

Result<run::TokenSettings> current_token_settings(const ReadContext& reading) {
  return run::TokenSettings{.key_slot = TRY(reading.signer.current_slot()), .life_minutes = 0};
}

}  // namespace baton::engine
