#include "adapters/store/sqlite/write/append.h"

#include <algorithm>

#include "adapters/store/sqlite/rows.h"

namespace baton::adapters::sqlite {
namespace {

namespace sql {
constexpr const char* find_session = "SELECT session_no, anchor FROM sessions WHERE id = ?1";
constexpr const char* add_session =
    "INSERT INTO sessions(session_no, id, anchor) VALUES(?1, ?2, ?3)";
constexpr const char* find_purged = "SELECT 1 FROM purged WHERE session = ?1";
constexpr const char* find_key =
    "SELECT commit_no FROM commits WHERE session_no = ?1 AND dedupe_key = ?2";
constexpr const char* find_head =
    "SELECT seq, hash FROM commits WHERE session_no = ?1 ORDER BY seq DESC LIMIT 1";
constexpr const char* add_commit =
    "INSERT INTO commits(commit_no, session_no, seq, dedupe_key, at_ms, previous, hash, body)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
constexpr const char* add_blob =
    "INSERT INTO blobs(hash, data) VALUES(?1, ?2) ON CONFLICT(hash) DO NOTHING";
constexpr const char* add_workflow =
    "INSERT INTO workflows(hash, data) VALUES(?1, ?2) ON CONFLICT(hash) DO NOTHING";
constexpr const char* add_snapshot =
    "INSERT INTO snapshots(node_no, data, seal) VALUES(?1, ?2, ?3)";
constexpr const char* replace_snapshot =
    "INSERT INTO snapshots(node_no, data, seal) SELECT n.node_no, ?2, ?3 FROM nodes n"
    " JOIN runs r ON r.run_no = n.run_no"
    " WHERE n.node_no = ?1 AND n.snapshot = ?1 AND r.session_no = ?4"
    " ON CONFLICT(node_no) DO UPDATE SET data = excluded.data, seal = excluded.seal";
constexpr const char* find_snapshot = "SELECT 1 FROM snapshots WHERE node_no = ?1";
constexpr const char* find_run = "SELECT run_no FROM runs WHERE run_id = ?1";
constexpr const char* add_run =
    "INSERT INTO runs(run_no, run_id, session_no, workflow_id, workflow_hash, goal, started_ms,"
    " last_ms, last_commit, epoch, tip, is_complete, nodes, revoked_to, parent)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?1, ?8, ?9, ?10, ?11, 0, ?12)";
constexpr const char* move_run =
    "UPDATE runs SET last_ms = ?4, last_commit = ?5, tip = ?6, is_complete = ?7,"
    " nodes = nodes + ?8 WHERE run_no = ?1 AND run_id = ?2 AND session_no = ?3";
constexpr const char* move_epoch = "UPDATE runs SET epoch = ?2 WHERE run_no = ?1";
constexpr const char* revoke_run = "UPDATE runs SET revoked_to = ?2 WHERE run_id = ?1";
constexpr const char* find_place =
    "SELECT node_no, depth, snapshot, path_events, path_bytes, run_no FROM nodes"
    " WHERE node_id = ?1";
constexpr const char* add_node =
    "INSERT INTO nodes(node_no, node_id, run_no, parent, depth, kind, open_steps, settled_step,"
    " created_ms, snapshot, path_events, path_bytes)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
constexpr const char* add_adopted = "INSERT INTO adopted(parent, child) VALUES(?1, ?2)";
constexpr const char* add_attempt =
    "INSERT INTO attempts(node_no, kind, ordinal, count, outcome) VALUES(?1, ?2, ?3, ?4, ?5)";
}  // namespace sql

struct Place {
  NodePath path;
  std::int64_t run_no = 0;
};

Result<std::optional<Place>> find_place(Connection& connection, const NodeId& id) {
  Query query(connection, sql::find_place);
  query.bind(id.bytes);
  if (!TRY(query.step())) return std::nullopt;
  Place out;
  out.path.no = {query.integer(0)};
  out.path.depth = query.integer(1);
  if (!query.is_null(2)) out.path.snapshot = run::NodeNo{query.integer(2)};
  out.path.events = query.integer(3);
  out.path.bytes = query.integer(4);
  out.run_no = query.integer(5);
  return out;
}

Result<void> add_content(Connection& connection, const char* statement,
                         const run::Content& content) {
  Query query(connection, statement);
  const auto* data = reinterpret_cast<const std::uint8_t*>(content.data.data());
  query.bind(content.hash.bytes).bind(std::span(data, content.data.size()));
  return query.finish();
}

/// The rows of one commit while they are written.
class RowWriter {
 public:
  RowWriter(Connection& connection, const RowSource& commit)
      : connection_(connection), commit_(commit) {}

