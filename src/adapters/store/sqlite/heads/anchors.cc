#include "adapters/store/sqlite/heads/anchors.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>

#include "adapters/files/private_file.h"
#include "adapters/os/system.h"
#include "adapters/store/sqlite/heads/lost_heads.h"
#include "adapters/store/sqlite/rows.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

constexpr std::int64_t heads_sampled = 64;  // of the newest sessions, after others wrote the file

namespace sql {
constexpr const char* session_of_commit =
    "SELECT sessions.id FROM commits JOIN sessions USING(session_no) WHERE commit_no = ?1";
constexpr const char* any_anchored = "SELECT 1 FROM sessions WHERE anchor IS NOT NULL LIMIT 1";
constexpr const char* begin = "BEGIN IMMEDIATE";
constexpr const char* commit = "COMMIT";
constexpr const char* rollback = "ROLLBACK";
constexpr const char* last_epoch =
    "SELECT epoch, store, after_commit, at_ms, cause, unnamed, seal FROM epochs"
    " ORDER BY epoch DESC LIMIT 1";
constexpr const char* add_epoch =
    "INSERT INTO epochs(epoch, store, after_commit, at_ms, cause, unnamed, seal)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr const char* seal_epoch = "UPDATE epochs SET seal = ?2 WHERE epoch = ?1";
constexpr const char* every_epoch =
    "SELECT epoch, store, after_commit, at_ms, cause, unnamed, seal FROM epochs ORDER BY epoch";
constexpr const char* bare_sessions =
    "SELECT session_no FROM sessions WHERE anchor IS NULL ORDER BY session_no";
constexpr const char* name_session = "UPDATE sessions SET anchor = ?2 WHERE session_no = ?1";
constexpr const char* bare_purged =
    "SELECT session FROM purged WHERE anchor IS NULL ORDER BY rowid";
constexpr const char* name_purged = "UPDATE purged SET anchor = ?2 WHERE session = ?1";
constexpr const char* every_purged = "SELECT session FROM purged ORDER BY rowid";
constexpr const char* purged =
    "SELECT anchor, last_commit_no, at_ms, seal FROM purged WHERE session = ?1";
constexpr const char* seal_purged = "UPDATE purged SET seal = ?2 WHERE session = ?1";
constexpr const char* tombstones =
    "SELECT node_no, node_id, open_steps FROM tombstones WHERE anchor IS ?1 ORDER BY node_no";
constexpr const char* next_anchor =
    "SELECT max(ifnull((SELECT max(anchor) FROM sessions), 0),"
    " ifnull((SELECT max(anchor) FROM purged), 0)) + 1";
constexpr const char* hash_at =
    "SELECT c.hash FROM commits c JOIN sessions s ON s.session_no = c.session_no"
    " WHERE s.id = ?1 AND c.seq = ?2";
constexpr const char* numbers_to =
    "SELECT c.commit_no FROM commits c JOIN sessions s ON s.session_no = c.session_no"
    " WHERE s.id = ?1 AND c.seq <= ?2 ORDER BY c.seq";
constexpr const char* hash_of = "SELECT hash FROM commits WHERE commit_no = ?1";
constexpr const char* purged_since = "SELECT 1 FROM purged WHERE last_commit_no >= ?1";
constexpr const char* not_noted =
    "SELECT c.commit_no, s.id, c.seq, c.dedupe_key, c.at_ms, c.previous, c.hash, c.body, s.anchor "
    "FROM commits c JOIN sessions s ON s.session_no = c.session_no "
    "WHERE c.commit_no > ?1 AND c.commit_no <= ?3 ORDER BY c.commit_no LIMIT ?2";
constexpr const char* unseal_snapshots = "UPDATE snapshots SET seal = NULL";
constexpr const char* session_of_anchor =
    "SELECT s.id, (SELECT max(seq) FROM commits c WHERE c.session_no = s.session_no)"
    " FROM sessions s WHERE s.anchor = ?1";
constexpr const char* find_purged = "SELECT 1 FROM purged WHERE session = ?1 AND anchor = ?2";
constexpr const char* unsealed_to = "SELECT ifnull(max(after_commit), 0) FROM epochs";
constexpr const char* snapshots = "SELECT node_no, data, seal FROM snapshots ORDER BY node_no";
constexpr const char* odd_sessions =
    "SELECT id FROM sessions WHERE anchor IS NULL OR anchor < 1 LIMIT 1";
constexpr const char* odd_tombstones =
    "SELECT count(*) FROM tombstones t WHERE t.anchor IS NOT NULL"
    " AND NOT EXISTS(SELECT 1 FROM purged p WHERE p.anchor = t.anchor)";
}  // namespace sql

