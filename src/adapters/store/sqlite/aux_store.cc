#include "adapters/store/sqlite/aux_store.h"

#include <unistd.h>

#include "adapters/store/memory/memory_aux.h"
#include "adapters/store/sqlite/heads/file_watch.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using sqlite::Connection;
using sqlite::Query;

// Waiting for another process's batch would make a caller wait for something that may be lost.
constexpr std::int64_t aux_busy_ms_max = 20;

constexpr std::int64_t aux_version = 1;
constexpr const char* tables =
    "CREATE TABLE IF NOT EXISTS counters(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;"
    "CREATE TABLE IF NOT EXISTS calls(call_no INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL,"
    " tool TEXT NOT NULL, code TEXT NOT NULL, duration_us INTEGER NOT NULL, run BLOB) STRICT;"
    "CREATE TABLE IF NOT EXISTS texts(key TEXT PRIMARY KEY, text TEXT NOT NULL)"
    " STRICT, WITHOUT ROWID;";

namespace sql {
constexpr const char* begin = "BEGIN IMMEDIATE";
constexpr const char* commit = "COMMIT";
constexpr const char* rollback = "ROLLBACK";
constexpr const char* add_count =
    "INSERT INTO counters(name, value) VALUES(?1, ?2)"
    " ON CONFLICT(name) DO UPDATE SET value = value + excluded.value";
constexpr const char* add_call =
    "INSERT INTO calls(at_ms, tool, code, duration_us, run) VALUES(?1, ?2, ?3, ?4, ?5)";
constexpr const char* drop_calls =
    "DELETE FROM calls WHERE call_no <= (SELECT max(call_no) FROM calls) - ?1";
constexpr const char* add_text =
    "INSERT INTO texts(key, text) VALUES(?1, ?2)"
    " ON CONFLICT(key) DO UPDATE SET text = excluded.text";
constexpr const char* count_texts = "SELECT count(*) FROM texts";
constexpr const char* drop_texts = "DELETE FROM texts";
constexpr const char* text = "SELECT text FROM texts WHERE key = ?1";
constexpr const char* counter = "SELECT value FROM counters WHERE name = ?1";
constexpr const char* calls =
    "SELECT at_ms, tool, code, duration_us, run FROM calls ORDER BY call_no DESC LIMIT ?1";
}  // namespace sql

Result<void> execute(Connection& connection, const char* statement) {
  Query query(connection, statement);
  return query.finish();
}

}  // namespace