  Result<std::vector<NodePath>> write() {
    TRY(find_run());
    for (std::size_t place = 0; place < commit_.index.nodes.size(); ++place) {
      TRY(add_node(commit_.index.nodes[place], run::NodeNo::of(commit_.no, place)));
    }
    for (const run::CommitIndex::Attempt& attempt : commit_.index.attempts) {
      TRY(add_attempt(attempt));
    }
    TRY(write_run());
    TRY(write_revocations());
    return std::move(made_);
  }

 private:
  /// The run is that of the first node's parent; a root beside the run's own names it only by id.
  /// That it is the run of this session is checked when its row is moved.
  Result<void> find_run() {
    if (commit_.index.started) {
      run_no_ = commit_.no.value;
      return {};
    }
    if (commit_.index.nodes.empty()) return {};
    const run::NodeOutline& first = commit_.index.nodes.front();
    if (first.parent) {
      const auto parent = TRY(place_of(*first.parent));
      if (!parent) return broken_reference("a parent that is not in the store");
      run_no_ = parent->run_no;
      return {};
    }
    Query query(connection_, sql::find_run);
    query.bind(first.run.bytes);
    if (!TRY(query.step())) return broken_reference("a run that was not started");
    run_no_ = query.integer(0);
    return {};
  }

  Result<std::optional<Place>> place_of(const NodeId& id) {
    for (const auto& [known, place] : known_) {
      if (known == id) return place;
    }
    const auto found = TRY(find_place(connection_, id));
    if (found) known_.emplace_back(id, *found);
    return found;
  }

  Result<void> add_node(const run::NodeOutline& node, run::NodeNo no) {
    std::optional<Place> parent;
    if (node.parent) {
      parent = TRY(place_of(*node.parent));
      if (!parent) return broken_reference("a parent that is not in the store");
      if (parent->run_no != run_no_) return broken_reference("a parent of another run");
    }
    const NodePath path = place_node(no, parent ? &parent->path : nullptr,
                                     {commit_.index.events, commit_.bytes}, commit_.has_snapshot);
    const std::string open = steps_text(node.open_steps);
    Query query(connection_, sql::add_node);
    query.bind(no.value).bind(node.id.bytes).bind(run_no_);
    path.parent ? query.bind(path.parent->value) : query.bind(std::nullopt);
    query.bind(path.depth).bind(static_cast<std::int64_t>(node.kind));
    query.bind(std::string_view(open)).bind(std::string_view(node.settled_step));
    query.bind(commit_.at.value);
    path.snapshot ? query.bind(path.snapshot->value) : query.bind(std::nullopt);
    query.bind(path.events).bind(path.bytes);
    TRY(query.finish());
    known_.emplace_back(node.id, Place{path, run_no_});
    made_.push_back(path);
    if (parent && !follows_its_attempt(node)) return add_adopted(parent->path.no, no);
    return {};
  }

  /// Whether the node hangs below the node that the attempt which made it was made at. A rebased
  /// one does not: its parent is further down.
  bool follows_its_attempt(const run::NodeOutline& node) const {
    return std::ranges::any_of(commit_.index.attempts,
                               [&](const run::CommitIndex::Attempt& attempt) {
                                 return attempt.to == node.id && attempt.node == node.parent;
                               });
  }

  Result<void> add_adopted(run::NodeNo parent, run::NodeNo child) {
    Query query(connection_, sql::add_adopted);
    query.bind(parent.value).bind(child.value);
    return query.finish();
  }

