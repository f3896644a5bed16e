#include "verbs/run/revoke.h"

#include "base/text/text.h"
#include "engine/revocation.h"

namespace baton::verbs {

Result<void> revoke(engine::Engine& engine, const run::RunRow& run) {
  // Only this act has the key, so the append goes after everything else being recorded, and a
  // try that did not get through can be made again.
  const std::string key = cat(engine::revocation_prefix, engine.ids.next<NodeId>().text());
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    const auto outcome = TRY(engine.store.append(
        {run.session, key, engine.clock.wall(), {run::TokensRevoked{run.run}}}));
    if (!std::holds_alternative<ports::HeadMoved>(outcome)) return {};
  }
  Error busy = Error::make(Code::TOKEN_SESSION_LOCKED,
                           "other calls changed this run first; the tokens are still valid",
                           "revoke them again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

}  // namespace baton::verbs
