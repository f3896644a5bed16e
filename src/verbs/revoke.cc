#include "verbs/revoke.h"

#include "base/text.h"

namespace baton::verbs {

Result<void> revoke(Engine& engine, const run::RunRow& run) {
  // The key is of this act alone, so the append goes after whatever else is being recorded, and a
  // try that did not get through can be made again.
  const std::string key = cat(revocation_prefix, engine.ids.next<NodeId>().text());
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    const auto outcome = TRY(engine.store.append({.session = run.session,
                                                  .expected = std::nullopt,
                                                  .dedupe_key = key,
                                                  .at = engine.clock.wall(),
                                                  .events = {run::TokensRevoked{run.run}},
                                                  .blobs = {},
                                                  .workflow = std::nullopt,
                                                  .snapshot = std::nullopt}));
    if (!std::holds_alternative<ports::HeadMoved>(outcome)) return {};
  }
  Error busy = Error::make(Code::TOKEN_SESSION_LOCKED,
                           "other calls for this run kept winning; the tokens are still good",
                           "revoke them again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

}  // namespace baton::verbs