  Result<void> add_attempt(const run::CommitIndex::Attempt& attempt) {
    const auto at = TRY(place_of(attempt.node));
    const auto to = TRY(place_of(attempt.to));
    if (!at || !to) return broken_reference("an attempt at or to an unknown node");
    Query query(connection_, sql::add_attempt);
    query.bind(at->path.no.value).bind(static_cast<std::int64_t>(attempt.key.kind));
    query.bind(std::int64_t{attempt.key.ordinal}).bind(std::int64_t{attempt.key.count});
    query.bind(to->path.no.value);
    return query.finish();
  }

  Result<void> write_run() {
    const auto& nodes = commit_.index.nodes;
    const std::int64_t tip = made_.empty() ? 0 : made_.back().no.value;
    const std::int64_t is_complete = !nodes.empty() && nodes.back().open_steps.empty() ? 1 : 0;
    const auto count = static_cast<std::int64_t>(nodes.size());
    if (commit_.index.started) {
      const run::CommitIndex::Run& run = *commit_.index.started;
      Query query(connection_, sql::add_run);
      query.bind(run_no_).bind(run.run.bytes).bind(commit_.session_no);
      query.bind(std::string_view(run.workflow_id)).bind(run.workflow_hash.bytes);
      query.bind(std::string_view(run.goal)).bind(commit_.at.value);
      query.bind(epoch_of(commit_.no)).bind(tip).bind(is_complete).bind(count);
      run.parent ? query.bind(run.parent->bytes) : query.bind(std::nullopt);
      return query.finish();
    }
    if (nodes.empty()) return {};
    Query query(connection_, sql::move_run);
    query.bind(run_no_).bind(nodes.front().run.bytes).bind(commit_.session_no);
    query.bind(commit_.at.value).bind(commit_.no.value);
    query.bind(tip).bind(is_complete).bind(count);
    TRY(query.finish());
    if (sqlite3_changes(connection_.handle()) != 1) {
      return broken_reference("a run that is not the session's or not its parent's");
    }
    return move_epoch();
  }

  /// The run's last commit was not before the new node's parent: in the same epoch as that one,
  /// nothing changes.
  Result<void> move_epoch() {
    const run::NodeOutline& first = commit_.index.nodes.front();
    const auto parent = first.parent ? TRY(place_of(*first.parent)) : std::optional<Place>();
    const std::int64_t epoch = epoch_of(commit_.no);
    if (parent && epoch_of(parent->path.no.commit()) == epoch) return {};
    Query query(connection_, sql::move_epoch);
    query.bind(run_no_).bind(epoch);
    return query.finish();
  }

  Result<void> write_revocations() {
    for (const RunId& run : commit_.index.revoked) {
      Query query(connection_, sql::revoke_run);
      query.bind(run.bytes).bind(commit_.no.value);
      TRY(query.finish());
      if (sqlite3_changes(connection_.handle()) != 1) return broken_reference("an unknown run");
    }
    return {};
  }

