#include "adapters/store/sqlite/store_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "adapters/files/private_file.h"
#include "adapters/store/sqlite/rows.h"
#include "adapters/store/sqlite/schema.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "adapters/store/sqlite/write/append.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using sqlite::Access;
using sqlite::AnchorKey;
using sqlite::Anchors;
using sqlite::Connection;
using sqlite::Health;

// Copied as they are. Without the last there is a new secret for HTTP clients.
constexpr const char* copied_ends[] = {".keys", ".anchor-key", ".http-token"};
// All files beside a store. What is not copied can be derived from the rest.
constexpr const char* every_end[] = {
    ".keys", ".anchor-key", ".http-token", ".heads",      "-wal", "-shm",     "-journal",
    "-bell", ".search",     ".search-wal", ".search-shm", ".aux", ".aux-wal", ".aux-shm"};

// What says that there is, or was, a store.
constexpr std::string_view mark_ends[] = {".heads", ".anchor-key"};

constexpr int step_pages = 4'096;  // between two reports of progress

// SQLite's file format: every connection to a WAL database holds a read lock on these bytes.
constexpr off_t shared_lock_at = 0x40000002;
constexpr off_t shared_lock_bytes = 510;

std::unexpected<Error> refused(std::string_view doing, const std::string& path) {
  return fail(Code::ENVIRONMENT, cat("cannot ", doing, ' ', path, ": ", std::strerror(errno)),
              "look at the folder's rights and its disk");
}

bool exists(const std::string& path) {
  struct stat found{};
  return ::lstat(path.c_str(), &found) == 0;
}

Result<void> check_free(const std::string& file) {
  std::vector<std::string> taken;
  if (exists(file)) taken.push_back(file);
  for (const char* end : every_end) {
    if (exists(file + end)) taken.push_back(file + end);
  }
  if (taken.empty()) return {};
  return fail(Code::INVALID_INPUT, cat(taken.front(), " exists already"),
              "name a file that does not exist; a copy never replaces anything");
}

void remove_set(const std::string& file) {
  ::unlink(file.c_str());
  for (const char* end : every_end) ::unlink((file + end).c_str());
}

Result<void> copy_small(const std::string& from, const std::string& to) {
  auto opened = open_private(from, O_RDONLY, owner_of(from));
  if (!opened && opened.error().code == Code::NOT_FOUND) return {};
  const Descriptor file = TRY(std::move(opened));
  const std::string content = TRY(read_private(file, from, limits::key_ring_bytes_max));
  TRY(make_private(to, content));
  return {};
}

Result<void> sync_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() || ::fsync(file.number()) != 0) return refused("sync", path);
  return {};
}

/// The pages of the database as they are at one moment.
Result<std::int64_t> copy_pages(const std::string& from, const std::string& to,
                                const ports::CopyProgress& progress) {
  Health health;
  const auto source =
      TRY(Connection::open({from, "", limits::store_busy_ms_max}, Access::read, health));
  // Reads one moment of the store, despite later writes.
  TRY(source->run("BEGIN"));
  const std::int64_t commits = TRY(sqlite::last_commit_no(*source)).value;
  const Descriptor made(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!made.is_open()) return refused("make", to);
  const auto target =
      TRY(Connection::open({to, "", limits::store_busy_ms_max}, Access::write, health));
  sqlite3_backup* copy = sqlite3_backup_init(target->handle(), "main", source->handle(), "main");
  if (copy == nullptr)
    return std::unexpected(target->error(sqlite3_errcode(target->handle()), "copying"));
  int rc = SQLITE_OK;
  while (rc == SQLITE_OK) {
    rc = sqlite3_backup_step(copy, step_pages);
    const int total = sqlite3_backup_pagecount(copy);
    if (progress) progress(total - sqlite3_backup_remaining(copy), total);
  }
  const int ended = sqlite3_backup_finish(copy);
  if (rc != SQLITE_DONE) return std::unexpected(target->error(rc, "copying the store"));
  if (ended != SQLITE_OK) return std::unexpected(target->error(ended, "copying the store"));
  return commits;
}