constexpr std::string_view snapshot_seal = "baton snapshot 1";
constexpr std::string_view purged_seal = "baton purged 1";
constexpr std::string_view epoch_seal = "baton epoch 1";

Result<void> execute(Connection& connection, const char* statement) {
  Query query(connection, statement);
  return query.finish();
}

/// Runs `job` in a write transaction of its own: all or nothing.
template <class Job>
Result<void> in_transaction(Connection& connection, Job job) {
  TRY(execute(connection, sql::begin));
  Result<void> done = job();
  if (done) done = execute(connection, sql::commit);
  if (sqlite3_get_autocommit(connection.handle()) == 0) {
    const auto undone = execute(connection, sql::rollback);
    if (done && !undone) return undone;
  }
  return done;
}

std::string_view view(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct EpochRow {
  std::int64_t epoch = 0;
  StoreId store{};
  std::int64_t after = 0;
  std::int64_t at_ms = 0;
  std::string cause;
  Sha256 unnamed;  // digest of the tombstones that no row of `purged` names
  std::string seal;
};

EpochRow epoch_row(Query& query) {
  EpochRow row;
  row.epoch = query.integer(0);
  row.store = query.bytes<16>(1);
  row.after = query.integer(2);
  row.at_ms = query.integer(3);
  row.cause = query.text(4);
  row.unnamed = {query.bytes<32>(5)};
  row.seal = query.text(6);
  return row;
}

/// `before` is the seal of the epoch before, so that none can be taken out.
Seal seal_of(const AnchorKey& key, const EpochRow& row, std::string_view before) {
  return key.seal(epoch_seal,
                  {std::to_string(row.epoch), view(row.store), std::to_string(row.after),
                   std::to_string(row.at_ms), row.cause, view(row.unnamed.bytes), before});
}

Result<std::vector<EpochRow>> every_epoch(Connection& connection) {
  std::vector<EpochRow> rows;
  Query query(connection, sql::every_epoch);
  while (TRY(query.step())) rows.push_back(epoch_row(query));
  TRY(query.sound());
  return rows;
}

/// The first row that is not the one that was sealed; nothing: all are.
std::optional<std::int64_t> misfit_epoch(const AnchorKey& key, const std::vector<EpochRow>& rows) {
  std::string before;
  for (const EpochRow& row : rows) {
    if (row.seal != view(seal_of(key, row, before))) return row.epoch;
    before = row.seal;
  }
  return std::nullopt;
}

Result<std::optional<EpochRow>> last_epoch(Connection& connection) {
  Query query(connection, sql::last_epoch);
  if (!TRY(query.step())) return std::nullopt;
  EpochRow row = epoch_row(query);
  TRY(query.sound());
  return row;
}

/// Over the tombstones with this anchor; none: those from before anchors.
Result<Sha256> tombstones_digest(Connection& connection, std::optional<std::int64_t> anchor) {
  Query query(connection, sql::tombstones);
  anchor ? query.bind(*anchor) : query.bind(std::nullopt);
  // Chained, so that the whole never has to be in memory.
  Sha256 digest;
  while (TRY(query.step())) {
    const std::string steps = query.text(2);
    const auto id = query.bytes<16>(1);
    digest = sha256(cat(digest.hex(), '\n', query.integer(0), '\n', to_hex(id), '\n', steps));
  }
  return digest;
}

struct PurgedRow {
  std::int64_t anchor = 0;
  std::int64_t last = 0;
  std::int64_t at_ms = 0;
  std::string seal;
};

Result<std::optional<PurgedRow>> purged_row(Connection& connection, const SessionId& session) {
  Query query(connection, sql::purged);
  query.bind(session.bytes);
  if (!TRY(query.step())) return std::nullopt;
  return PurgedRow{query.integer(0), query.integer(1), query.integer(2), query.text(3)};
}

Result<Seal> seal_of_purged(Connection& connection, const AnchorKey& key, const SessionId& session,
                            const PurgedRow& row) {
  const Sha256 digest = TRY(tombstones_digest(connection, row.anchor));
  return key.seal(purged_seal,
                  {view(session.bytes), std::to_string(row.anchor), std::to_string(row.last),
                   std::to_string(row.at_ms), view(digest.bytes)});
}

Error rolled_back(const std::string& db, std::string_view why) {
  return Error::make(Code::STORE_ROLLED_BACK, cat(db, " cannot be written: ", why),
                     "put back the files that belong together (docs/stores.md), or accept what is "
                     "there with `baton restore --accept-loss`");
}

Error damaged_heads(const std::string& path) {
  return Error::make(Code::STORE_REPLACED, cat(path, " was overwritten or cut short"),
                     "stop every server of this store, put the right files in place "
                     "(docs/stores.md), and start again");
}

bool has_key(const std::string& db) { return ::access(anchor_key_path(db).c_str(), F_OK) == 0; }

/// Whether a session has a record number. Where there is a key too, an epoch was begun.
Result<bool> is_anchored(Connection& connection) {
  Query query(connection, sql::any_anchored);
  return query.step();
}

std::int64_t wall_ms() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

Result<std::vector<SessionId>> sessions_of(Connection& connection, const char* statement) {
  std::vector<SessionId> out;
  Query query(connection, statement);
  while (TRY(query.step())) out.push_back({query.bytes<16>(0)});
  TRY(query.sound());
  return out;
}

/// Gives a record number to every session that has none, removed ones too.
Result<void> name_all(Connection& connection) {
  std::vector<std::int64_t> bare;
  {
    Query query(connection, sql::bare_sessions);
    while (TRY(query.step())) bare.push_back(query.integer(0));
  }
  std::int64_t next = TRY(next_anchor(connection));
  for (const std::int64_t session : bare) {
    Query query(connection, sql::name_session);
    query.bind(session).bind(next++);
    TRY(query.finish());
  }
  for (const SessionId& session : TRY(sessions_of(connection, sql::bare_purged))) {
    Query query(connection, sql::name_purged);
    query.bind(session.bytes).bind(next++);
    TRY(query.finish());
  }
  return {};
}

/// Seals the epochs and the records of removed sessions again.
Result<void> seal_all(Connection& connection, const AnchorKey& key) {
  for (const SessionId& session : TRY(sessions_of(connection, sql::every_purged))) {
    TRY(seal_purged(connection, key, session));
  }
  std::string before;
  for (const EpochRow& row : TRY(every_epoch(connection))) {
    const Seal seal = seal_of(key, row, before);
    Query query(connection, sql::seal_epoch);
    query.bind(row.epoch).bind(seal);
    TRY(query.finish());
    before = view(seal);
  }
  return {};
}

Result<std::optional<Sha256>> hash_at(Connection& connection, const SessionId& session,
                                      run::Seq seq) {
  Query query(connection, sql::hash_at);
  query.bind(session.bytes).bind(seq.value);
  if (!TRY(query.step())) return std::nullopt;
  return Sha256{query.bytes<32>(0)};
}

/// The digest of the numbers of a session's commits up to `seq`.
Result<std::int64_t> numbers_to(Connection& connection, const SessionId& session, run::Seq seq) {
  Query query(connection, sql::numbers_to);
  query.bind(session.bytes).bind(seq.value);
  std::int64_t numbers = 0;
  while (TRY(query.step())) numbers = with_number(numbers, {query.integer(0)});
  return numbers;
}

/// The same after one more commit. `before` is the record of the session, if it has one.
Result<std::int64_t> numbers_after(Connection& connection,
                                   const std::optional<AnchoredHead>& before,
                                   const SessionId& session, run::Seq seq, run::CommitNo no) {
  const run::Seq known = before ? before->seq : run::Seq{0};
  if (known.value + 1 != seq.value) return numbers_to(connection, session, seq);
  return with_number(before ? before->numbers : 0, no);
}

/// Whether what was anchored is still there below a commit that was just made. A session that lost
/// commits keeps its old anchor, so that `verify` finds it no matter how much it grows.
Result<bool> continues(Connection& connection, const NotedCommit& commit,
                       const AnchoredHead& before) {
  if (before.session != commit.head.session || before.seq >= commit.head.seq) return false;
  if (before.seq.value + 1 == commit.head.seq.value) return before.hash == commit.previous;
  return TRY(hash_at(connection, before.session, before.seq)) == before.hash;
}

/// Whether the commit is whole, continues the one before it, and the one that was anchored is
/// still there.
Result<bool> is_sound(Connection& connection, const run::Commit& commit,
                      const std::optional<AnchoredHead>& anchored) {
  if (run::commit_hash(commit) != commit.hash) return false;
  const run::Seq before{commit.seq.value - 1};
  const auto previous =
      before.value == 0 ? Sha256{} : TRY(hash_at(connection, commit.session, before));
  if (previous != commit.previous) return false;
  if (!anchored || anchored->seq >= commit.seq) return true;
  return anchored->session == commit.session &&
         TRY(hash_at(connection, commit.session, anchored->seq)) == anchored->hash;
}

/// One session's record against the store.
Result<std::optional<std::string>> misfit(Connection& connection, std::int64_t anchor,
                                          const AnchoredHead& head) {
  std::optional<SessionId> session;
  std::int64_t seq = 0;
  {
    Query query(connection, sql::session_of_anchor);
    query.bind(anchor);
    if (TRY(query.step())) {
      session = SessionId{query.bytes<16>(0)};
      seq = query.integer(1);
    }
  }
  if (!session) {
    Query query(connection, sql::find_purged);
    query.bind(head.session.bytes).bind(anchor);
    if (TRY(query.step())) return std::nullopt;
    return cat(head.session.text(), " is lost: it had ", head.seq.value,
               " commits and was not removed by gc");
  }
  if (*session != head.session) {
    return cat("record ", anchor, " of the heads is of ", head.session.text(), ", not of ",
               session->text());
  }
  if (seq < head.seq.value) {
    return cat(session->text(), " has lost its last commits: it has ", seq, " of ", head.seq.value);
  }
  if (TRY(hash_at(connection, *session, head.seq)) != head.hash) {
    return cat(session->text(), ": its commit ", head.seq.value,
               " is not the one that was anchored");
  }
  if (TRY(numbers_to(connection, *session, head.seq)) != head.numbers) {
    return cat(session->text(), ": its commits do not have the numbers that were anchored");
  }
  return std::nullopt;
}

Result<void> check_epochs(Connection& connection, const AnchorKey& key,
                          std::vector<std::string>& problems) {
  const std::vector<EpochRow> rows = TRY(every_epoch(connection));
  if (const auto epoch = misfit_epoch(key, rows)) {
    problems.push_back(cat("epoch ", *epoch, ": its row is not the one that was sealed"));
  }
  if (!rows.empty() && rows.front().unnamed != TRY(tombstones_digest(connection, std::nullopt))) {
    problems.emplace_back("tombstones from before the first epoch were changed");
  }
  return {};
}

}  // namespace

