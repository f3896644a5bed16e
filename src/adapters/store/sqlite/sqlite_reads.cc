#include "adapters/store/sqlite/sqlite_reads.h"

#include "adapters/store/rules/log_page.h"
#include "adapters/store/sqlite/heads/anchors.h"
#include "adapters/store/sqlite/rows.h"
#include "adapters/store/sqlite/write/append.h"

namespace baton::adapters {
namespace {

using sqlite::Query;
using sqlite::ReaderPool;

namespace sql {
constexpr const char* node = BATON_NODE_ROWS "WHERE n.node_no = ?1";
constexpr const char* node_by_id = BATON_NODE_ROWS "WHERE n.node_id = ?1";
constexpr const char* children = BATON_NODE_ROWS
    "WHERE n.node_no IN (SELECT outcome FROM attempts WHERE node_no = ?1"
    " UNION SELECT child FROM adopted WHERE parent = ?1)"
    " AND n.parent = ?1 ORDER BY +n.node_no DESC";
constexpr const char* tombstone = "SELECT node_id, open_steps FROM tombstones WHERE node_no = ?1";
constexpr const char* attempt =
    "SELECT outcome FROM attempts WHERE node_no = ?1 AND kind = ?2 AND ordinal = ?3 AND count = ?4";
constexpr const char* settled =
    "SELECT max(count) FROM attempts WHERE node_no = ?1 AND kind = ?2 AND ordinal = ?3";
constexpr const char* commit = BATON_COMMIT_ROWS "WHERE c.commit_no = ?1";
constexpr const char* commit_by_key = BATON_COMMIT_ROWS "WHERE s.id = ?1 AND c.dedupe_key = ?2";
constexpr const char* newest_by_prefix = BATON_COMMIT_ROWS
    "WHERE s.id = ?1 AND c.dedupe_key >= ?2 AND c.dedupe_key < ?3 ORDER BY +c.seq DESC";
constexpr const char* log = BATON_COMMIT_ROWS "WHERE s.id = ?1 AND c.seq > ?2 ORDER BY c.seq";
constexpr const char* store_log = BATON_COMMIT_ROWS "WHERE c.commit_no > ?1 ORDER BY c.commit_no";
constexpr const char* head =
    "SELECT c.seq, c.hash FROM commits c JOIN sessions s ON s.session_no = c.session_no "
    "WHERE s.id = ?1 ORDER BY c.seq DESC LIMIT 1";
constexpr const char* facts =
    "SELECT epoch, store, after_commit, (SELECT count(*) FROM purged) FROM epochs ORDER BY epoch";
constexpr const char* blob = "SELECT data FROM blobs WHERE hash = ?1";
constexpr const char* workflow = "SELECT data FROM workflows WHERE hash = ?1";
constexpr const char* snapshot = "SELECT data, seal FROM snapshots WHERE node_no = ?1";
constexpr const char* run = BATON_RUN_ROWS "WHERE r.run_id = ?1";
constexpr const char* runs = BATON_RUN_ROWS
    "WHERE r.epoch <= ?2 AND r.last_commit < ?1 ORDER BY r.epoch DESC, r.last_commit DESC";
// A session's number is that of its first commit, a run's that of the commit that started it.
constexpr const char* loose =
    "SELECT s.id, s.session_no FROM sessions s WHERE s.session_no > ?1"
    " AND NOT EXISTS(SELECT 1 FROM runs r WHERE r.run_no = s.session_no) ORDER BY s.session_no";
constexpr const char* purged = "SELECT 1 FROM purged WHERE session = ?1";
}  // namespace sql

Result<run::LooseSession> loose_row(Query& query) {
  return run::LooseSession{{query.bytes<16>(0)}, {query.integer(1)}};
}

Result<std::string> text_row(Query& query) { return query.text(0); }

template <class Row, class... Keys>
Result<std::optional<Row>> find(ReaderPool& readers, const char* statement,
                                Result<Row> (*read)(Query&), const Keys&... keys) {
  ReaderPool::Lease lease = TRY(readers.take());
  Query query(*lease, statement);
  (query.bind(keys), ...);
  if (!TRY(query.step())) return std::nullopt;
  return TRY(read(query));
}

/// The first `limit` rows. A LIMIT with a parameter would make SQLite plan the statement again each
/// time, so the rows are counted here.
template <class Row, class... Keys>
Result<std::vector<Row>> list(ReaderPool& readers, const char* statement, std::size_t limit,
                              Result<Row> (*read)(Query&), const Keys&... keys) {
  ReaderPool::Lease lease = TRY(readers.take());
  Query query(*lease, statement);
  (query.bind(keys), ...);
  std::vector<Row> out;
  while (out.size() < limit && TRY(query.step())) out.push_back(TRY(read(query)));
  return out;
}

/// The same for commits, which may be long.
template <class... Keys>
Result<std::vector<run::Commit>> page_of(ReaderPool& readers, const char* statement,
                                         std::size_t limit, const Keys&... keys) {
  ReaderPool::Lease lease = TRY(readers.take());
  Query query(*lease, statement);
  (query.bind(keys), ...);
  LogPage page(limit);
  while (!page.is_full() && TRY(query.step())) page.add(TRY(sqlite::commit_row(query)));
  return std::move(page).take();
}

}  // namespace

template <class Base>
Result<std::optional<run::NodeRow>> SqliteReads<Base>::node(run::NodeNo no) {
  return find(readers(), sql::node, sqlite::node_row, no.value);
}

template <class Base>
Result<std::optional<run::NodeRow>> SqliteReads<Base>::node_by_id(const NodeId& id) {
  return find(readers(), sql::node_by_id, sqlite::node_row, id.bytes);
}

template <class Base>
Result<std::optional<run::Tombstone>> SqliteReads<Base>::tombstone(run::NodeNo no) {
  return find(readers(), sql::tombstone, sqlite::tombstone_row, no.value);
}

template <class Base>
Result<std::optional<run::NodeNo>> SqliteReads<Base>::attempt(run::NodeNo node,
                                                              const run::AttemptKey& key) {
  ReaderPool::Lease lease = TRY(readers().take());
  Query query(*lease, sql::attempt);
  query.bind(node.value).bind(static_cast<std::int64_t>(key.kind));
  query.bind(std::int64_t{key.ordinal}).bind(std::int64_t{key.count});
  if (!TRY(query.step())) return std::nullopt;
  return run::NodeNo{query.integer(0)};
}

template <class Base>
Result<ports::SettledCount> SqliteReads<Base>::settled(run::NodeNo node, run::AttemptKind kind,
                                                       std::uint8_t ordinal) {
  ReaderPool::Lease lease = TRY(readers().take());
  Query query(*lease, sql::settled);
  query.bind(node.value).bind(static_cast<std::int64_t>(kind)).bind(std::int64_t{ordinal});
  if (!TRY(query.step()) || query.is_null(0)) return ports::SettledCount{};
  return ports::SettledCount{static_cast<std::uint16_t>(query.integer(0) + 1)};
}

template <class Base>
Result<std::vector<run::NodeRow>> SqliteReads<Base>::children(run::NodeNo parent,
                                                              std::size_t limit) {
  return list(readers(), sql::children, limit, sqlite::node_row, parent.value);
}

template <class Base>
Result<std::optional<run::Commit>> SqliteReads<Base>::commit(run::CommitNo no) {
  return find(readers(), sql::commit, sqlite::commit_row, no.value);
}

template <class Base>
Result<std::optional<run::Commit>> SqliteReads<Base>::commit_by_key(const SessionId& session,
                                                                    std::string_view dedupe_key) {
  return find(readers(), sql::commit_by_key, sqlite::commit_row, session.bytes, dedupe_key);
}

template <class Base>
Result<std::optional<run::Commit>> SqliteReads<Base>::newest_by_prefix(const SessionId& session,
                                                                       std::string_view prefix) {
  ASSERT(!prefix.empty() && prefix.back() != '\xff');
  std::string end(prefix);
  ++end.back();
  return find(readers(), sql::newest_by_prefix, sqlite::commit_row, session.bytes, prefix,
              std::string_view(end));
}

template <class Base>
Result<std::vector<run::Commit>> SqliteReads<Base>::log(const SessionId& session, run::Seq after,
                                                        std::size_t limit) {
  return page_of(readers(), sql::log, limit, session.bytes, after.value);
}

template <class Base>
Result<std::vector<run::Commit>> SqliteReads<Base>::store_log(run::CommitNo after,
                                                              std::size_t limit) {
  return page_of(readers(), sql::store_log, limit, after.value);
}

template <class Base>
Result<run::SessionHead> SqliteReads<Base>::head(const SessionId& session) {
  ReaderPool::Lease lease = TRY(readers().take());
  Query query(*lease, sql::head);
  query.bind(session.bytes);
  run::SessionHead out;
  if (!TRY(query.step())) return out;
  out.seq = {query.integer(0)};
  out.hash = {query.bytes<32>(1)};
  TRY(query.sound());
  return out;
}

template <class Base>
Result<std::optional<std::string>> SqliteReads<Base>::blob(const Sha256& hash) {
  return find(readers(), sql::blob, text_row, hash.bytes);
}

template <class Base>
Result<std::optional<std::string>> SqliteReads<Base>::workflow(const Sha256& hash) {
  return find(readers(), sql::workflow, text_row, hash.bytes);
}

template <class Base>
Result<std::optional<run::StoredSnapshot>> SqliteReads<Base>::snapshot(run::NodeNo node) {
  ReaderPool::Lease lease = TRY(readers().take());
  Query query(*lease, sql::snapshot);
  query.bind(node.value);
  if (!TRY(query.step())) return std::nullopt;
  run::StoredSnapshot out{query.text(0), false};
  const sqlite::AnchorKey* key = (*lease).key();
  if (query.is_null(1) || key == nullptr) return out;
  const std::string seal = query.text(1);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(seal.data());
  if (!sqlite::fits_snapshot(*key, std::span(bytes, seal.size()), node, out.text)) {
    return std::nullopt;
  }
  out.is_sealed = true;
  return out;
}

template <class Base>
Result<std::optional<run::RunRow>> SqliteReads<Base>::run(const RunId& id) {
  return find(readers(), sql::run, sqlite::run_row, id.bytes);
}

template <class Base>
Result<std::vector<run::RunRow>> SqliteReads<Base>::runs(std::optional<run::CommitNo> before,
                                                         std::size_t limit) {
  const std::int64_t end = before ? before->value : INT64_MAX;
  return list(readers(), sql::runs, limit, sqlite::run_row, end, sqlite::epoch_of({end}));
}

template <class Base>
Result<std::vector<run::LooseSession>> SqliteReads<Base>::loose_sessions(run::CommitNo after,
                                                                         std::size_t limit) {
  return list(readers(), sql::loose, limit, loose_row, after.value);
}

template <class Base>
Result<run::CommitNo> SqliteReads<Base>::last_commit() {
  ReaderPool::Lease lease = TRY(readers().take());
  return sqlite::last_commit_no(*lease);
}

template <class Base>
Result<bool> SqliteReads<Base>::purged(const SessionId& session) {
  ReaderPool::Lease lease = TRY(readers().take());
  Query query(*lease, sql::purged);
  query.bind(session.bytes);
  return query.step();
}

template <class Base>
Result<run::StoreFacts> SqliteReads<Base>::facts() {
  ReaderPool::Lease lease = TRY(readers().take());
  Query query(*lease, sql::facts);
  run::StoreFacts out;
  while (TRY(query.step())) {
    out.epochs.push_back({query.integer(0), query.bytes<16>(1), {query.integer(2)}});
    out.removed_sessions = query.integer(3);
  }
  TRY(query.sound());
  return out;
}

template class SqliteReads<ports::EventReader>;
template class SqliteReads<ports::EventStore>;

}  // namespace baton::adapters
