#pragma once
// The rare jobs of a store, each inside a transaction that the writer begins and ends.

#include "adapters/store/rules/append_rules.h"
#include "adapters/store/sqlite/connection.h"

namespace baton::adapters::sqlite {

/// Notes which contents the next commits refer to, at most so many commits. True: all are noted.
Result<bool> note_uses(Connection& connection, std::size_t commits_max);

/// Removes the session's log and rows, and the contents that only it refers to; leaves tombstones.
/// Notes all uses first: an append of another process may have come since.
Result<ports::PurgeOutcome> purge(Connection& connection, const SessionId& session,
                                  run::Seq expected, WallMs at);

/// Rebuilds nodes, attempts, runs and uses from the log. Snapshots are kept where their node
/// still exists and their seal fits: making one needs the fold of a run, which is not a store's
/// business.
Result<void> rebuild(Connection& connection);

/// A whole log into a session without commits.
Result<void> append_log(Connection& connection, std::vector<run::CommitDraft>& drafts);

}  // namespace baton::adapters::sqlite
