#include "adapters/store/sqlite/check/audit.h"

#include <algorithm>

#include "adapters/store/sqlite/rows.h"
#include "adapters/store/sqlite/sqlite_reads.h"
#include "adapters/store/sqlite/write/append.h"
#include "base/text/text.h"
#include "run/show/reply.h"

namespace baton::adapters::sqlite {
namespace {

using ports::StorePart;

namespace sql {
constexpr const char* check_pages = "PRAGMA integrity_check";
constexpr const char* noted = "SELECT count(*), max(to_commit), min(to_commit) FROM content_noted";
constexpr const char* purged_to = "SELECT ifnull(max(last_commit_no), 0) FROM purged";
constexpr const char* add_session = "INSERT INTO sessions(session_no, id) VALUES(?1, ?2)";
constexpr const char* add_use =
    "INSERT INTO content_uses(session_no, hash) VALUES(?1, ?2) ON CONFLICT DO NOTHING";
constexpr const char* add_reference =
    "INSERT INTO audit_references(hash, commit_no) VALUES(?1, ?2) ON CONFLICT DO NOTHING";
constexpr const char* find_reference = "SELECT 1 FROM audit_references WHERE hash = ?1";
constexpr const char* references =
    "SELECT hash, commit_no FROM audit_references ORDER BY commit_no, hash";
constexpr const char* has_content =
    "SELECT EXISTS(SELECT 1 FROM blobs WHERE hash = ?1)"
    " OR EXISTS(SELECT 1 FROM workflows WHERE hash = ?1)";
constexpr const char* misshapen =
    "SELECT commit_no FROM commits WHERE commit_no NOT BETWEEN 1 AND ?1"
    " OR length(previous) <> 32 OR length(hash) <> 32";
constexpr const char* strays =
    "SELECT session_no, count(*), min(commit_no) FROM commits c"
    " WHERE NOT EXISTS(SELECT 1 FROM sessions s WHERE s.session_no = c.session_no)"
    " GROUP BY session_no";
constexpr const char* blobs = "SELECT hash, data FROM blobs";
constexpr const char* workflows = "SELECT hash, data FROM workflows";
constexpr const char* snapshots = "SELECT node_no FROM snapshots ORDER BY node_no";
constexpr const char* find_node = "SELECT 1 FROM nodes WHERE node_no = ?1";
constexpr const char* purged =
    "SELECT p.session, p.last_commit_no,"
    " EXISTS(SELECT 1 FROM sessions s WHERE s.id = p.session) FROM purged p";
constexpr const char* tombstones = "SELECT node_id, node_no FROM tombstones";
constexpr const char* find_commit = "SELECT 1 FROM commits WHERE commit_no = ?1";
constexpr const char* find_node_id = "SELECT 1 FROM nodes WHERE node_id = ?1";
}  // namespace sql

/// Tables that are not derived again, each with a check of its own. A table that is not named here
/// is derived again and compared.
constexpr std::string_view not_derived[] = {"commits",   "purged",    "tombstones",    "blobs",
                                            "workflows", "snapshots", "content_noted", "epochs"};

bool is_derived(std::string_view table) {
  return std::ranges::find(not_derived, table) == std::end(not_derived);
}

/// Sessions are compared like derived tables, but nothing derives them again: a rebuild keeps them.
StorePart part_of(std::string_view table) {
  return table == "sessions" ? StorePart::log : StorePart::index;
}

/// The column that is not derived again either: the heads say which session has which record.
std::string_view except_of(std::string_view table) { return table == "sessions" ? "anchor" : ""; }

std::string key_of(const SessionId& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

Result<bool> has_row(Query& query) { return query.step(); }

/// Whether an error says that the store is damaged, and not that it cannot be read at the moment.
bool tells_of_damage(const Error& error) {
  return error.code == Code::STORE_CORRUPT || error.code == Code::STORAGE_CORRUPTION_DETECTED ||
         error.code == Code::INTERNAL;
}

}  // namespace

// --- the scratch database -----------------------------------------------------------------------

Result<std::unique_ptr<SqliteTableAudit>> SqliteTableAudit::open(Connection& store,
                                                                 std::span<const Migration> steps,
                                                                 Vouchers vouchers) {
  const std::int64_t version = steps.back().to;
  using Made = std::unique_ptr<SqliteTableAudit>;
  Made audit = Made(new SqliteTableAudit(store, version, std::move(vouchers)));
  TRY(audit->open_scratch(steps));
  // A store without these tables is told of by the checks.
  if (Query query(store, sql::noted); query.step().value_or(false)) {
    audit->noted_to_ = query.integer(1);
  }
  if (Query query(store, sql::purged_to); query.step().value_or(false)) {
    audit->purged_to_ = query.integer(0);
  }
  return audit;
}

Result<void> SqliteTableAudit::open_scratch(std::span<const Migration> steps) {
  // Without a name: SQLite keeps it in memory as long as it is small, then in a file that has no
  // name either and goes with the connection.
  scratch_ = TRY(Connection::open({}, Access::create, scratch_health_));
  TRY(scratch_->run(
      "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
      "PRAGMA cache_size=-65536; BEGIN"));
  for (const Migration& step : steps) TRY(scratch_->run(step.statements));
  right_schema_ = TRY(schema_of(*scratch_));
  // Anchors do not follow from the log; they are compared with the heads.
  TRY(scratch_->run("DROP TRIGGER IF EXISTS sessions_are_anchored"));
  return scratch_->run(
      "CREATE TABLE audit_references(hash BLOB PRIMARY KEY, commit_no INTEGER NOT NULL)"
      " STRICT, WITHOUT ROWID");
}

Result<void> SqliteTableAudit::add(const run::Commit& commit, const std::vector<run::Event>* events,
                                   const Sink& sink) {
  if (const run::CommitNo next{last_.value + 1};
      commit.no > next && commit.no.value - 1 > purged_to_) {
    sink(StorePart::log,
         cat("commits ", std::max(next.value, purged_to_ + 1), " to ", commit.no.value - 1,
             ": they are missing, and no removed session had them"));
  }
  last_ = commit.no;
  const Result<void> added = add_rows(commit, events);
  if (added) return {};
  if (!tells_of_damage(added.error())) return added;
  sink(StorePart::log, cat("commit ", commit.no.value,
                           ": it does not follow the commits before: ", added.error().message));
  return {};
}

Result<void> SqliteTableAudit::add_rows(const run::Commit& commit,
                                        const std::vector<run::Event>* events) {
  // A session's number is that of its first commit.
  const auto [entry, is_new] = session_numbers_.emplace(key_of(commit.session), commit.no.value);
  if (is_new) {
    Query query(*scratch_, sql::add_session);
    query.bind(entry->second).bind(commit.session.bytes);
    TRY(query.finish());
  }
  if (events == nullptr) return {};
  TRY(add_uses(commit, entry->second, *events));
  const run::CommitIndex index = run::index_of(*events);
  const bool snapshot = !index.nodes.empty() && TRY(has_snapshot(store_, commit.no));
  TRY(write_rows(*scratch_,
                 {commit.no, entry->second, commit.at, std::ssize(commit.body), snapshot, index}));
  return {};
}

Result<void> SqliteTableAudit::add_uses(const run::Commit& commit, std::int64_t session_no,
                                        const std::vector<run::Event>& events) {
  for (const Sha256& hash : run::contents_of(events)) {
    {
      Query query(*scratch_, sql::add_reference);
      query.bind(hash.bytes).bind(commit.no.value);
      TRY(query.finish());
    }
    if (commit.no.value > noted_to_) continue;
    Query query(*scratch_, sql::add_use);
    query.bind(session_no).bind(hash.bytes);
    TRY(query.finish());
  }
  return {};
}

// --- besides the commits ------------------------------------------------------------------------

const SqliteTableAudit::Check SqliteTableAudit::checks_of_the_file[] = {
    {"the file's pages", &SqliteTableAudit::check_pages},
    {"the file's marks", &SqliteTableAudit::check_marks},
    {"the tables, indexes and triggers", &SqliteTableAudit::check_schema},
};

const SqliteTableAudit::Check SqliteTableAudit::checks_of_the_rows[] = {
    {"the commits", &SqliteTableAudit::check_commits},
    {"what follows from the log", &SqliteTableAudit::check_derived},
    {"the texts and workflows", &SqliteTableAudit::check_contents},
    {"the snapshots", &SqliteTableAudit::check_snapshots},
    {"the noted uses of texts", &SqliteTableAudit::check_noted},
    {"the removed sessions", &SqliteTableAudit::check_removed},
    {"the heads and seals", &SqliteTableAudit::check_anchors},
};

Result<void> SqliteTableAudit::begin(const Sink& sink) { return run(checks_of_the_file, sink); }

Result<void> SqliteTableAudit::finish(const Sink& sink) { return run(checks_of_the_rows, sink); }

Result<void> SqliteTableAudit::run(std::span<const Check> checks, const Sink& sink) {
  for (const Check& check : checks) {
    const Result<void> done = (this->*check.run)(sink);
    if (done) continue;
    if (!tells_of_damage(done.error())) return done;
    sink(StorePart::file, cat(check.what, " cannot be checked: ", done.error().message));
  }
  return {};
}

Result<void> SqliteTableAudit::check_pages(const Sink& sink) {
  Query query(store_, sql::check_pages);
  while (TRY(query.step())) {
    if (const std::string text = query.text(0); text != "ok") sink(StorePart::file, text);
  }
  return {};
}

Result<void> SqliteTableAudit::check_marks(const Sink& sink) {
  const auto compare = [&](const char* name, std::int64_t right) -> Result<void> {
    const std::int64_t found = TRY(store_.number(cat("PRAGMA ", name)));
    if (found != right) {
      sink(StorePart::file, cat("the file's ", name, " is ", found, "; it must be ", right));
    }
    return {};
  };
  TRY(compare("application_id", application_id));
  return compare("user_version", version_);
}

Result<void> SqliteTableAudit::check_schema(const Sink& sink) {
  compare_schemas(TRY(schema_of(store_)), right_schema_, sink);
  return {};
}

/// What the log's reader cannot show: it begins with commit 1, joins commits with their sessions,
/// and takes fields of a wrong size for zeros.
Result<void> SqliteTableAudit::check_commits(const Sink& sink) {
  Query commits(store_, sql::misshapen);
  commits.bind(limits::commit_no_max);
  while (TRY(commits.step())) {
    sink(StorePart::log,
         cat("commit ", commits.integer(0), ": its number or the size of a hash is not possible"));
  }
  Query query(store_, sql::strays);
  while (TRY(query.step())) {
    sink(StorePart::log,
         cat("session number ", query.integer(0), ": it is missing; ", query.integer(1),
             " commits from ", query.integer(2), " on belong to it"));
  }
  return {};
}

Result<void> SqliteTableAudit::check_derived(const Sink& sink) {
  for (const SchemaObject& object : right_schema_) {
    if (object.type != "table" || !is_derived(object.name)) continue;
    const auto compared = compare_tables(store_, *scratch_, object.name, except_of(object.name),
                                         part_of(object.name), sink);
    if (compared) continue;
    if (!tells_of_damage(compared.error())) return compared;
    sink(StorePart::file,
         cat("table ", object.name, ": it cannot be read: ", compared.error().message));
  }
  return {};
}

Result<void> SqliteTableAudit::check_contents(const Sink& sink) {
  for (const char* statement : {sql::blobs, sql::workflows}) {
    const std::string_view name = statement == sql::blobs ? "text" : "workflow";
    Query query(store_, statement);
    while (TRY(query.step())) {
      const std::string key = query.text(0);
      const std::string shown =
          to_hex({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()});
      const Sha256 hash = sha256(query.text(1));
      if (key !=
          std::string_view(reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size())) {
        sink(StorePart::log, cat("the ", name, ' ', shown, ": its content differs from its hash"));
        continue;
      }
      Query used(*scratch_, sql::find_reference);
      used.bind(hash.bytes);
      if (TRY(has_row(used))) continue;
      sink(StorePart::log, cat("the ", name, ' ', shown, ": no commit refers to it"));
    }
  }
  Query query(*scratch_, sql::references);
  while (TRY(query.step())) {
    const Sha256 hash{query.bytes<32>(0)};
    Query found(store_, sql::has_content);
    found.bind(hash.bytes);
    TRY(found.step());
    if (found.integer(0) != 0) continue;
    sink(StorePart::log, cat("commit ", query.integer(1), ": the text or workflow ", hash.hex(),
                             " that it refers to is missing"));
  }
  return {};
}

/// The caller that folds the log compares their content, if their seals match.
Result<void> SqliteTableAudit::check_snapshots(const Sink& sink) {
  Query query(store_, sql::snapshots);
  while (TRY(query.step())) {
    Query node(*scratch_, sql::find_node);
    node.bind(query.integer(0));
    if (TRY(has_row(node))) continue;
    sink(StorePart::index,
         cat("the snapshot of node number ", query.integer(0), ": there is no such node"));
  }
  if (store_.key() == nullptr) return {};
  for (const run::NodeNo node : TRY(unsealed_snapshots(store_, *store_.key()))) {
    sink(StorePart::index,
         cat("the snapshot of node number ", node.value, ": its seal does not match it"));
  }
  return {};
}

Result<void> SqliteTableAudit::check_anchors(const Sink& sink) {
  if (vouchers_.anchors == nullptr) return {};
  for (std::string& problem : TRY(vouchers_.anchors->problems(store_, vouchers_.heads))) {
    sink(StorePart::log, std::move(problem));
  }
  return {};
}

Result<void> SqliteTableAudit::check_noted(const Sink& sink) {
  Query query(store_, sql::noted);
  TRY(query.step());
  const std::int64_t last = std::max(last_.value, purged_to_);
  if (query.integer(0) != 1) {
    sink(StorePart::index, cat("table content_noted: it has ", query.integer(0), " rows, not one"));
  } else if (noted_to_ < 0 || noted_to_ > last) {
    sink(StorePart::index,
         cat("table content_noted: to_commit is ", noted_to_, ", the last commit is ", last));
  }
  return {};
}

Result<void> SqliteTableAudit::check_removed(const Sink& sink) {
  Query purged(store_, sql::purged);
  while (TRY(purged.step())) {
    const std::string id = purged.text(0);
    const std::string place =
        cat("removed session x'",
            to_hex({reinterpret_cast<const std::uint8_t*>(id.data()), id.size()}), '\'');
    if (id.size() != SessionId{}.bytes.size())
      sink(StorePart::log, cat(place, ": that is not an id"));
    if (purged.integer(2) != 0) sink(StorePart::log, cat(place, ": it still exists"));
    if (purged.integer(1) < 1 || purged.integer(1) > limits::commit_no_max) {
      sink(StorePart::log,
           cat(place, ": last_commit_no is ", purged.integer(1), ", which is not a commit"));
    }
  }
  Query query(store_, sql::tombstones);
  while (TRY(query.step())) {
    const run::NodeNo no{query.integer(1)};
    const std::string place = cat("tombstone of node number ", no.value);
    const std::string id = query.text(0);
    if (id.size() != NodeId{}.bytes.size()) sink(StorePart::log, cat(place, ": that is not an id"));
    if (no.commit().value < 1 || no.commit().value > purged_to_) {
      sink(StorePart::log, cat(place, ": no removed session had it"));
    }
    Query commit(store_, sql::find_commit);
    commit.bind(no.commit().value);
    if (TRY(has_row(commit))) {
      sink(StorePart::log, cat(place, ": its commit still exists"));
    }
    Query node(*scratch_, sql::find_node_id);
    node.bind(std::span(reinterpret_cast<const std::uint8_t*>(id.data()), id.size()));
    if (TRY(has_row(node))) sink(StorePart::log, cat(place, ": its node still exists"));
  }
  return {};
}

namespace {

/// Reads through one connection that is always the same.
class AuditReader final : public SqliteReads<ports::EventReader> {
 public:
  explicit AuditReader(std::unique_ptr<Connection> connection)
      : connection_(*connection),
        opened_(std::move(connection)),
        pool_([this] { return Result<std::unique_ptr<Connection>>(std::move(opened_)); }, 1) {}

