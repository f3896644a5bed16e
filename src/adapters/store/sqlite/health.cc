#include "adapters/store/sqlite/health.h"

#include <sys/stat.h>

#include <cerrno>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

bool is_out_of_room(sqlite3* db, int rc) {
  if ((rc & 0xff) == SQLITE_FULL) return true;
  if ((rc & 0xff) != SQLITE_IOERR || db == nullptr) return false;
  const int reason = sqlite3_system_errno(db);
  return !is_fatal(rc) && (reason == ENOSPC || reason == EDQUOT);
}

/// A statement that fits the schema fails when the file was emptied since, and so does the first
/// read of a connection that had read nothing before.
bool is_emptied(sqlite3* db, int rc) {
  if (rc == SQLITE_IOERR_SHORT_READ) return true;
  const char* path = db == nullptr ? nullptr : sqlite3_db_filename(db, "main");
  struct stat file{};
  const int primary = rc & 0xff;
  return (primary == SQLITE_ERROR || primary == SQLITE_NOTADB) && path != nullptr &&
         *path != '\0' && ::stat(path, &file) == 0 && file.st_size == 0;
}

}  // namespace

bool is_fatal(int rc) {
  switch (rc) {
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC: return true;
    default: break;
  }
  const int primary = rc & 0xff;
  return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
}

Error replaced(std::string message) {
  return Error::make(Code::STORE_REPLACED, std::move(message),
                     "stop every server of this store, put the right files in place "
                     "(docs/stores.md), and start again");
}

Error error_of(sqlite3* db, int rc, std::string_view doing) {
  const char* detail = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
  const std::string message = cat(doing, ": ", detail, " (", rc, ")");
  if (is_out_of_room(db, rc)) {
    return Error::make(Code::STORE_FULL, message, "free some space and try again")
        .with_retry_after(limits::store_busy_ms_max);
  }
  if (is_emptied(db, rc)) {
    return replaced("a file of the store was cut short while this process had it open");
  }
  switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error::make(Code::STORE_BUSY, message, "try again in a moment")
          .with_retry_after(limits::store_busy_ms_max);
    case SQLITE_READONLY:
      return Error::make(Code::STORE_READ_ONLY, message, "make the file and its folder writable");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Error::make(Code::STORE_CORRUPT, message,
                         "stopped writing; run `baton verify` and restore a backup");
    case SQLITE_CONSTRAINT:
    case SQLITE_MISUSE:
    case SQLITE_ERROR: return Error::make(Code::INTERNAL, message);
    default: break;
  }
  return Error::make(Code::STORE_FAILED, message,
                     is_fatal(rc) ? "stopped writing; check the disk, then start again"
                                  : "check the disk and the file's folder");
}

bool is_of_store(const Error& error) {
  switch (error.code) {
    case Code::STORE_BUSY:
    case Code::STORE_CORRUPT:
    case Code::STORE_FAILED:
    case Code::STORE_FULL:
    case Code::STORE_NEWER:
    case Code::STORE_READ_ONLY:
    case Code::STORE_REPLACED:
    case Code::STORE_ROLLED_BACK: return true;
    default: return false;
  }
}

void Health::note(int rc, const Error& error) {
  if (is_fatal(rc)) stop(error);
}

void Health::stop(const Error& error) {
  const MutexLock lock(mutex_);
  if (!why_) why_ = error;
  is_stopped_ = true;
}

std::optional<Error> Health::stopped() const {
  if (!is_stopped_) return std::nullopt;
  const MutexLock lock(mutex_);
  return why_;
}

}  // namespace baton::adapters::sqlite