Seal seal_snapshot(const AnchorKey& key, run::NodeNo node, std::string_view text) {
  return key.seal(snapshot_seal, {std::to_string(node.value), text});
}

bool fits_snapshot(const AnchorKey& key, std::span<const std::uint8_t> seal, run::NodeNo node,
                   std::string_view text) {
  return key.fits(seal, snapshot_seal, {std::to_string(node.value), text});
}

Result<std::vector<run::NodeNo>> unsealed_snapshots(Connection& connection, const AnchorKey& key) {
  std::int64_t unsealed_to = 0;
  {
    Query query(connection, sql::unsealed_to);
    TRY(query.step());
    unsealed_to = query.integer(0);
  }
  std::vector<run::NodeNo> out;
  Query query(connection, sql::snapshots);
  while (TRY(query.step())) {
    const run::NodeNo node{query.integer(0)};
    const std::string seal = query.text(2);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(seal.data());
    const bool is_good = query.is_null(2)
                             ? node.commit().value <= unsealed_to
                             : fits_snapshot(key, {bytes, seal.size()}, node, query.text(1));
    if (!is_good) out.push_back(node);
  }
  return out;
}

Result<std::int64_t> next_anchor(Connection& connection) {
  Query query(connection, sql::next_anchor);
  TRY(query.step());
  return query.integer(0);
}

