#include "run/log/commit_outline.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::run {
namespace {

constexpr auto numbers_per_commit = static_cast<std::int64_t>(limits::nodes_per_commit_max);

Misfit differs(std::string_view what) { return cat(what, " differs from its commit"); }

}  // namespace

const NodeOutline* CommitOutline::node(NodeNo number) const {
  const auto place = static_cast<std::size_t>(number.value % numbers_per_commit);
  return number.commit() == no && place < nodes.size() ? &nodes[place] : nullptr;
}

CommitOutline outline_of(const Commit& commit, std::span<const Event> events) {
  CommitOutline out;
  static_cast<CommitIndex&>(out) = index_of(events);
  out.no = commit.no;
  out.session = commit.session;
  out.seq = commit.seq;
  out.at = commit.at;
  out.hash = commit.hash;
  out.bytes = std::ssize(commit.body);
  return out;
}

std::optional<TokenSubject> subject_in(const Commit& commit, NodeNo node) {
  const auto events = decode_events(commit.body);
  if (!events) return std::nullopt;
  const CommitOutline outline = outline_of(commit, *events);
  const NodeOutline* found = outline.node(node);
  if (found == nullptr) return std::nullopt;
  return TokenSubject{found->id, found->open_steps, false};
}

bool may_make_nodes(const Commit& commit) {
  return commit.body.contains(kind_name(Event(NodeCreated{})));
}

Misfit commit_misfit(const Commit& commit) {
  if (commit_hash(commit) != commit.hash) return "its content does not match its hash";
  if (commit.no.value < 1 || commit.no.value > limits::commit_no_max) {
    return "its number is out of range";
  }
  return std::nullopt;
}

Misfit chain_misfit(const Commit& commit, const Commit& next) {
  if (next.seq.value != commit.seq.value + 1 || next.previous != commit.hash) {
    return "the commit after it does not continue it";
  }
  // The hash does not cover numbers, but they grow along a log.
  if (next.no <= commit.no) return "the commit after it has a lower number";
  return std::nullopt;
}

Misfit node_misfit(const NodeRow& row, const CommitOutline& commit, const NodeOutline* parent) {
  const NodeOutline* node = commit.node(row.no);
  if (node == nullptr || row.id != node->id) return "its row names a node that it did not create";
  if (row.session != commit.session || row.run != node->run) return differs("the run of a node");
  if (row.parent.has_value() != node->parent.has_value() ||
      (row.parent && (parent == nullptr || parent->id != *node->parent || *row.parent >= row.no))) {
    return differs("the parent of a node");
  }
  if (!row.parent && row.depth != 0) return differs("the depth of a node");
  if (row.kind != node->kind) return differs("the kind of a node");
  if (row.open_steps != node->open_steps) return differs("the list of a node's open steps");
  if (row.settled_step != node->settled_step) return differs("the step that a node settled");
  if (row.created != commit.at) return differs("the time of a node");
  return std::nullopt;
}

Misfit place_misfit(const NodeRow& row, const NodeRow& parent, const CommitOutline& commit) {
  if (row.depth != parent.depth + 1) return differs("the depth of a node");
  const bool is_counted = parent.no.commit() == row.no.commit();
  const bool has_own = row.snapshot == row.no;
  const std::int64_t events = has_own ? 0 : parent.path_events + (is_counted ? 0 : commit.events);
  const std::int64_t bytes = has_own ? 0 : parent.path_bytes + (is_counted ? 0 : commit.bytes);
  if ((!has_own && row.snapshot != parent.snapshot) || row.path_events != events ||
      row.path_bytes != bytes) {
    return differs("the path from a node to its snapshot");
  }
  return std::nullopt;
}

Misfit run_misfit(const RunRow& row, const CommitOutline& start, const CommitOutline& tip) {
  const auto& begun = start.started;
  if (!begun || begun->run != row.run || start.session != row.session) {
    return "its row names a session that did not start it";
  }
  if (row.workflow_id != begun->workflow_id || row.workflow_hash != begun->workflow_hash ||
      row.goal != begun->goal || row.parent != begun->parent || row.started != start.at) {
    return differs("the start of a run");
  }
  const NodeOutline* last = tip.node(row.tip);
  if (last == nullptr || last != &tip.nodes.back() || last->run != row.run ||
      tip.session != row.session || row.last_commit != tip.no || row.last_active != tip.at ||
      row.is_complete != last->open_steps.empty()) {
    return differs("the latest node of a run");
  }
  return std::nullopt;
}

bool settles(const CommitOutline& commit, NodeNo outcome, const NodeId& node,
             const AttemptKey& key) {
  const NodeOutline* made = commit.node(outcome);
  return made != nullptr &&
         std::ranges::any_of(commit.attempts, [&](const CommitIndex::Attempt& attempt) {
           return attempt.node == node && attempt.key == key && attempt.to == made->id;
         });
}

}  // namespace baton::run