  Connection& connection_;
  const RowSource& commit_;
  std::int64_t run_no_ = 0;
  std::vector<std::pair<NodeId, Place>> known_;
  std::vector<NodePath> made_;
};

Result<run::SessionHead> head_of(Connection& connection, std::int64_t session_no) {
  Query query(connection, sql::find_head);
  query.bind(session_no);
  run::SessionHead head;
  if (!TRY(query.step())) return head;
  head.seq = {query.integer(0)};
  head.hash = {query.bytes<32>(1)};
  TRY(query.sound());
  return head;
}

/// Where an append would go, or why it goes nowhere.
struct Target {
  std::optional<std::int64_t> session_no;  // none: the session is new
  std::int64_t anchor = 0;                 // its record in the heads
  run::SessionHead head;
  std::optional<ports::AppendOutcome> refused;
};

Result<Target> find_target(Connection& connection, const run::CommitDraft& draft) {
  Target target;
  {
    Query query(connection, sql::find_session);
    query.bind(draft.session.bytes);
    if (TRY(query.step())) {
      target.session_no = query.integer(0);
      target.anchor = query.integer(1);
    }
  }
  if (target.session_no) {
    Query query(connection, sql::find_key);
    query.bind(*target.session_no).bind(std::string_view(draft.dedupe_key));
    if (TRY(query.step())) {
      target.refused = ports::AlreadyRecorded{{query.integer(0)}};
      return target;
    }
    target.head = TRY(head_of(connection, *target.session_no));
  } else {
    Query query(connection, sql::find_purged);
    query.bind(draft.session.bytes);
    if (TRY(query.step())) return session_was_purged(draft.session);
  }
  if (draft.expected && *draft.expected != target.head.seq) {
    target.refused = ports::HeadMoved{target.head.seq};
  }
  return target;
}

Result<void> write_commit(Connection& connection, const run::Commit& commit,
                          std::int64_t session_no) {
  Query query(connection, sql::add_commit);
  query.bind(commit.no.value).bind(session_no).bind(commit.seq.value);
  query.bind(std::string_view(commit.dedupe_key)).bind(commit.at.value);
  query.bind(commit.previous.bytes).bind(commit.hash.bytes).bind(std::string_view(commit.body));
  return query.finish();
}

/// With its seal. Of another node than the commit's own only where the run of `session_no` has one.
Result<void> write_snapshot(Connection& connection, run::NodeNo node, const std::string& text,
                            std::optional<std::int64_t> session_no = std::nullopt) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(text.data());
  const bool has_key = connection.key() != nullptr;
  const Seal seal = has_key ? seal_snapshot(*connection.key(), node, text) : Seal{};
  Query query(connection, session_no ? sql::replace_snapshot : sql::add_snapshot);
  query.bind(node.value).bind(std::span(data, text.size()));
  has_key ? query.bind(seal) : query.bind(std::nullopt);
  if (session_no) query.bind(*session_no);
  return query.finish();
}

}  // namespace

Result<bool> has_snapshot(Connection& connection, run::CommitNo no) {
  Query query(connection, sql::find_snapshot);
  query.bind(run::NodeNo::of(no, 0).value);
  return query.step();
}

Result<std::vector<NodePath>> write_rows(Connection& connection, const RowSource& commit) {
  return RowWriter(connection, commit).write();
}

Result<ports::AppendOutcome> append_one(Connection& connection, run::CommitDraft& draft,
                                        Numbering& numbering) {
  Target target = TRY(find_target(connection, draft));
  if (target.refused) return *std::move(target.refused);
  if (target.head.seq.value >= limits::session_commits_max) return session_is_full(draft.session);

  if (!numbering.last) numbering.last = TRY(last_commit_no(connection));
  const run::CommitNo no{numbering.last->value + 1};
  if (no.value > limits::commit_no_max) return store_is_used_up();
  place(draft, no, target.head);

  const std::int64_t session_no = target.session_no.value_or(no.value);
  if (!target.session_no) {
    target.anchor = TRY(next_anchor(connection));
    Query query(connection, sql::add_session);
    query.bind(session_no).bind(draft.session.bytes).bind(target.anchor);
    TRY(query.finish());
  }
  TRY(write_commit(connection, draft, session_no));
  for (const run::Content& blob : draft.blobs) TRY(add_content(connection, sql::add_blob, blob));
  if (draft.workflow) TRY(add_content(connection, sql::add_workflow, *draft.workflow));
  if (draft.snapshot) {
    TRY(write_snapshot(connection, run::NodeNo::of(no, 0), *draft.snapshot));
  }
  for (const auto& [node, text] : draft.reseal) {
    TRY(write_snapshot(connection, node, text, session_no));
  }
  const auto paths = TRY(write_rows(connection, {no, session_no, draft.at, std::ssize(draft.body),
                                                 draft.snapshot.has_value(), draft.index}));
  ports::Appended out;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    out.nodes.push_back(row_of(draft, draft.index, i, paths[i]));
  }
  numbering.last = no;
  numbering.noted.push_back(
      {target.anchor, {draft.session, draft.seq, no, draft.hash}, draft.previous});
  return out;
}

}  // namespace baton::adapters::sqlite
