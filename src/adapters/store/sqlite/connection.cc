#include "adapters/store/sqlite/connection.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "adapters/store/sqlite/write/wal_batch.h"
#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

// A writer of another process is done in a fraction of a millisecond, so waiting starts short.
constexpr std::int64_t busy_sleep_us_min = 10;
constexpr std::int64_t busy_sleep_us_max = 80;
// A holder that does not signal afterwards is not Baton, or has died.
constexpr std::chrono::milliseconds bell_wait_max{2};

int open_flags(Access access) {
  const int common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (access) {
    case Access::create: return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Access::write: return common | SQLITE_OPEN_READWRITE;
    case Access::read: return common | SQLITE_OPEN_READONLY;
  }
  return common;
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const Where& where, Access access,
                                                     Health& health) {
  sqlite3* db = nullptr;
  const std::string vfs = access == Access::read ? where.vfs : batching_vfs(where.vfs);
  const int rc = sqlite3_open_v2(where.path.c_str(), &db, open_flags(access),
                                 vfs.empty() ? nullptr : vfs.c_str());
  if (db == nullptr) return fail(Code::STORE_FAILED, "out of memory");
  std::unique_ptr<Connection> out(new Connection(db, health));
  if (rc != SQLITE_OK) return std::unexpected(out->error(rc, cat("opening ", where.path)));
  out->busy_.ms_max = where.busy_ms_max;
  // Two connections that wait for one lock should not wake together.
  out->busy_.jitter = static_cast<std::uint32_t>(std::hash<const void*>{}(db)) | 1u;
  sqlite3_busy_handler(db, on_busy, &out->busy_);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return out;
}

Connection::~Connection() {
  for (const auto& [text, statement] : statements_) sqlite3_finalize(statement);
  if (health_.stopped()) sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_close(db_);
}

int Connection::on_busy(void* context, int tries) {
  auto& busy = *static_cast<Busy*>(context);
  const auto now = std::chrono::steady_clock::now();
  if (tries == 0) busy.since = now;
  if (now - busy.since >= std::chrono::milliseconds(busy.ms_max)) return 0;
  if (busy.bell == nullptr) {
    sleep(busy, tries);
    return 1;
  }
  // The lock is asked for once more after the first look at the bell, so that no ring is missed.
  if (tries > 0) busy.bell->wait(busy.rings_seen, bell_wait_max);
  busy.rings_seen = busy.bell->rings();
  return 1;
}

void Connection::sleep(Busy& busy, int tries) {
  const std::int64_t us = std::min(busy_sleep_us_max, busy_sleep_us_min << std::min(tries, 4));
  busy.jitter = busy.jitter * 1664525u + 1013904223u;
  const std::int64_t spread = static_cast<std::int64_t>(busy.jitter >> 16) % us;
  std::this_thread::sleep_for(std::chrono::microseconds(us / 2 + spread));
}

Error Connection::error(int rc, std::string_view doing) {
  Error out = error_of(db_, rc, doing);
  health_.note(rc, out);
  return out;
}

Result<void> Connection::run(const std::string& statements) {
  const int rc = sqlite3_exec(db_, statements.c_str(), nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return std::unexpected(error(rc, statements.substr(0, 60)));
  return {};
}

Result<std::int64_t> Connection::number(const std::string& statement) {
  sqlite3_stmt* prepared = nullptr;
  int rc = sqlite3_prepare_v2(db_, statement.c_str(), -1, &prepared, nullptr);
  std::int64_t out = 0;
  if (rc == SQLITE_OK) {
    rc = sqlite3_step(prepared);
    if (rc == SQLITE_ROW) out = sqlite3_column_int64(prepared, 0);
    if (rc == SQLITE_ROW || rc == SQLITE_DONE) rc = SQLITE_OK;
  }
  const Result<std::int64_t> result =
      rc == SQLITE_OK ? Result<std::int64_t>(out) : std::unexpected(error(rc, statement));
  sqlite3_finalize(prepared);
  return result;
}

Result<void> Connection::sync_wal() {
  // The WAL is opened by the first read.
  TRY(number("PRAGMA user_version"));
  sqlite3_file* wal = nullptr;
  int rc = sqlite3_file_control(db_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal);
  sqlite3_int64 size = 0;
  if (rc == SQLITE_OK && wal != nullptr && wal->pMethods != nullptr) {
    rc = wal->pMethods->xFileSize(wal, &size);
    if (rc == SQLITE_OK && size > 0) rc = wal->pMethods->xSync(wal, SQLITE_SYNC_NORMAL);
  }
  if (rc == SQLITE_OK) return {};
  const Error out = error_of(nullptr, rc, "syncing the WAL");
  health_.note(rc, out);
  return std::unexpected(out);
}

Query::Query(Connection& connection, const char* statement) : connection_(connection) {
  sqlite3_stmt*& cached = connection.statements_[statement];
  if (cached == nullptr) {
    rc_ = sqlite3_prepare_v3(connection.db_, statement, -1, SQLITE_PREPARE_PERSISTENT, &cached,
                             nullptr);
  }
  statement_ = cached;
  ASSERT(statement_ == nullptr || sqlite3_stmt_busy(statement_) == 0);
}

Query::~Query() {
  if (statement_ == nullptr) return;  // it could not be prepared
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Query& Query::bind(std::int64_t number) {
  if (rc_ == SQLITE_OK) rc_ = sqlite3_bind_int64(statement_, ++parameter_, number);
  return *this;
}

Query& Query::bind(std::nullopt_t) {
  if (rc_ == SQLITE_OK) rc_ = sqlite3_bind_null(statement_, ++parameter_);
  return *this;
}

Query& Query::bind(std::span<const std::uint8_t> bytes) {
  if (rc_ == SQLITE_OK) {
    rc_ = sqlite3_bind_blob64(statement_, ++parameter_, bytes.data(), bytes.size(), nullptr);
  }
  return *this;
}

Query& Query::bind(std::string_view text) {
  // A null pointer would bind NULL, not the empty text.
  const char* data = text.data() != nullptr ? text.data() : "";
  if (rc_ == SQLITE_OK) {
    rc_ = sqlite3_bind_text64(statement_, ++parameter_, data, text.size(), nullptr, SQLITE_UTF8);
  }
  return *this;
}

Result<bool> Query::step() {
  int rc = rc_;
  if (rc == SQLITE_OK) rc = sqlite3_step(statement_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  const char* text = statement_ != nullptr ? sqlite3_sql(statement_) : "preparing a statement";
  return std::unexpected(connection_.error(rc, std::string_view(text).substr(0, 60)));
}

Result<void> Query::finish() {
  ASSERT(!TRY(step()));
  return {};
}

std::string Query::text(int column) {
  const void* data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), size};
}

void Query::read_bytes(int column, std::span<std::uint8_t> out) {
  const void* data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  if (data == nullptr || size != out.size()) {
    is_malformed_ = true;
    return;
  }
  std::memcpy(out.data(), data, size);
}

Result<void> Query::sound() {
  if (!is_malformed_) return {};
  return fail(Code::STORAGE_CORRUPTION_DETECTED, "a row has a field of a wrong size",
              "`baton verify` lists what is damaged");
}

}  // namespace baton::adapters::sqlite
