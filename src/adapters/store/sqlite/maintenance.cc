#include "adapters/store/sqlite/maintenance.h"

#include <algorithm>

#include "adapters/store/sqlite/heads/anchors.h"
#include "adapters/store/sqlite/rows.h"
#include "adapters/store/sqlite/write/append.h"
#include "base/text/text.h"
#include "run/show/reply.h"

namespace baton::adapters::sqlite {
namespace {

namespace sql {
constexpr const char* find_session = "SELECT session_no, anchor FROM sessions WHERE id = ?1";
constexpr const char* find_head = "SELECT max(seq) FROM commits WHERE session_no = ?1";
constexpr const char* find_purged = "SELECT 1 FROM purged WHERE session = ?1";
constexpr const char* add_purged =
    "INSERT INTO purged(session, last_commit_no, at_ms, anchor) VALUES(?1, ?2, ?3, ?4)";
constexpr const char* commits_of = "SELECT commit_no FROM commits WHERE session_no = ?1";
constexpr const char* add_tombstones =
    "INSERT INTO tombstones(node_no, node_id, open_steps, anchor)"
    " SELECT node_no, node_id, open_steps, ?3 FROM nodes WHERE node_no BETWEEN ?1 AND ?2";
constexpr const char* drop_nodes = "DELETE FROM nodes WHERE node_no BETWEEN ?1 AND ?2";
constexpr const char* drop_adopted = "DELETE FROM adopted WHERE parent BETWEEN ?1 AND ?2";
constexpr const char* drop_attempts = "DELETE FROM attempts WHERE node_no BETWEEN ?1 AND ?2";
constexpr const char* drop_snapshots = "DELETE FROM snapshots WHERE node_no BETWEEN ?1 AND ?2";
constexpr const char* drop_runs = "DELETE FROM runs WHERE session_no = ?1";
constexpr const char* drop_commits = "DELETE FROM commits WHERE session_no = ?1";
constexpr const char* drop_session = "DELETE FROM sessions WHERE session_no = ?1";
constexpr const char* whole_log =
    "SELECT commit_no, session_no, at_ms, body FROM commits ORDER BY commit_no";
constexpr const char* noted = "SELECT to_commit FROM content_noted";
constexpr const char* set_noted = "UPDATE content_noted SET to_commit = ?1";
constexpr const char* not_noted =
    "SELECT commit_no, session_no, body FROM commits WHERE commit_no > ?1 ORDER BY commit_no";
constexpr const char* add_use =
    "INSERT INTO content_uses(session_no, hash) VALUES(?1, ?2) ON CONFLICT DO NOTHING";
constexpr const char* drop_uses = "DELETE FROM content_uses WHERE session_no = ?1";
constexpr const char* drop_blobs =
    "DELETE FROM blobs WHERE hash IN (SELECT hash FROM content_uses WHERE session_no = ?1)"
    " AND NOT EXISTS(SELECT 1 FROM content_uses other"
    " WHERE other.hash = blobs.hash AND other.session_no <> ?1)";
constexpr const char* drop_workflows =
    "DELETE FROM workflows WHERE hash IN (SELECT hash FROM content_uses WHERE session_no = ?1)"
    " AND NOT EXISTS(SELECT 1 FROM content_uses other"
    " WHERE other.hash = workflows.hash AND other.session_no <> ?1)";
}  // namespace sql

Result<std::vector<std::int64_t>> commits_of(Connection& connection, std::int64_t session_no) {
  Query query(connection, sql::commits_of);
  query.bind(session_no);
  std::vector<std::int64_t> out;
  while (TRY(query.step())) out.push_back(query.integer(0));
  return out;
}

/// A node's number follows from its commit's, so the rows of a commit are a range. Nodes leave
/// tombstones.
Result<void> drop_rows(Connection& connection, run::CommitNo commit, std::int64_t anchor) {
  const std::int64_t first = run::NodeNo::of(commit, 0).value;
  const std::int64_t last = run::NodeNo::of(commit, limits::nodes_per_commit_max - 1).value;
  {
    Query query(connection, sql::add_tombstones);
    query.bind(first).bind(last).bind(anchor);
    TRY(query.finish());
  }
  for (const char* statement :
       {sql::drop_nodes, sql::drop_attempts, sql::drop_adopted, sql::drop_snapshots}) {
    Query query(connection, statement);
    query.bind(first).bind(last);
    TRY(query.finish());
  }
  return {};
}

Result<std::int64_t> only_number(Connection& connection, const char* statement) {
  Query query(connection, statement);
  TRY(query.step());
  return query.integer(0);
}

/// Every hash in a text.
std::vector<Sha256> hashes_in(std::string_view text) {
  constexpr std::size_t digits = 64;
  std::vector<Sha256> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_of("0123456789abcdef", at);
    if (begin == std::string_view::npos) break;
    at = std::min(text.find_first_not_of("0123456789abcdef", begin), text.size());
    if (at - begin != digits) continue;
    if (const auto hash = Sha256::from_hex(text.substr(begin, digits))) out.push_back(*hash);
  }
  return out;
}

/// What a row of (commit_no, session_no, body) refers to. A body that cannot be decoded does not
/// stop the removal of other sessions; every hash in it counts as used.
std::vector<Sha256> contents_of_row(Query& row) {
  const std::string body = row.text(2);
  const auto events = run::decode_events(body);
  return events ? run::contents_of(*events) : hashes_in(body);
}

}  // namespace

