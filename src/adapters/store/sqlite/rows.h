#pragma once
// Reading whole rows out of a query. Each function says in which order it expects the columns. A
// damaged row is not a damaged file: a field of a wrong size or form is read as a value that fits
// no commit, so that the comparison of the row with its commit finds it.

#include "adapters/store/sqlite/connection.h"
#include "run/log/rows.h"

namespace baton::adapters::sqlite {

// Columns and joins of the three kinds of rows; a WHERE clause follows.
#define BATON_COMMIT_ROWS                                                               \
  "SELECT c.commit_no, s.id, c.seq, c.dedupe_key, c.at_ms, c.previous, c.hash, c.body " \
  "FROM commits c JOIN sessions s ON s.session_no = c.session_no "
#define BATON_NODE_ROWS                                                                    \
  "SELECT n.node_no, n.node_id, s.id, r.run_id, n.parent, n.depth, n.kind, n.open_steps, " \
  "n.settled_step, n.created_ms, n.snapshot, n.path_events, n.path_bytes, r.revoked_to "   \
  "FROM nodes n JOIN runs r ON r.run_no = n.run_no JOIN sessions s ON s.session_no = "     \
  "r.session_no "
#define BATON_RUN_ROWS                                                                       \
  "SELECT r.run_id, s.id, r.workflow_id, r.workflow_hash, r.goal, r.started_ms, r.last_ms, " \
  "r.last_commit, r.tip, r.is_complete, r.nodes, r.parent "                                  \
  "FROM runs r JOIN sessions s ON s.session_no = r.session_no "

/// Runs are indexed by the epoch of their last commit, not by the commit: so an advance changes the
/// index once in an epoch and not every time, and a list of runs sorts one epoch's at a time, at
/// most so many as an epoch has commits.
inline constexpr std::int64_t commits_per_epoch = 1'024;
constexpr std::int64_t epoch_of(run::CommitNo commit) { return commit.value / commits_per_epoch; }

Result<run::Commit> commit_row(Query& query);
Result<run::NodeRow> node_row(Query& query);
Result<run::RunRow> run_row(Query& query);
Result<run::Tombstone> tombstone_row(Query& query);

/// A list of step keys as a column holds it: a JSON array.
std::string steps_text(const std::vector<std::string>& steps);

/// The newest number ever given, purged commits included.
Result<run::CommitNo> last_commit_no(Connection& connection);

}  // namespace baton::adapters::sqlite
