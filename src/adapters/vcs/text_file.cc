#include "adapters/vcs/text_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> refused(std::string_view what, const fs::path& path) {
  const int number = errno;
  return fail(Code::ENVIRONMENT,
              cat("cannot ", what, ' ', path.string(), ": ", std::strerror(number)));
}

Result<void> sync(const fs::path& path, int flags) {
  const Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  if (!file.is_open() || ::fsync(file.number()) != 0) return refused("sync", path);
  return {};
}

}  // namespace

Result<std::optional<FileText>> read_file(const fs::path& path, std::size_t bytes_max,
                                          Links links) {
  const int no_links = links == Links::refused ? O_NOFOLLOW : 0;
  const Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | no_links));
  if (!file.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return refused("read", path);
  }
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) return refused("read", path);
  if (!S_ISREG(status.st_mode)) {
    return fail(Code::ENVIRONMENT, cat(path.string(), " is not a regular file"));
  }
  FileText out{{}, status.st_mode & 07777};
  char piece[16'384];
  while (true) {
    const ssize_t got = ::read(file.number(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused("read", path);
    if (got == 0) return out;
    out.text.append(piece, static_cast<std::size_t>(got));
    if (out.text.size() > bytes_max) {
      return fail(Code::LIMIT_EXCEEDED,
                  cat(path.string(), " is longer than ", bytes_max, " bytes"));
    }
  }
}

Result<fs::path> write_beside(const fs::path& path, const FileText& content) {
  std::string name = cat(path.string(), ".baton-XXXXXX");
  const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) return refused("write beside", path);
  std::string_view rest = content.text;
  bool good = ::fchmod(file.number(), content.mode) == 0;
  while (good && !rest.empty()) {
    const ssize_t put = ::write(file.number(), rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    good = put > 0;
    if (good) rest.remove_prefix(static_cast<std::size_t>(put));
  }
  if (good) return fs::path(name);
  auto error = refused("write", name);
  ::unlink(name.c_str());
  return error;
}

Result<void> move_durably(const fs::path& from, const fs::path& to) {
  TRY(sync(from, O_RDONLY));
  if (::rename(from.c_str(), to.c_str()) != 0) return refused("replace", to);
  return sync(to.parent_path(), O_RDONLY | O_DIRECTORY);
}

void wait_for_lock() {
  std::this_thread::sleep_for(std::chrono::milliseconds(limits::plan_lock_poll_ms));
}

Result<FileLock> FileLock::take(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file.is_open()) return refused("open", path);
  return wait(std::move(file), path, limits::plan_lock_ms_max);
}

Result<FileLock> FileLock::take_existing(const fs::path& path, std::int64_t ms_max) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) return refused("open", path);
  return wait(std::move(file), path, ms_max);
}

Result<FileLock> FileLock::wait(Descriptor file, const fs::path& path, std::int64_t ms_max) {
  // Often it is free at once or very soon; only then does it pay to look less often.
  std::int64_t pause = 1;
  for (std::int64_t waited = 0; ::flock(file.number(), LOCK_EX | LOCK_NB) != 0; waited += pause) {
    if (errno != EWOULDBLOCK && errno != EINTR) return refused("lock", path);
    if (waited >= ms_max) {
      return std::unexpected(
          Error::make(Code::PLAN_BUSY, cat("other processes kept ", path.string(), " locked"))
              .with_retry_after(limits::retry_after_ms));
    }
    pause = std::min(2 * pause, limits::plan_lock_poll_ms);
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
  }
  return FileLock(std::move(file));
}

}  // namespace baton::adapters
