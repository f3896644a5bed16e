#pragma once
// Writing one append inside a transaction that the caller begins and ends, and writing the rows
// that follow from a commit. The writer's thread only.

#include "adapters/store/rules/append_rules.h"
#include "adapters/store/sqlite/heads/anchors.h"

namespace baton::adapters::sqlite {

/// The store's next commit number inside one transaction. Other processes may write between two.
struct Numbering {
  std::optional<run::CommitNo> last;
  std::vector<NotedCommit> noted;  // what was appended, for the heads
};

/// Looks first, then writes. Anything but Appended has written nothing, but an error may have.
/// Gives the draft its place, but leaves the commit in it: the transaction may be made again.
Result<ports::AppendOutcome> append_one(Connection& connection, run::CommitDraft& draft,
                                        Numbering& numbering);

/// The rows of a commit that is in the log: nodes, attempts, the run's latest point. Needs only
/// what the log and the snapshots hold, so that a rebuild calls it too.
struct RowSource {
  run::CommitNo no;
  std::int64_t session_no = 0;
  WallMs at;
  std::int64_t bytes = 0;     // of its body
  bool has_snapshot = false;  // of its only node
  const run::CommitIndex& index;
};
Result<std::vector<NodePath>> write_rows(Connection& connection, const RowSource& commit);

/// Whether the commit stored a snapshot with its first node.
Result<bool> has_snapshot(Connection& connection, run::CommitNo no);

}  // namespace baton::adapters::sqlite