Result<bool> note_uses(Connection& connection, std::size_t commits_max) {
  const std::int64_t before = TRY(only_number(connection, sql::noted));
  std::int64_t last = before;
  bool is_done = true;
  {
    Query log(connection, sql::not_noted);
    log.bind(before);
    for (std::size_t count = 0; TRY(log.step()); ++count) {
      is_done = count < commits_max;
      if (!is_done) break;
      for (const Sha256& hash : contents_of_row(log)) {
        Query use(connection, sql::add_use);
        use.bind(log.integer(1)).bind(hash.bytes);
        TRY(use.finish());
      }
      last = log.integer(0);
    }
  }
  if (last == before) return is_done;
  Query query(connection, sql::set_noted);
  query.bind(last);
  TRY(query.finish());
  return is_done;
}

Result<ports::PurgeOutcome> purge(Connection& connection, const SessionId& session,
                                  run::Seq expected, WallMs at) {
  std::int64_t session_no = 0;
  std::int64_t anchor = 0;
  {
    Query query(connection, sql::find_session);
    query.bind(session.bytes);
    if (TRY(query.step())) {
      session_no = query.integer(0);
      anchor = query.integer(1);
    }
  }
  if (session_no == 0) {
    Query query(connection, sql::find_purged);
    query.bind(session.bytes);
    if (TRY(query.step())) return ports::Purged{};
    return session_is_unknown(session);
  }
  {
    Query query(connection, sql::find_head);
    query.bind(session_no);
    TRY(query.step());
    if (query.integer(0) != expected.value) return ports::HeadMoved{{query.integer(0)}};
  }
  if (anchor == 0) anchor = TRY(next_anchor(connection));
  TRY(note_uses(connection, SIZE_MAX));
  const run::CommitNo last = TRY(last_commit_no(connection));
  {
    Query query(connection, sql::add_purged);
    query.bind(session.bytes).bind(last.value).bind(at.value).bind(anchor);
    TRY(query.finish());
  }
  for (const std::int64_t commit : TRY(commits_of(connection, session_no))) {
    TRY(drop_rows(connection, {commit}, anchor));
  }
  if (connection.key() != nullptr) TRY(seal_purged(connection, *connection.key(), session));
  for (const char* statement : {sql::drop_blobs, sql::drop_workflows, sql::drop_uses,
                                sql::drop_runs, sql::drop_commits, sql::drop_session}) {
    Query query(connection, statement);
    query.bind(session_no);
    TRY(query.finish());
  }
  return ports::Purged{};
}

namespace {

/// A snapshot that is not the store's own is not believed anyway, and would stay for ever.
Result<void> drop_unsealed_snapshots(Connection& connection) {
  if (connection.key() == nullptr) return {};
  for (const run::NodeNo node : TRY(unsealed_snapshots(connection, *connection.key()))) {
    Query query(connection, sql::drop_snapshots);
    query.bind(node.value).bind(node.value);
    TRY(query.finish());
  }
  return {};
}

}  // namespace

namespace {

Result<void> derive_all(Connection& connection) {
  TRY(drop_unsealed_snapshots(connection));
  TRY(connection.run(
      "DELETE FROM nodes; DELETE FROM attempts; DELETE FROM adopted; DELETE FROM runs"));
  Query query(connection, sql::whole_log);
  while (TRY(query.step())) {
    const std::string body = query.text(3);
    const run::CommitIndex index = run::index_of(TRY(run::decode_events(body)));
    const run::CommitNo no{query.integer(0)};
    const bool snapshot = TRY(has_snapshot(connection, no));
    TRY(write_rows(connection,
                   {no, query.integer(1), {query.integer(2)}, std::ssize(body), snapshot, index}));
  }
  TRY(
      connection.run("DELETE FROM snapshots WHERE NOT EXISTS"
                     "(SELECT 1 FROM nodes WHERE nodes.node_no = snapshots.node_no);"
                     "DELETE FROM content_uses; DELETE FROM content_noted;"
                     "INSERT INTO content_noted(to_commit) VALUES(0)"));
  TRY(note_uses(connection, SIZE_MAX));
  return {};
}

}  // namespace

Result<void> rebuild(Connection& connection) {
  Result<void> derived = derive_all(connection);
  // What a commit refers to was there when it was written: then the log was changed since.
  if (!derived && derived.error().code == Code::INTERNAL) {
    return fail(Code::STORE_CORRUPT,
                cat("the log is inconsistent, so nothing was rebuilt: ", derived.error().message),
                "`baton verify` lists what is damaged; `baton salvage FOLDER` exports the sessions "
                "that are sound");
  }
  return derived;
}

Result<void> append_log(Connection& connection, std::vector<run::CommitDraft>& drafts) {
  if (drafts.empty()) return {};
  {
    Query query(connection, sql::find_session);
    query.bind(drafts.front().session.bytes);
    if (TRY(query.step())) return whole_log_refused("the session has commits already");
  }
  Numbering numbering;
  for (run::CommitDraft& draft : drafts) {
    const ports::AppendOutcome outcome = TRY(append_one(connection, draft, numbering));
    if (!std::holds_alternative<ports::Appended>(outcome)) {
      return whole_log_refused("an append misses its head or repeats a key");
    }
  }
  return {};
}

}  // namespace baton::adapters::sqlite
