#include "adapters/store/rules/append_rules.h"

#include <algorithm>
#include <set>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

std::unexpected<Error> defect(std::string message) {
  return fail(Code::INTERNAL, std::move(message));
}

Result<void> check_index(const run::CommitIndex& index, bool has_snapshot) {
  if (index.nodes.size() > limits::nodes_per_commit_max) {
    return defect(cat("a commit makes ", index.nodes.size(), " nodes; its limit is ",
                      limits::nodes_per_commit_max));
  }
  if (has_snapshot && index.nodes.size() != 1) {
    return defect("a commit with a snapshot must make one node");
  }
  std::set<NodeId> ids;
  for (const run::NodeOutline& node : index.nodes) {
    if (!ids.insert(node.id).second) return defect("a commit makes one node twice");
    // Runs are paged by their last commit, so no two may share one.
    if (node.run != index.nodes.front().run || (index.started && node.run != index.started->run)) {
      return defect("a commit makes nodes of two runs");
    }
  }
  return {};
}

}  // namespace

Result<void> prepare(run::CommitDraft& draft) {
  if (draft.dedupe_key.empty()) return defect("an append needs a dedupe key");
  if (draft.dedupe_key.size() > limits::dedupe_key_bytes_max) {
    return defect(cat("a dedupe key has ", draft.dedupe_key.size(), " bytes; its limit is ",
                      limits::dedupe_key_bytes_max));
  }
  if (draft.events.empty()) return defect("an append needs an event");
  draft.body = TRY(run::encode_events(draft.events));
  if (draft.body.size() > limits::commit_bytes_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the output makes a commit of ", draft.body.size(), " bytes; the limit is ",
                    limits::commit_bytes_max),
                "send less at once, or put the bulk in a file and name it");
  }
  draft.index = run::index_of(draft.events);
  return check_index(draft.index, draft.snapshot.has_value());
}

Result<void> prepare_all(std::vector<run::CommitDraft>& drafts) {
  for (run::CommitDraft& draft : drafts) {
    if (draft.session != drafts.front().session) return defect("a log of two sessions");
    TRY(prepare(draft));
  }
  return {};
}

void place(run::CommitDraft& draft, run::CommitNo no, const run::SessionHead& head) {
  draft.no = no;
  draft.seq = {head.seq.value + 1};
  draft.previous = head.hash;
  draft.hash = run::commit_hash(draft);
}

NodePath place_node(run::NodeNo no, const NodePath* parent, CommitSize commit, bool has_snapshot) {
  NodePath path;
  if (parent != nullptr) {
    path = *parent;
    path.parent = parent->no;
    path.depth = parent->depth + 1;
  }
  path.no = no;
  if (has_snapshot) {
    path.snapshot = no;
    path.events = 0;
    path.bytes = 0;
  } else if (parent == nullptr || parent->no.commit() != no.commit()) {
    path.events += commit.events;
    path.bytes += commit.bytes;
  }
  return path;
}

run::NodeRow row_of(const run::Commit& commit, const run::CommitIndex& index, std::size_t place,
                    const NodePath& path) {
  const run::NodeOutline& node = index.nodes[place];
  return {.no = path.no,
          .id = node.id,
          .session = commit.session,
          .run = node.run,
          .parent = path.parent,
          .depth = path.depth,
          .kind = node.kind,
          .open_steps = node.open_steps,
          .settled_step = node.settled_step,
          .created = commit.at,
          .snapshot = path.snapshot,
          .path_events = path.events,
          .path_bytes = path.bytes,
          .revoked = std::ranges::find(index.revoked, node.run) != index.revoked.end()};
}

std::unexpected<Error> store_is_used_up() {
  return fail(
      Code::LIMIT_EXCEEDED,
      cat("the store has had ", limits::commit_no_max, " commits, the most that tokens can name"),
      "start a new store with --db; `baton export` and `baton import` move sessions to it");
}

std::unexpected<Error> session_is_full(const SessionId& session) {
  return fail(Code::LIMIT_EXCEEDED,
              cat(session.text(), " has ", limits::session_commits_max,
                  " commits, the most that a session may have"),
              "continue in a new run");
}

std::unexpected<Error> session_was_purged(const SessionId& session) {
  return fail(Code::NOT_FOUND, cat(session.text(), " was removed from the store"));
}

std::unexpected<Error> session_is_unknown(const SessionId& session) {
  return fail(Code::NOT_FOUND, cat("the store has no ", session.text()));
}

std::unexpected<Error> whole_log_refused(std::string_view why) {
  return fail(Code::INVALID_INPUT, cat("the log was not imported: ", why));
}

std::unexpected<Error> broken_reference(std::string_view what) {
  return defect(cat("a commit refers to ", what));
}

}  // namespace baton::adapters
