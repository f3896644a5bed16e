#pragma once
// What every store does with an append before and while it writes, so that the stores cannot
// differ in it. Values only; any thread.

#include <optional>
#include <string>
#include <vector>

#include "ports/event_store.h"

namespace baton::adapters {

/// Checks a draft and encodes it in place, on its caller's thread, so that a writer only writes.
/// Refuses what no store could keep: INTERNAL for a caller's defect, LIMIT_EXCEEDED for a commit
/// that is too large.
Result<void> prepare(run::CommitDraft& draft);

/// The same for the whole log of one session.
Result<void> prepare_all(std::vector<run::CommitDraft>& drafts);

/// Gives the draft its place in the log, after `head`.
void place(run::CommitDraft& draft, run::CommitNo no, const run::SessionHead& head);

/// The position of a node: what its children need to know of it.
struct NodePath {
  run::NodeNo no;
  std::optional<run::NodeNo> parent;
  std::int64_t depth = 0;
  std::optional<run::NodeNo> snapshot;
  std::int64_t events = 0;
  std::int64_t bytes = 0;
};

struct CommitSize {
  std::int64_t events = 0;
  std::int64_t bytes = 0;
};

/// The place of node `no` under `parent` (none: a root). A commit counts once on a path, however
/// many of its nodes the path runs through.
NodePath place_node(run::NodeNo no, const NodePath* parent, CommitSize commit, bool has_snapshot);

/// The whole row of the node that `commit` makes at this place of its index.
run::NodeRow row_of(const run::Commit& commit, const run::CommitIndex& index, std::size_t place,
                    const NodePath& path);

// The refusals that depend on what is stored; every store gives the same.
std::unexpected<Error> session_was_purged(const SessionId& session);
std::unexpected<Error> store_is_used_up();
std::unexpected<Error> session_is_full(const SessionId& session);
std::unexpected<Error> session_is_unknown(const SessionId& session);
std::unexpected<Error> whole_log_refused(std::string_view why);
std::unexpected<Error> broken_reference(std::string_view what);

}  // namespace baton::adapters
