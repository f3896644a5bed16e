#include "adapters/files/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/limits.h"
#include "base/text.h"

namespace baton::adapters {
namespace {

std::unexpected<Error> failed(std::string_view what, std::string_view path) {
  return fail(Code::ENVIRONMENT, cat("cannot ", what, ' ', path, ": ", std::strerror(errno)));
}

}  // namespace

Result<std::optional<Folder>> Folder::open(const std::string& path, bool must_exist) {
  Descriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) return Folder(path, std::move(opened));
  if (!must_exist && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  return failed("open the workflow folder", path);
}

Descriptor Folder::open_beneath(const std::string& name, std::uint64_t flags) const {
  open_how how{};
  how.flags = flags | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return Descriptor(
      static_cast<int>(::syscall(SYS_openat2, opened_.number(), name.c_str(), &how, sizeof how)));
}

Result<void> Folder::list(const std::string& below, std::span<const std::string_view> endings,
                          std::size_t depth, std::vector<std::string>& out) const {
  const Descriptor folder = open_beneath(below.empty() ? "." : below, O_RDONLY | O_DIRECTORY);
  if (!folder.is_open()) return failed("read the workflow folder", path_);
  const int own = ::fcntl(folder.number(), F_DUPFD_CLOEXEC, 0);
  if (own < 0) return failed("read the workflow folder", path_);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(own), &::closedir);
  if (listing == nullptr) {
    ::close(own);
    return failed("read the workflow folder", path_);
  }
  std::vector<std::string> inner;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name.starts_with('.')) continue;
    std::string path = below.empty() ? std::string(name) : cat(below, '/', name);
    if (entry->d_type == DT_DIR) {
      if (depth > 0) inner.push_back(std::move(path));
      continue;
    }
    const bool fits = std::ranges::any_of(
        endings, [&](std::string_view ending) { return name.ends_with(ending); });
    if (!fits) continue;
    out.push_back(std::move(path));
    if (out.size() > limits::workflow_files_max) {
      return fail(Code::LIMIT_EXCEEDED, cat("the workflow folder ", path_, " has more than ",
                                            limits::workflow_files_max, " files"));
    }
  }
  for (const std::string& path : inner) TRY(list(path, endings, depth - 1, out));
  return {};
}

Result<std::vector<std::string>> Folder::names(std::span<const std::string_view> endings,
                                               std::size_t depth) const {
  std::vector<std::string> out;
  TRY(list("", endings, depth, out));
  std::ranges::sort(out);
  return out;
}

std::optional<ports::FileStamp> Folder::stamp(const std::string& name) const {
  struct stat status{};
  const int flags = AT_SYMLINK_NOFOLLOW;
  if (::fstatat(opened_.number(), name.c_str(), &status, flags) != 0) return std::nullopt;
  // What is no regular file is listed too, and reading it says what it is.
  return ports::FileStamp{
      status.st_ino, static_cast<std::uint64_t>(status.st_size),
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<std::optional<std::string>> Folder::text(const std::string& name) const {
  const Descriptor file = open_beneath(name, O_RDONLY);
  if (!file.is_open()) {
    if (errno == ENOENT) return std::nullopt;
    return failed("open the workflow file", name);
  }
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) return failed("read the workflow file", name);
  if (!S_ISREG(status.st_mode)) {
    return fail(Code::ENVIRONMENT, cat("the workflow file ", name, " is not a regular file"));
  }
  const auto known = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
  std::string text(std::min(known, limits::workflow_bytes_max) + 1, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::read(file.number(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read the workflow file", name);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    // It grew while it was read.
    if (filled == text.size() && filled <= limits::workflow_bytes_max) {
      text.resize(limits::workflow_bytes_max + 1);
    }
  }
  text.resize(filled);
  return text;
}

}  // namespace baton::adapters