/// What is known beside a store of what it must have. None for a store from before anchors.
struct Vouched {
  std::unique_ptr<Connection> connection;
  std::unique_ptr<Anchors> anchors;
  Anchors::Heads heads;
};

/// Read before the pages are: the heads are never ahead of what is read after them.
/// STORE_ROLLED_BACK when the store lacks something already.
Result<Vouched> vouched_at(const std::string& from, Health& health) {
  Vouched out;
  out.connection =
      TRY(Connection::open({from, "", limits::store_busy_ms_max}, Access::read, health));
  if (TRY(out.connection->number("PRAGMA user_version")) < sqlite::anchored_version) return out;
  out.anchors = TRY(Anchors::open(*out.connection, from));
  if (const auto& refusal = out.anchors->refusal()) return std::unexpected(*refusal);
  out.heads = TRY(out.anchors->read_heads());
  return out;
}

/// Whether SQLite finds the pages of a file sound.
Result<bool> has_sound_pages(Connection& connection) {
  return TRY(connection.number("SELECT count(*) FROM pragma_quick_check "
                               "WHERE quick_check <> 'ok'")) == 0;
}

/// A set at `to` from the set at `from`, durable but for its heads, which are made for it: from
/// what `to` has, so what the heads of `from` know more of would be forgotten. Then there is no
/// copy.
Result<ports::StoreCopy> copy_set(const std::string& from, const std::string& to,
                                  const ports::CopyProgress& progress) {
  ports::StoreCopy out;
  Health health;
  const Vouched vouched = TRY(vouched_at(from, health));
  out.commits = TRY(copy_pages(from, to, progress));
  TRY(sync_file(to));
  for (const char* end : copied_ends) TRY(copy_small(from + end, to + end));
  if (exists(to + ".anchor-key")) {
    const auto connection =
        TRY(Connection::open({to, "", limits::store_busy_ms_max}, Access::write, health));
    if (vouched.anchors != nullptr) {
      TRY(vouched.anchors->check_records(*connection, vouched.heads));
    }
    TRY(Anchors::make_heads(*connection, to));
    out.is_sound = TRY(has_sound_pages(*connection));
  }
  out.files.push_back(to);
  for (const char* end : every_end) {
    if (exists(to + end)) out.files.push_back(to + end);
  }
  TRY(sync_folder_of(to));
  return out;
}

Result<void> rename_if_there(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT) return refused("move", from);
  return {};
}

bool is_mark(const char* end) {
  return std::ranges::find(mark_ends, std::string_view(end)) != std::end(mark_ends);
}

/// Moves a set away. Its marks are copied and stay: where they are, no new store is made, so that a
/// restore which is killed leaves no place that looks as if there never was a store.
Result<void> set_aside(const std::string& from, const std::string& to) {
  for (const std::string_view end : mark_ends) {
    const std::string mark = cat(from, end);
    if (!exists(mark)) continue;
    std::error_code failed;
    std::filesystem::copy_file(mark, cat(to, end), failed);
    if (failed) {
      return fail(Code::ENVIRONMENT, cat("cannot copy ", mark, ": ", failed.message()),
                  "look at the folder's rights and its disk");
    }
    TRY(sync_file(cat(to, end)));
  }
  for (const char* end : every_end) {
    if (!is_mark(end)) TRY(rename_if_there(from + end, to + end));
  }
  TRY(rename_if_there(from, to));
  return sync_folder_of(to);
}

/// Moves a set to where there is no store. The marks come last and replace those that stayed.
Result<void> put_in_place(const std::string& from, const std::string& to) {
  for (const char* end : every_end) {
    if (!is_mark(end)) TRY(rename_if_there(from + end, to + end));
  }
  TRY(rename_if_there(from, to));
  for (const std::string_view end : mark_ends) {
    if (!exists(cat(from, end))) ::unlink(cat(to, end).c_str());
    TRY(rename_if_there(cat(from, end), cat(to, end)));
  }
  return sync_folder_of(to);
}