  Connection& connection() { return connection_; }

 protected:
  ReaderPool& readers() override { return pool_; }

 private:
  Connection& connection_;
  std::unique_ptr<Connection> opened_;  // until it is first used
  ReaderPool pool_;
};

class SqliteAudit final : public ports::StoreAudit {
 public:
  static Result<std::unique_ptr<ports::StoreAudit>> begin(const Where& where,
                                                          std::span<const Migration> steps,
                                                          const Anchors* anchors) {
    auto audit = std::make_unique<SqliteAudit>();
    Vouchers vouchers;
    vouchers.anchors = anchors;
    if (anchors != nullptr) vouchers.heads = TRY(anchors->read_heads());
    if (vouchers.heads.mark) audit->anchored_ = vouchers.heads.mark->commit;
    auto connection = TRY(Connection::open(where, Access::read, audit->health_));
    TRY(
        connection->run("PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16384; PRAGMA mmap_size=0;"
                        "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; BEGIN"));
    connection->seal_by(anchors != nullptr ? anchors->key() : nullptr);
    // The transaction begins with the first read.
    TRY(connection->number("SELECT count(*) FROM sqlite_schema"));
    audit->reader_ = std::make_unique<AuditReader>(std::move(connection));
    audit->tables_ =
        TRY(SqliteTableAudit::open(audit->reader_->connection(), steps, std::move(vouchers)));
    return audit;
  }

  ports::EventReader& reader() override { return *reader_; }
  ports::TableAudit* tables() override { return tables_.get(); }
  std::optional<run::CommitNo> anchored() const override { return anchored_; }

 private:
  Health health_;  // of its own: what an audit finds does not stop a store that writes
  std::optional<run::CommitNo> anchored_;
  std::unique_ptr<AuditReader> reader_;
  std::unique_ptr<SqliteTableAudit> tables_;
};

}  // namespace

Result<std::unique_ptr<ports::StoreAudit>> begin_audit(const Where& where,
                                                       std::span<const Migration> steps,
                                                       const Anchors* anchors) {
  return SqliteAudit::begin(where, steps, anchors);
}

}  // namespace baton::adapters::sqlite
