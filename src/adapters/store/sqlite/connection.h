#pragma once
// One connection to a store's file with its prepared statements, and one run of a statement.
// A connection belongs to one thread at a time.
//
//   Query query(connection, sql::find_session);
//   query.bind(id.bytes);
//   while (TRY(query.step())) use(query.integer(0));

#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "adapters/store/sqlite/health.h"
#include "adapters/store/sqlite/write/commit_signal.h"
#include "base/core/sha256.h"

namespace baton::adapters::sqlite {

class AnchorKey;

enum class Access : std::uint8_t { create, write, read };

struct Where {
  std::string path;
  std::string vfs;  // empty: SQLite's own
  std::int64_t busy_ms_max = 0;
};

class Connection {
 public:
  /// `health` must outlive the connection.
  static Result<std::unique_ptr<Connection>> open(const Where& where, Access access,
                                                  Health& health);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Statements whose results do not matter, separated by semicolons.
  Result<void> run(const std::string& statements);
  /// The first column of the first row; 0 without a row.
  Result<std::int64_t> number(const std::string& statement);

  /// Makes durable what this connection can see. The first process at a deserted file takes over
  /// the WAL as it is, and a process that died before its sync leaves commits there that the
  /// disk may not have: no reply may rest on them before this.
  Result<void> sync_wal();

  /// Waits for the lock by this bell from now on. Null: by sleeping.
  void wait_by(CommitSignal* bell) { busy_.bell = bell; }

  /// For how long it waits for a lock from now on; gives what it was before.
  std::int64_t set_busy_ms(std::int64_t ms_max) { return std::exchange(busy_.ms_max, ms_max); }

  /// Seals and checks by this key from now on, which must outlive the connection. Null: not at all.
  void seal_by(const AnchorKey* key) { key_ = key; }
  const AnchorKey* key() const { return key_; }

  sqlite3* handle() { return db_; }
  bool is_read_only() { return sqlite3_db_readonly(db_, "main") == 1; }

  /// The error of a call that gave `rc`; a fatal one is noted.
  Error error(int rc, std::string_view doing);

 private:
  friend class Query;
  struct Busy {
    std::int64_t ms_max = 0;
    std::uint32_t jitter = 1;
    CommitSignal* bell = nullptr;
    std::uint32_t rings_seen = 0;  // before the lock was asked for the last time
    std::chrono::steady_clock::time_point since{};
  };

  Connection(sqlite3* db, Health& health) : db_(db), health_(health) {}
  static int on_busy(void* busy, int tries);
  static void sleep(Busy& busy, int tries);

  sqlite3* db_;
  Health& health_;
  const AnchorKey* key_ = nullptr;
  Busy busy_;
  // Keyed by the address of the text: every cached statement is a constant of this folder.
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
};

class Query {
 public:
  /// REQUIRES: `statement` is a constant, and no other Query of it is alive on this connection.
  Query(Connection& connection, const char* statement);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  // Parameters in order. Bytes must stay where they are until the Query is gone.
  Query& bind(std::int64_t number);
  Query& bind(std::nullopt_t);
  Query& bind(std::span<const std::uint8_t> bytes);
  Query& bind(std::string_view text);

  /// True: there is a row. False: the statement is done.
  Result<bool> step();
  /// For a statement without rows.
  Result<void> finish();

  bool is_null(int column) { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }
  std::string text(int column);
  template <std::size_t size>
  std::array<std::uint8_t, size> bytes(int column) {
    std::array<std::uint8_t, size> out{};
    read_bytes(column, out);
    return out;
  }

  /// STORAGE_CORRUPTION_DETECTED when a column of the row did not have the size it must have. It is
  /// one row and not the file, so that other sessions can still be written.
  Result<void> sound();

 private:
  void read_bytes(int column, std::span<std::uint8_t> out);

  Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
  int rc_ = SQLITE_OK;  // the first failure of preparing or binding
  int parameter_ = 0;
  bool is_malformed_ = false;
};

}  // namespace baton::adapters::sqlite
