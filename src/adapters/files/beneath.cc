#include "adapters/files/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace baton::adapters {
namespace {

/// The system takes nothing but its own flags with O_PATH, which waits for nothing anyway.
int quiet(int flags) {
  return flags | O_CLOEXEC | ((flags & O_PATH) != 0 ? 0 : O_NONBLOCK | O_NOCTTY);
}

/// The next name of the path. Empty at its end; a name before a '/' must be a folder.
std::string take_name(std::string_view& path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  std::string name(path.substr(0, end));
  path.remove_prefix(end);
  return name;
}

Descriptor open_one(int folder, const std::string& name, int flags) {
  Descriptor opened(::openat(folder, name.c_str(), quiet(flags) | O_NOFOLLOW));
  // Asked for a folder, the system reports that a link is not one.
  if (opened.is_open() || errno != ENOTDIR) return opened;
  struct stat info{};
  const bool is_link =
      ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
  errno = is_link ? ELOOP : ENOTDIR;
  return opened;
}

}  // namespace

Descriptor open_by_steps(int root, std::string_view path, int flags) {
  if (path.empty() || path.starts_with('/') || path.contains('\0')) {
    errno = path.empty() ? ENOENT : path.starts_with('/') ? EXDEV : EINVAL;
    return {};
  }
  Descriptor at(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  while (at.is_open()) {
    const std::string name = take_name(path);
    if (name == "..") {
      errno = EXDEV;
      return {};
    }
    const bool is_last = path.empty();
    if (is_last) return open_one(at.number(), name.empty() ? "." : name, flags);
    if (name != ".") at = open_one(at.number(), name, O_PATH | O_DIRECTORY);
  }
  return {};
}

Descriptor open_beneath(int root, std::string_view path, int flags) {
  if (path.contains('\0')) {
    errno = EINVAL;
    return {};
  }
  open_how how{};
  how.flags = static_cast<std::uint64_t>(quiet(flags));
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const std::string text(path);
  Descriptor opened(static_cast<int>(::syscall(SYS_openat2, root, text.c_str(), &how, sizeof how)));
  // Containers refuse calls that they do not know with EPERM.
  if (opened.is_open() || (errno != ENOSYS && errno != EPERM)) return opened;
  return open_by_steps(root, path, flags);
}

std::optional<std::string> content_of(const Descriptor& file, std::size_t bytes_max) {
  struct stat info{};
  if (::fstat(file.number(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::string text;
  char piece[16'384];
  while (true) {
    const ssize_t got = ::read(file.number(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
    if (text.size() > bytes_max) return std::nullopt;
  }
}

}  // namespace baton::adapters
