#pragma once
// The rare jobs of a store, each inside a transaction that the writer begins and ends.

#include "adapters/append_rules.h"
#include "adapters/sqlite/connection.h"

namespace baton::adapters::sqlite {

/// Removes the session's log and rows and leaves a tombstone. Blobs and pinned workflows stay:
/// they are shared by content, and who else refers to one is written only in the bodies of commits.
Result<void> purge(Connection& connection, const SessionId& session, WallMs at);

/// Makes nodes, attempts and runs anew from the log. Snapshots are kept where their node still
/// exists: making one needs the fold of a run, which is not a store's business.
Result<void> rebuild(Connection& connection);

/// A whole log into a session without commits.
Result<void> append_log(Connection& connection, const std::vector<PreparedAppend>& appends);

/// The problems PRAGMA integrity_check finds.
Result<std::vector<std::string>> check_file(Connection& connection);

}  // namespace baton::adapters::sqlite