Result<void> check_unused(const std::string& db) {
  const auto user = TRY(user_of_store(db));
  if (!user) return {};
  return fail(Code::STORE_BUSY, cat("process ", *user, " has ", db, " open"),
              "stop every server of this store first");
}

/// What a copy needs beside it; one from before anchors needs its keys alone.
Result<void> check_whole(const std::string& file) {
  const bool is_anchored = exists(file + ".anchor-key") || exists(file + ".heads");
  for (const char* end : {".keys", ".anchor-key", ".heads"}) {
    if (exists(file + end) || (!is_anchored && std::string_view(end) != ".keys")) continue;
    return fail(Code::INVALID_INPUT, cat(file, end, ", which belongs to the copy, is missing"),
                "put all files of the copy in one folder (docs/stores.md)");
  }
  return {};
}

std::int64_t wall_s() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

}  // namespace

Result<std::optional<std::int64_t>> user_of_store(const std::string& db) {
  const Descriptor file(::open(db.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) {
    if (errno == ENOENT) return std::nullopt;
    return refused("open", db);
  }
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = shared_lock_at;
  lock.l_len = shared_lock_bytes;
  if (::fcntl(file.number(), F_GETLK, &lock) != 0) return refused("look at the locks of", db);
  if (lock.l_type == F_UNLCK) return std::nullopt;
  return std::int64_t{lock.l_pid};
}

Result<ports::StoreCopy> StoreFiles::backup(const std::string& file,
                                            const ports::CopyProgress& progress) {
  TRY(check_free(file));
  auto made = copy_set(db_, file, progress);
  if (!made) remove_set(file);
  return made;
}

Result<ports::StoreRestored> StoreFiles::restore(const std::string& file,
                                                 const ports::CopyProgress& progress) {
  if (!exists(file)) return fail(Code::NOT_FOUND, cat("there is no ", file));
  TRY(check_whole(file));
  std::error_code none;
  if (std::filesystem::equivalent(file, db_, none)) {
    return fail(Code::INVALID_INPUT, cat(file, " is the store itself"), "name a copy of it");
  }
  TRY(check_unused(db_));
  // The copy is made beside the store first, so that what takes its place is whole.
  const std::string fresh = cat(db_, ".restoring");
  remove_set(fresh);
  ports::StoreRestored out;
  {
    auto made = copy_set(file, fresh, progress);
    if (!made) {
      remove_set(fresh);
      return std::unexpected(made.error());
    }
    out.commits = made->commits;
  }
  // Heads of the state that is left behind must not fit any epoch to come. A restore that was
  // killed may have left them alone.
  const std::int64_t epoch = Anchors::epoch_of(db_).value_or(0);
  if (exists(db_)) {
    out.before = cat(db_, ".before-", wall_s());
    for (int more = 2; !check_free(out.before); ++more) {
      out.before = cat(db_, ".before-", wall_s(), '-', more);
    }
    TRY(set_aside(db_, out.before));
  }
  TRY(put_in_place(fresh, db_));
  Health health;
  sqlite::Opened opened =
      TRY(sqlite::open_file({db_, "", limits::store_busy_ms_max}, sqlite::migrations(), health));
  const auto anchors = TRY(Anchors::open(*opened.connection, db_));
  out.epoch = TRY(anchors->begin_epoch(*opened.connection, "restored", epoch));
  return out;
}

Result<std::int64_t> StoreFiles::accept_loss() {
  if (!exists(db_)) return fail(Code::NOT_FOUND, cat("there is no store at ", db_));
  TRY(check_unused(db_));
  return TRY(SqliteStore::open(db_))->accept_loss();
}

}  // namespace baton::adapters
