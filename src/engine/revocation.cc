#include "engine/revocation.h"

#include "base/text/text.h"

namespace baton::engine {

Result<bool> is_revoked(const ReadContext& reading, const run::NodeRow& node) {
  const auto is_void = [&](const std::optional<run::Commit>& newest) {
    return newest && newest->no >= node.no.commit();
  };
  const bool by_log = is_void(TRY(reading.store.newest_by_prefix(node.session, revocation_prefix)));
  if (node.revoked == by_log) return by_log;
  // The row was read first, so that a revocation may have come between the two looks.
  const auto again = TRY(reading.store.node(node.no));
  if (!again || again->revoked == by_log) return by_log;
  return close_session(
      reading.caches, node.session,
      cat("the history of ", node.session.text(), " is inconsistent: whether the tokens of ",
          node.id.text(), " are revoked differs from the log"));
}

std::unexpected<Error> tokens_are_revoked() {
  return fail(Code::TOKEN_REVOKED, "this run was revoked: it takes no calls any more",
              Move::start_run);
}

std::unexpected<Error> run_is_missing(const ReadContext& reading, const SessionId& session) {
  const auto purged = reading.store.purged(session);
  if (!purged) return std::unexpected(purged.error());
  if (*purged) return run_is_removed();
  return fail(Code::STORE_REPLACED,
              cat("the store has ", session.text(),
                  " no more, and no gc removed it: an older file was put in its place"),
              "stop every server of this store, put the right files in place (docs/stores.md), and "
              "start again");
}

std::unexpected<Error> run_is_removed() {
  return fail(Code::TOKEN_UNKNOWN_NODE, "this run was removed by gc", Move::start_run);
}

}  // namespace baton::engine
