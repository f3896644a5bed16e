#include "adapters/sqlite/file_watch.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "adapters/files/private_file.h"
#include "adapters/sqlite/anchor_key.h"
#include "adapters/sqlite/schema.h"
#include "base/text.h"

namespace baton::adapters::sqlite {
namespace {

// SQLite's file format: a WAL is a header and frames, each a header and a page.
constexpr std::int64_t wal_header_bytes = 32;
constexpr std::int64_t frame_header_bytes = 24;

std::unexpected<Error> replaced(const std::string& path, std::string_view how) {
  return fail(Code::STORE_REPLACED, cat(path, ' ', how, " while this process had it open"),
              "stop every server of this store, put the right files in place (docs/stores.md), and "
              "start again");
}

}  // namespace

FileWatch::FileWatch(const std::string& db)
    : files_{File{db}, File{db + "-wal"}, File{db + "-shm"}, File{anchor_key_path(db)}} {}

Result<struct stat> FileWatch::look(const File& file) const {
  struct stat found{};
  if (::stat(file.path.c_str(), &found) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return replaced(file.path, "was removed or moved");
    return replaced(file.path, cat("could not be seen (", std::strerror(errno), ")"));
  }
  if (file.inode != 0 && (found.st_ino != file.inode || found.st_dev != file.device)) {
    return replaced(file.path, "was replaced by another file");
  }
  return found;
}

Result<FileWatch> FileWatch::of(Connection& connection, const std::string& db) {
  FileWatch out(db);
  for (File& file : out.files_) {
    const struct stat found = TRY(out.look(file));
    file.device = found.st_dev;
    file.inode = found.st_ino;
    if (&file != &out.files_.front()) continue;
    out.bytes_seen_ = found.st_size;
    out.written_ = found.st_mtim;
  }
  out.page_bytes_ = TRY(connection.number("PRAGMA page_size"));
  TRY(out.check_same(connection));
  return out;
}

Result<void> FileWatch::check_same(Connection& connection) const {
  // SQLite compares the file it has open with the one at its path.
  int has_moved = 0;
  const int rc =
      sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (rc == SQLITE_OK && has_moved != 0) {
    return replaced(files_.front().path, "was replaced, removed or moved");
  }
  TRY(look(files_.front()));
  return {};
}

Result<void> FileWatch::check(std::int64_t wal_pages) {
  const struct stat store = TRY(look(files_[0]));
  if (store.st_size < bytes_seen_) return replaced(files_[0].path, "was cut short");
  bytes_seen_ = store.st_size;
  TRY(check_wal(wal_pages));
  TRY(look(files_[2]));
  TRY(look(files_[3]));
  return {};
}

Result<bool> FileWatch::is_touched() const {
  const struct stat store = TRY(look(files_[0]));
  return store.st_mtim.tv_sec != written_.tv_sec || store.st_mtim.tv_nsec != written_.tv_nsec;
}

void FileWatch::accept() {
  struct stat found{};
  if (::stat(files_[0].path.c_str(), &found) == 0) written_ = found.st_mtim;
}

Result<void> FileWatch::check_wal(std::int64_t wal_pages) const {
  const struct stat wal = TRY(look(files_[1]));
  // Another process may have begun the WAL anew, which cuts it to this size and no further.
  const std::int64_t bytes =
      std::min(wal_header_bytes + wal_pages * (frame_header_bytes + page_bytes_), wal_bytes_kept);
  if (wal_pages > 0 && wal.st_size < bytes) return replaced(files_[1].path, "was cut short");
  return {};
}

namespace {

Result<void> check_ends(const std::string& file, std::initializer_list<const char*> ends,
                        uid_t owner) {
  for (const char* end : ends) {
    const std::string path = file + end;
    struct stat found{};
    if (::lstat(path.c_str(), &found) == 0) TRY(check_private(found, path, owner));
  }
  return {};
}

}  // namespace

Result<void> check_companions(const std::string& db) {
  return check_ends(db,
                    {"-wal", "-shm", "-journal", "-bell", ".keys", ".anchor-key", ".heads",
                     ".search", ".search-wal", ".search-shm", ".search-journal", ".aux", ".aux-wal",
                     ".aux-shm", ".aux-journal"},
                    owner_of(db));
}

Result<void> check_planted(const std::string& file) {
  return check_ends(file, {"", "-wal", "-shm", "-journal"}, ::geteuid());
}

}  // namespace baton::adapters::sqlite