Result<void> seal_purged(Connection& connection, const AnchorKey& key, const SessionId& session) {
  const auto row = TRY(purged_row(connection, session));
  if (!row) return fail(Code::INTERNAL, "a session that was not removed was to be sealed as such");
  const Seal seal = TRY(seal_of_purged(connection, key, session, *row));
  Query query(connection, sql::seal_purged);
  query.bind(session.bytes).bind(seal);
  return query.finish();
}

// --- opening ------------------------------------------------------------------------------------

Result<std::unique_ptr<Anchors>> Anchors::open(Connection& connection, const std::string& db) {
  std::unique_ptr<Anchors> out(new Anchors(db));
  auto epoch = TRY(last_epoch(connection));
  // Another process may have begun the first epoch between the two reads: it does so before it
  // anchors a session.
  const bool was_begun = !epoch && has_key(db) && TRY(is_anchored(connection));
  if (was_begun) epoch = TRY(last_epoch(connection));
  if (!epoch && was_begun) {
    OsEntropy().fill(out->store_);
    out->refusal_ = rolled_back(db, "its record of epochs is missing");
    return out;
  }
  if (!epoch) {
    if (!connection.is_read_only()) TRY(out->adopt(connection));
    return out;
  }
  out->store_ = epoch->store;
  out->epoch_ = epoch->epoch;
  if (auto key = AnchorKey::open(db); key) {
    out->key_ = std::make_unique<AnchorKey>(*std::move(key));
  } else {
    out->refusal_ = rolled_back(db, cat("its heads cannot be checked: ", key.error().message));
    return out;
  }
  if (misfit_epoch(*out->key_, TRY(every_epoch(connection)))) {
    out->refusal_ = rolled_back(db, "its record of epochs or its key was changed");
    return out;
  }
  if (const auto opened = out->open_heads(); !opened) {
    out->refusal_ = rolled_back(db, cat("its heads cannot be checked: ", opened.error().message));
    return out;
  }
  out->refusal_ = TRY(out->compare(connection));
  if (!out->refusal_ && !connection.is_read_only()) {
    const auto lock = TRY(out->heads_->lock());
    TRY(out->catch_up(connection));
  }
  return out;
}

