#include "adapters/store/rules/append_rules.h"

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
  for (const run::NodeCreated& node : index.nodes) {
    if (!ids.insert(node.node).second) return defect("a commit makes one node twice");
    // Runs are paged by their last commit, so no two may share one.
    if (node.run != index.nodes.front().run || (index.started && node.run != index.started->run)) {
      return defect("a commit makes nodes of two runs");
    }
  }
  return {};
}

}  // namespace

Result<PreparedAppend> prepare(ports::Append append) {
  if (append.dedupe_key.empty()) return defect("an append needs a dedupe key");
  if (append.dedupe_key.size() > limits::dedupe_key_bytes_max) {
    return defect(cat("a dedupe key has ", append.dedupe_key.size(), " bytes; its limit is ",
                      limits::dedupe_key_bytes_max));
  }
  if (append.events.empty()) return defect("an append needs an event");

  PreparedAppend out;
  out.session = append.session;
  out.expected = append.expected;
  out.dedupe_key = std::move(append.dedupe_key);
  out.at = append.at;
  out.body = TRY(run::encode_events(append.events));
  if (out.body.size() > limits::commit_bytes_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the output makes a commit of ", out.body.size(), " bytes; the limit is ",
                    limits::commit_bytes_max),
                "send less at once, or put the bulk in a file and name it");
  }
  out.events = static_cast<std::int64_t>(append.events.size());
  out.index = run::index_of(append.events);
  TRY(check_index(out.index, append.snapshot.has_value()));
  for (std::string& data : append.blobs) {
    const Sha256 hash = sha256(data);
    out.blobs.push_back({hash, std::move(data)});
  }
  if (append.workflow) {
    const Sha256 hash = sha256(*append.workflow);
    out.workflow = Content{hash, std::move(*append.workflow)};
  }
  out.snapshot = std::move(append.snapshot);
  out.reseal = std::move(append.reseal);
  return out;
}

Result<std::vector<PreparedAppend>> prepare_all(std::vector<ports::Append> appends) {
  std::vector<PreparedAppend> out;
  out.reserve(appends.size());
  for (ports::Append& append : appends) {
    if (append.session != appends.front().session) return defect("a log of two sessions");
    out.push_back(TRY(prepare(std::move(append))));
  }
  return out;
}

run::Commit chain(const PreparedAppend& append, run::CommitNo no, const run::SessionHead& head) {
  run::Commit commit;
  commit.no = no;
  commit.session = append.session;
  commit.seq = {head.seq.value + 1};
  commit.dedupe_key = append.dedupe_key;
  commit.at = append.at;
  commit.previous = head.hash;
  commit.body = append.body;
  commit.hash = run::commit_hash(commit);
  return commit;
}

NodePath place_node(run::NodeNo no, const NodePath* parent, CommitSize commit, bool has_snapshot) {
  NodePath path;
  if (parent != nullptr) {
    path = *parent;
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
