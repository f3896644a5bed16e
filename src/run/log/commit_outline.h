#pragma once
// What the log says about the rows that a store keeps beside it, and whether a row fits. Only the
// log is hashed; a row must be compared with the commit it came from before it is used. Values
// only; any thread.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/log/rows.h"

namespace baton::run {

/// A commit without its body: everything that rows follow from.
struct CommitOutline : CommitIndex {
  CommitNo no;
  SessionId session;
  Seq seq;
  WallMs at;
  Sha256 hash;
  std::int64_t bytes = 0;  // of its body

  /// The node with this number, or null when the commit did not make it.
  const NodeOutline* node(NodeNo number) const;
};

CommitOutline outline_of(const Commit& commit, std::span<const Event> events);

/// What a token of this node is checked against, by what the commit says; nothing when it did not
/// make such a node or cannot be decoded.
std::optional<TokenSubject> subject_in(const Commit& commit, NodeNo node);

/// Whether the commit may have made a node; decides without decoding. False is certain.
bool may_make_nodes(const Commit& commit);

/// What does not fit, for an error message that names the commit first; nothing when all fits.
using Misfit = std::optional<std::string>;

/// Whether the commit has the hash that it must have.
Misfit commit_misfit(const Commit& commit);

/// Whether `next` is the commit of the same session that comes directly after `commit`.
Misfit chain_misfit(const Commit& commit, const Commit& next);

/// Whether the row says of its node what `commit` says. `parent` is the node that the row's parent
/// number names; null when it names none.
Misfit node_misfit(const NodeRow& row, const CommitOutline& commit, const NodeOutline* parent);

/// Whether the node's place below its parent fits: depth, and the way back to a snapshot.
/// REQUIRES: both rows fit their commits, and `commit` made the node.
Misfit place_misfit(const NodeRow& row, const NodeRow& parent, const CommitOutline& commit);

/// Whether the row says of its run what the commit that started it and the commit of its tip say.
Misfit run_misfit(const RunRow& row, const CommitOutline& start, const CommitOutline& tip);

/// Whether `outcome` settled the attempt `key` at `node`, as `commit`, which made it, says.
bool settles(const CommitOutline& commit, NodeNo outcome, const NodeId& node,
             const AttemptKey& key);

}  // namespace baton::run