Result<void> Anchors::open_heads() {
  heads_ = TRY(HeadsFile::open(HeadsFile::path_of(db_), *key_, owner_of(db_)));
  return {};
}

Result<std::optional<Error>> Anchors::compare(Connection& connection) {
  // In this order: the heads are never ahead of what is read after them.
  const auto mark = TRY(heads_->mark());
  const run::CommitNo last = TRY(last_commit_no(connection));
  if (!mark) return rolled_back(db_, cat(heads_->path(), " has no sound mark"));
  if (mark->store != store_) {
    return rolled_back(db_, cat(heads_->path(), " belongs to another store"));
  }
  if (mark->epoch != epoch_) {
    return rolled_back(
        db_, cat(heads_->path(), " is of epoch ", mark->epoch, " and the store of epoch ", epoch_));
  }
  return lacks(connection, last, mark->commit, mark->hash);
}

Result<std::optional<Error>> Anchors::lacks(Connection& connection, run::CommitNo last,
                                            run::CommitNo commit, const Sha256& hash) const {
  if (commit > last) {
    return rolled_back(db_, cat("commits ", last.value + 1, " to ", commit.value,
                                " are missing; it was restored to an older state"));
  }
  if (commit.value == 0) return std::nullopt;
  Query query(connection, sql::hash_of);
  query.bind(commit.value);
  if (TRY(query.step())) {
    if (Sha256{query.bytes<32>(0)} == hash) return std::nullopt;
    return rolled_back(db_, cat("commit ", commit.value,
                                " is not the one it was; other commits were written to an older "
                                "state"));
  }
  Query removed(connection, sql::purged_since);
  removed.bind(commit.value);
  if (TRY(removed.step())) return std::nullopt;
  return rolled_back(db_, cat("commit ", commit.value, " is missing"));
}

// --- epochs -------------------------------------------------------------------------------------

