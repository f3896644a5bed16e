#pragma once
// What a disk can do, to measure against. One thread.

#include <sqlite3.h>

#include <string>

#include "base/core/result.h"

namespace baton::bench {

/// One row with the same bytes, one durable commit each: what a disk can do.
class RawStore {
 public:
  explicit RawStore(const std::string& path) {
    ASSERT(sqlite3_open(path.c_str(), &db_) == SQLITE_OK);
    execute(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE raw(id INTEGER PRIMARY KEY, data BLOB) STRICT;");
    ASSERT(sqlite3_prepare_v2(db_, "INSERT INTO raw(data) VALUES(?)", -1, &insert_, nullptr) ==
           SQLITE_OK);
  }
  ~RawStore() {
    sqlite3_finalize(insert_);
    sqlite3_close(db_);
  }
  RawStore(const RawStore&) = delete;
  RawStore& operator=(const RawStore&) = delete;

  void commit(const std::string& bytes) {
    sqlite3_bind_blob(insert_, 1, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
    ASSERT(sqlite3_step(insert_) == SQLITE_DONE);
    sqlite3_reset(insert_);
  }

 private:
  void execute(const char* sql) {
    ASSERT(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  }

  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

}  // namespace baton::bench
