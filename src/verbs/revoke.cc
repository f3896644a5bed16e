#include "verbs/revoke.h"

#include "base/text.h"

namespace baton::verbs {

Result<void> revoke(Engine& engine, const run::RunRow& run) {
  // The key is of this act alone, so the append goes after whatever else is being recorded.
  const NodeId act = engine.ids.next<NodeId>();
  TRY(engine.store.append({.session = run.session,
                           .expected = std::nullopt,
                           .dedupe_key = cat("revoke:", act.text()),
                           .at = engine.clock.wall(),
                           .events = {run::TokensRevoked{run.run}},
                           .blobs = {},
                           .workflow = std::nullopt,
                           .snapshot = std::nullopt}));
  return {};
}

}  // namespace baton::verbs