Result<void> Anchors::adopt(Connection& connection) {
  key_ = std::make_unique<AnchorKey>(TRY(AnchorKey::open_or_make(db_)));
  OsEntropy().fill(store_);
  AnchorMark fresh;
  fresh.store = store_;
  fresh.epoch = 1;
  TRY(HeadsFile::create(HeadsFile::path_of(db_), *key_, fresh));
  TRY(open_heads());
  const auto lock = TRY(heads_->lock());
  const auto mark = TRY(heads_->mark());
  if (const auto epoch = TRY(last_epoch(connection))) {
    // Another process was faster.
    store_ = epoch->store;
    epoch_ = epoch->epoch;
  } else if (!mark || mark->epoch != 1 || mark->commit.value != 0) {
    refusal_ = rolled_back(db_, cat(heads_->path(),
                                    " is of a store that had an epoch; this one "
                                    "has none"));
    return {};
  } else {
    // A first start that was cut short may have left its file.
    store_ = mark->store;
    TRY(begin(connection, 1, TRY(last_commit_no(connection)).value == 0 ? "made" : "anchored"));
  }
  return catch_up(connection);
}

Result<void> Anchors::begin(Connection& connection, std::int64_t epoch, std::string_view cause) {
  TRY(in_transaction(connection, [&]() -> Result<void> {
    if (const auto last = TRY(last_epoch(connection)); last && last->epoch >= epoch) return {};
    TRY(name_all(connection));
    EpochRow row;
    row.epoch = epoch;
    row.store = store_;
    row.after = TRY(last_commit_no(connection)).value;
    row.at_ms = wall_ms();
    row.cause = cause;
    row.unnamed = TRY(tombstones_digest(connection, std::nullopt));
    constexpr Seal unsealed{};  // until all are sealed in order, below
    {
      Query query(connection, sql::add_epoch);
      query.bind(row.epoch).bind(row.store).bind(row.after).bind(row.at_ms);
      query.bind(std::string_view(row.cause)).bind(row.unnamed.bytes).bind(unsealed);
      TRY(query.finish());
    }
    return seal_all(connection, *key_);
  }));
  epoch_ = epoch;
  return {};
}

std::optional<std::int64_t> Anchors::epoch_of(const std::string& db) {
  const auto key = AnchorKey::open(db);
  if (!key) return std::nullopt;
  auto heads = HeadsFile::open(HeadsFile::path_of(db), *key, owner_of(db));
  if (!heads) return std::nullopt;
  const auto mark = heads->mark();
  return mark && *mark ? std::optional((*mark)->epoch) : std::nullopt;
}

Result<void> Anchors::make_heads(Connection& connection, const std::string& db) {
  Anchors made(db);
  const auto epoch = TRY(last_epoch(connection));
  if (!epoch) return {};
  made.key_ = std::make_unique<AnchorKey>(TRY(AnchorKey::open(db)));
  AnchorMark mark;
  mark.store = epoch->store;
  mark.epoch = epoch->epoch;
  TRY(HeadsFile::create(HeadsFile::path_of(db), *made.key_, mark));
  TRY(made.open_heads());
  {
    const auto lock = TRY(made.heads_->lock());
    TRY(made.catch_up(connection));
  }
  return made.heads_->sync();
}

Result<std::int64_t> Anchors::begin_epoch(Connection& connection, std::string_view cause,
                                          std::int64_t above) {
  if (!key_) {
    key_ = std::make_unique<AnchorKey>(TRY(AnchorKey::open_or_make(db_)));
    // Their seals are by a key that is gone; each is checked by folding and sealed again.
    TRY(execute(connection, sql::unseal_snapshots));
  }
  const std::int64_t before = epoch_;
  TRY(begin(connection, std::max(before, above) + 1, cause));
  const std::string path = HeadsFile::path_of(db_);
  heads_.reset();
  if (std::rename(path.c_str(), cat(path, ".epoch-", before).c_str()) != 0 && errno != ENOENT) {
    return fail(Code::ENVIRONMENT, cat("cannot move ", path, ": ", std::strerror(errno)));
  }
  AnchorMark mark;
  mark.store = store_;
  mark.epoch = epoch_;
  TRY(HeadsFile::create(path, *key_, mark));
  TRY(open_heads());
  {
    const auto lock = TRY(heads_->lock());
    TRY(catch_up(connection));
  }
  sync();
  refusal_.reset();
  return epoch_;
}

// --- writing ------------------------------------------------------------------------------------