Result<std::unique_ptr<SqliteAux>> SqliteAux::open_file(const std::string& path) {
  std::unique_ptr<SqliteAux> aux(new SqliteAux);
  const sqlite::Where where{path, {}, aux_busy_ms_max};
  TRY(sqlite::check_planted(path));
  const MutexLock lock(aux->mutex_);
  aux->connection_ = TRY(Connection::open(where, sqlite::Access::create, aux->health_));
  TRY(sqlite::check_planted(path));
  Connection& connection = *aux->connection_;
  if (TRY(connection.number("PRAGMA user_version")) > aux_version) {
    return fail(Code::STORE_NEWER, "the file beside the store was written by a newer release");
  }
  TRY(connection.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA cache_size=-256"));
  TRY(connection.run(tables));
  TRY(connection.run(cat("PRAGMA user_version=", aux_version)));
  return aux;
}

std::unique_ptr<ports::AuxStore> SqliteAux::open(const std::string& store_path) {
  const std::string path = store_path + ".aux";
  auto opened = open_file(path);
  if (!opened && opened.error().code == Code::STORE_CORRUPT) {
    for (const char* part : {"", "-wal", "-shm"}) ::unlink((path + part).c_str());
    opened = open_file(path);
  }
  if (!opened) return std::make_unique<MemoryAux>();
  return *std::move(opened);
}

SqliteAux::~SqliteAux() {
  const MutexLock lock(mutex_);
  flush();
}

void SqliteAux::count(std::string_view counter, std::int64_t by) {
  const MutexLock lock(mutex_);
  counts_[std::string(counter)] += by;
}

void SqliteAux::record(ports::CallRecord call) {
  const MutexLock lock(mutex_);
  calls_.push_back(std::move(call));
  if (calls_.size() >= limits::aux_pending_calls_max) flush();
}

void SqliteAux::flush() {
  if (counts_.empty() && calls_.empty() && texts_.empty()) return;
  if (!execute(*connection_, sql::begin)) {
    // Another process is writing. Counts wait for the next time; so do calls, while there is room.
    if (calls_.size() >= limits::aux_pending_calls_max) calls_.clear();
    return;
  }
  const bool is_written = write_pending().has_value() && execute(*connection_, sql::commit);
  if (!is_written && sqlite3_get_autocommit(connection_->handle()) == 0) {
    static_cast<void>(execute(*connection_, sql::rollback));
  }
  counts_.clear();
  calls_.clear();
  texts_.clear();
}

Result<void> SqliteAux::write_pending() {
  for (const auto& [name, by] : counts_) {
    Query query(*connection_, sql::add_count);
    query.bind(std::string_view(name)).bind(by);
    TRY(query.finish());
  }
  for (const ports::CallRecord& call : calls_) {
    Query query(*connection_, sql::add_call);
    query.bind(call.at.value).bind(std::string_view(call.tool));
    query.bind(std::string_view(call.code)).bind(call.duration_us);
    call.run ? query.bind(call.run->bytes) : query.bind(std::nullopt);
    TRY(query.finish());
  }
  TRY(write_texts());
  if (calls_.empty()) return {};
  Query query(*connection_, sql::drop_calls);
  query.bind(static_cast<std::int64_t>(limits::aux_calls_max));
  return query.finish();
}

Result<void> SqliteAux::write_texts() {
  if (texts_.empty()) return {};
  Query count(*connection_, sql::count_texts);
  const bool has_row = TRY(count.step());
  if (has_row && count.integer(0) + static_cast<std::int64_t>(texts_.size()) >
                     static_cast<std::int64_t>(limits::aux_texts_max)) {
    TRY(execute(*connection_, sql::drop_texts));
  }
  for (const auto& [key, text] : texts_) {
    Query query(*connection_, sql::add_text);
    query.bind(std::string_view(key)).bind(std::string_view(text));
    TRY(query.finish());
  }
  return {};
}

void SqliteAux::remember(std::string key, std::string text) {
  const MutexLock lock(mutex_);
  texts_.insert_or_assign(std::move(key), std::move(text));
  if (texts_.size() >= limits::aux_texts_max) flush();
}

std::optional<std::string> SqliteAux::remembered(std::string_view key) {
  const MutexLock lock(mutex_);
  if (const auto found = texts_.find(key); found != texts_.end()) return found->second;
  Query query(*connection_, sql::text);
  query.bind(key);
  const auto has_row = query.step();
  if (!has_row || !*has_row) return std::nullopt;
  std::string text(query.text(0));
  if (!query.sound()) return std::nullopt;
  return text;
}

Result<std::int64_t> SqliteAux::counter(std::string_view name) {
  const MutexLock lock(mutex_);
  flush();
  Query query(*connection_, sql::counter);
  query.bind(name);
  if (!TRY(query.step())) return 0;
  return query.integer(0);
}

Result<std::vector<ports::CallRecord>> SqliteAux::calls(std::size_t limit) {
  const MutexLock lock(mutex_);
  flush();
  Query query(*connection_, sql::calls);
  query.bind(static_cast<std::int64_t>(std::min(limit, limits::aux_calls_max)));
  std::vector<ports::CallRecord> out;
  while (TRY(query.step())) {
    ports::CallRecord call;
    call.at = {query.integer(0)};
    call.tool = query.text(1);
    call.code = query.text(2);
    call.duration_us = query.integer(3);
    if (!query.is_null(4)) call.run = RunId{query.bytes<16>(4)};
    TRY(query.sound());
    out.push_back(std::move(call));
  }
  return out;
}

}  // namespace baton::adapters
