#include "adapters/store/sqlite/heads/file_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <initializer_list>

#include "adapters/files/private_file.h"
#include "adapters/store/sqlite/heads/anchor_key.h"
#include "adapters/store/sqlite/heads/heads_file.h"
#include "adapters/store/sqlite/schema.h"
#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

// SQLite's file format: a WAL is a header and frames, each a header and a page.
constexpr std::int64_t wal_header_bytes = 32;

std::unexpected<Error> replaced(const std::string& path, std::string_view how) {
  return std::unexpected(sqlite::replaced(cat(path, ' ', how, " while this process had it open")));
}

constexpr std::int64_t ns_per_s = 1'000'000'000;

/// Whether a folder was left alone for longer than the steps that its file system counts time in:
/// then another time than this one tells that it was written again. Some count whole seconds.
bool is_settled(std::int64_t changed_ns, std::int64_t now_ns) {
  const std::int64_t step_ns = changed_ns % ns_per_s == 0 ? 2 * ns_per_s : ns_per_s / 10;
  return now_ns - changed_ns > step_ns;
}

Result<Descriptor> handle_of(const std::string& path, int flags) {
  Descriptor out(::open(path.c_str(), O_PATH | O_CLOEXEC | flags));
  if (!out.is_open()) return replaced(path, cat("could not be seen (", std::strerror(errno), ")"));
  return out;
}

}  // namespace

FileWatch::FileWatch(const std::string& db)
    : files_{File{db}, File{db + "-wal"}, File{db + "-shm"}, File{anchor_key_path(db)},
             File{HeadsFile::path_of(db)}} {}

/// Asks for the time of a file only where it is needed: Linux gives a file whose time was asked for
/// a new one at its next write, and the sync of that write then writes the inode too.
std::optional<FileWatch::Look> FileWatch::look_at(int handle, const char* path, Ask ask) {
  struct statx found{};
  const unsigned mask = STATX_INO | STATX_SIZE | (ask == Ask::time ? STATX_CTIME : 0);
  if (::statx(handle, path, *path == '\0' ? AT_EMPTY_PATH : 0, mask, &found) != 0) {
    return std::nullopt;
  }
  const std::uint64_t device = std::uint64_t{found.stx_dev_major} << 32 | found.stx_dev_minor;
  return Look{{device, found.stx_ino},
              static_cast<std::int64_t>(found.stx_size),
              found.stx_ctime.tv_sec * ns_per_s + found.stx_ctime.tv_nsec};
}

Result<FileWatch::Look> FileWatch::look(const File& file) const {
  const auto found = look_at(AT_FDCWD, file.path.c_str(), Ask::size);
  if (!found) {
    if (errno == ENOENT || errno == ENOTDIR) return replaced(file.path, "was removed or moved");
    return replaced(file.path, cat("could not be seen (", std::strerror(errno), ")"));
  }
  if (found->identity != file.identity) return replaced(file.path, "was replaced by another file");
  return *found;
}

Result<FileWatch::Look> FileWatch::look_at_handle(const File& file, Ask ask) const {
  const auto found = look_at(file.handle.number(), "", ask);
  if (!found) return replaced(file.path, cat("could not be seen (", std::strerror(errno), ")"));
  return *found;
}

Result<FileWatch> FileWatch::of(Connection& connection, const std::string& db) {
  FileWatch out(db);
  const std::string folder = std::filesystem::path(db).parent_path();
  out.folder_.path = folder.empty() ? "." : folder;
  const auto around = look_at(AT_FDCWD, out.folder_.path.c_str(), Ask::size);
  if (!around) return replaced(out.folder_.path, "could not be seen");
  out.folder_.identity = around->identity;
  for (File& file : out.files_) {
    file.handle = TRY(handle_of(file.path, 0));
    file.identity = TRY(out.look_at_handle(file)).identity;
  }
  const Look store = TRY(out.look_at_handle(out.files_.front(), Ask::time));
  out.bytes_seen_ = store.bytes;
  out.changed_ns_ = store.changed_ns;
  out.key_bytes_ = TRY(out.look_at_handle(out.files_[3])).bytes;
  out.heads_bytes_seen_ = TRY(out.look_at_handle(out.files_[4])).bytes;
  out.wal_ = Descriptor(::open(out.files_[1].path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!out.wal_.is_open()) return replaced(out.files_[1].path, "could not be read");
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

/// Checks that each name leads to its file. While the folder's time is the one that was seen last,
/// its names are the same.
Result<void> FileWatch::check_names() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  // By its path: it may have been moved away and replaced by another one.
  const auto folder = look_at(AT_FDCWD, folder_.path.c_str(), Ask::time);
  if (!folder || folder->identity != folder_.identity) {
    return replaced(folder_.path, "was moved or replaced");
  }
  if (folder->changed_ns == folder_seen_ns_) return {};
  for (const File& file : files_) TRY(look(file));
  if (is_settled(folder->changed_ns, now.tv_sec * ns_per_s + now.tv_nsec)) {
    folder_seen_ns_ = folder->changed_ns;
  }
  return {};
}

Result<void> FileWatch::check(std::int64_t wal_pages) {
  const Look store = TRY(look(files_[0]));
  if (store.bytes < bytes_seen_) return replaced(files_[0].path, "was cut short");
  bytes_seen_ = store.bytes;
  TRY(check_names());
  if (TRY(look_at_handle(files_[3])).bytes != key_bytes_) {
    return replaced(files_[3].path, "was overwritten or cut short");
  }
  const Look heads = TRY(look_at_handle(files_[4]));
  if (heads.bytes < heads_bytes_seen_) return replaced(files_[4].path, "was cut short");
  heads_bytes_seen_ = heads.bytes;
  return check_wal(wal_pages);
}

Result<FileWatch::FrameHeader> FileWatch::read_frame(std::int64_t page) const {
  FrameHeader out{};
  const std::int64_t place =
      wal_header_bytes + (page - 1) * (static_cast<std::int64_t>(frame_header_bytes) + page_bytes_);
  const ssize_t got = ::pread(wal_.number(), out.data(), out.size(), place);
  if (got != static_cast<ssize_t>(out.size())) return replaced(files_[1].path, "was cut short");
  return out;
}

Result<void> FileWatch::note_frame(std::int64_t wal_pages) {
  frame_page_ = wal_pages;
  if (wal_pages > 0) frame_ = TRY(read_frame(wal_pages));
  return {};
}

Result<void> FileWatch::check_frame() const {
  if (frame_page_ == 0 || TRY(read_frame(frame_page_)) == frame_) return {};
  return replaced(files_[1].path, "was overwritten");
}

Result<bool> FileWatch::is_touched() const {
  if (TRY(look_at_handle(files_[0], Ask::time)).changed_ns == changed_ns_) return false;
  TRY(look(files_[0]));  // a file that was removed or moved is changed too
  return true;
}

void FileWatch::accept() {
  if (const auto found = look_at_handle(files_[0], Ask::time)) changed_ns_ = found->changed_ns;
}

Result<void> FileWatch::check_wal(std::int64_t wal_pages) const {
  const Look wal = TRY(look_at_handle(files_[1]));
  // Another process may have reset the WAL, which cuts it to this size and no further.
  const std::int64_t bytes = std::min(
      wal_header_bytes + wal_pages * (static_cast<std::int64_t>(frame_header_bytes) + page_bytes_),
      wal_bytes_kept);
  if (wal_pages > 0 && wal.bytes < bytes) return replaced(files_[1].path, "was cut short");
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
  TRY(check_store_file(db));
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