Result<void> Anchors::check(run::CommitNo last) {
  if (!heads_) return {};
  const auto mark = TRY(heads_->mark());
  // Another process may be writing one slot; then the other is sound.
  if (!mark) return std::unexpected(damaged_heads(heads_->path()));
  if (mark->commit <= last) return {};
  return std::unexpected(
      rolled_back(db_, cat("commits ", last.value + 1, " to ", mark->commit.value,
                           " are missing; it was put back to an older state while it was open")));
}

Result<void> Anchors::check_anew(Connection& fresh) {
  if (!heads_) return {};
  if (auto why = TRY(compare(fresh))) return std::unexpected(*std::move(why));
  // The newest commit may be in the WAL and older ones not in the file any more. One session that
  // does not fit is damaged and closed when it is read; most of them mean another state of the
  // file.
  const std::int64_t end = TRY(heads_->records_end());
  std::int64_t sampled = 0;
  std::int64_t misfits = 0;
  for (std::int64_t anchor = std::max<std::int64_t>(1, end - heads_sampled); anchor < end;
       ++anchor) {
    const auto head = TRY(heads_->head(anchor));
    if (!head) continue;
    ++sampled;
    if (TRY(misfit(fresh, anchor, *head))) ++misfits;
  }
  if (misfits < 2 || 2 * misfits <= sampled) return {};
  return std::unexpected(rolled_back(db_, cat(misfits, " of the ", sampled,
                                              " newest sessions are not what they were; the file "
                                              "was overwritten while it was open")));
}

Result<void> Anchors::check_floor(Connection& connection, run::CommitNo last, run::CommitNo highest,
                                  const std::optional<AnchoredHead>& own) const {
  if (last < highest) {
    return std::unexpected(
        rolled_back(db_, cat("commits ", last.value + 1, " to ", highest.value,
                             " are missing; it was put back to an older state while it was open")));
  }
  if (!own) return {};
  {
    Query query(connection, sql::session_of_commit);
    query.bind(own->commit.value);
    if (TRY(query.step())) {
      if (SessionId{query.bytes<16>(0)} == own->session) return {};
    } else {
      Query removed(connection, sql::purged_since);
      removed.bind(own->commit.value);
      if (TRY(removed.step())) return {};
    }
  }
  return std::unexpected(
      rolled_back(db_, cat("commit ", own->commit.value,
                           " is not the one that this process made; it was put back to an older "
                           "state while it was open")));
}

Result<void> Anchors::note(Connection& connection, std::span<const NotedCommit> commits) {
  if (!heads_) return {};
  const Result<void> noted = [&]() -> Result<void> {
    const auto lock = TRY(heads_->lock());
    auto mark = TRY(heads_->mark());
    if (!mark) return std::unexpected(damaged_heads(heads_->path()));
    const bool is_next =
        !commits.empty() && mark->commit.value + 1 == commits.front().head.commit.value;
    // Another process has committed in between and not noted it yet, or was killed before.
    if (!is_next) return catch_up(connection);
    std::map<std::int64_t, AnchoredHead> latest;
    for (const NotedCommit& commit : commits) {
      const auto known = latest.find(commit.anchor);
      const auto before =
          known != latest.end() ? std::optional(known->second) : TRY(heads_->head(commit.anchor));
      if (before && !TRY(continues(connection, commit, *before))) continue;
      AnchoredHead head = commit.head;
      head.numbers = TRY(numbers_after(connection, before, head.session, head.seq, head.commit));
      latest[commit.anchor] = head;
    }
    for (const auto& [anchor, head] : latest) TRY(heads_->write(anchor, head));
    mark->commit = commits.back().head.commit;
    mark->hash = commits.back().head.hash;
    return heads_->write(*mark);
  }();
  if (noted) {
    not_noted_ = 0;
    return {};
  }
  if (noted.error().code == Code::STORE_REPLACED) return noted;
  not_noted_ += std::max<std::int64_t>(1, std::ssize(commits));
  if (not_noted_ <= limits::anchor_lag_commits_max) return {};
  return noted;
}

/// REQUIRES: the heads are locked.
Result<void> Anchors::catch_up(Connection& connection) {
  auto mark = TRY(heads_->mark());
  if (!mark) return fail(Code::ENVIRONMENT, cat(heads_->path(), " has no sound mark"));
  for (bool is_done = false; !is_done;) TRY(catch_up_page(connection, *mark, is_done));
  return {};
}

Result<void> Anchors::catch_up_page(Connection& connection, AnchorMark& mark, bool& is_done) {
  std::map<std::int64_t, AnchoredHead> latest;
  std::size_t count = 0;
  {
    Query query(connection, sql::not_noted);
    query.bind(mark.commit.value).bind(static_cast<std::int64_t>(limits::log_page_commits));
    // A number that could not have been given is damage, and no mark may follow it.
    query.bind(limits::commit_no_max);
    while (TRY(query.step())) {
      ++count;
      const run::Commit commit = TRY(commit_row(query));
      const std::int64_t anchor = query.integer(8);
      const auto known = latest.find(anchor);
      const auto before = known != latest.end() ? std::optional(known->second)
                          : anchor > 0          ? TRY(heads_->head(anchor))
                                                : std::nullopt;
      mark.commit = commit.no;
      mark.hash = commit.hash;
      // What does not fit keeps its old anchor, so that `verify` finds it.
      if (anchor < 1 || (before && before->seq >= commit.seq)) continue;
      if (!TRY(is_sound(connection, commit, before))) continue;
      const std::int64_t numbers =
          TRY(numbers_after(connection, before, commit.session, commit.seq, commit.no));
      latest[anchor] = {commit.session, commit.seq, commit.no, commit.hash, numbers};
    }
  }
  is_done = count < limits::log_page_commits;
  if (count == 0) return {};
  for (const auto& [anchor, head] : latest) TRY(heads_->write(anchor, head));
  return heads_->write(mark);
}

void Anchors::sync() {
  // The next one does what this one could not.
  if (heads_) static_cast<void>(heads_->sync());
}

// --- checking -----------------------------------------------------------------------------------

Result<Anchors::Heads> Anchors::read_heads() const {
  Heads out;
  if (!heads_) return out;
  // By a descriptor of its own: the writer may be using the other.
  HeadsFile heads = TRY(HeadsFile::open(HeadsFile::path_of(db_), *key_, owner_of(db_)));
  out.mark = TRY(heads.mark());
  const std::int64_t end = TRY(heads.records_end());
  for (std::int64_t anchor = 1; anchor < end; ++anchor) {
    if (const auto head = TRY(heads.head(anchor))) out.records.emplace_back(anchor, *head);
  }
  return out;
}

Result<void> Anchors::check_records(Connection& connection, const Heads& heads) const {
  for (const auto& [anchor, head] : heads.records) {
    if (const auto problem = TRY(misfit(connection, anchor, head))) {
      return std::unexpected(rolled_back(db_, *problem));
    }
  }
  const auto lost = TRY(lost_heads(connection, heads.mark, heads.records));
  return lost.empty() ? Result<void>() : std::unexpected(rolled_back(db_, lost.front()));
}

Result<std::vector<std::string>> Anchors::problems(Connection& connection,
                                                   const Heads& heads) const {
  std::vector<std::string> out;
  const auto epoch = TRY(last_epoch(connection));
  if (!epoch && !heads_ && !refusal_) return out;  // never anchored
  if (refusal_) out.push_back(refusal_->message);
  if (!key_) return out;
  if (!epoch) out.emplace_back("the store has heads but no epoch");
  TRY(check_epochs(connection, *key_, out));
  for (const SessionId& session : TRY(sessions_of(connection, sql::every_purged))) {
    const auto row = TRY(purged_row(connection, session));
    if (row && row->seal == view(TRY(seal_of_purged(connection, *key_, session, *row)))) continue;
    out.push_back(cat(session.text(), ": its record as a removed session was changed"));
  }
  if (const auto odd = TRY(sessions_of(connection, sql::odd_sessions)); !odd.empty()) {
    out.push_back(cat(odd.front().text(), " has no record in the heads"));
  }
  {
    Query query(connection, sql::odd_tombstones);
    if (TRY(query.step()) && query.integer(0) > 0) {
      out.emplace_back("there are tombstones of sessions that were not removed");
    }
  }
  for (const auto& [anchor, head] : heads.records) {
    if (auto problem = TRY(misfit(connection, anchor, head))) out.push_back(*std::move(problem));
  }
  std::ranges::move(TRY(lost_heads(connection, heads.mark, heads.records)),
                    std::back_inserter(out));
  return out;
}

}  // namespace baton::adapters::sqlite
