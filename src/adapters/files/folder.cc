#include "adapters/files/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "adapters/files/beneath.h"
#include "base/core/limits.h"
#include "base/text/printable.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

std::unexpected<Error> failed(std::string_view what, std::string_view path) {
  const int number = errno;
  // A folder's name need not be UTF-8, and what an agent is told must be.
  return fail(Code::ENVIRONMENT,
              cat("cannot ", what, ' ', printable_line(path), ": ", std::strerror(number)));
}

std::unexpected<Error> linked(std::string_view path) {
  return fail(Code::ENVIRONMENT,
              cat(path,
                  " is or goes through a symbolic link, and links of a project are not "
                  "followed"),
              "put the files themselves there, or name their folder with --workflows");
}

Descriptor open_folder(const std::string& path, const std::string& root) {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  if (root.empty()) return Descriptor(::open(path.c_str(), flags));
  const Descriptor around(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!around.is_open()) return {};
  ASSERT(path.starts_with(root));
  std::string_view inner = std::string_view(path).substr(root.size());
  while (inner.starts_with('/')) inner.remove_prefix(1);
  return open_beneath(around.number(), inner.empty() ? "." : inner, flags);
}

}  // namespace

Result<std::optional<Folder>> Folder::open(const std::string& path, bool must_exist,
                                           const std::string& root) {
  Descriptor opened = open_folder(path, root);
  if (opened.is_open()) return Folder(path, std::move(opened));
  if (!must_exist && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!root.empty() && (errno == ELOOP || errno == EXDEV)) return linked(path);
  return failed("open the workflow folder", path);
}

Result<void> Folder::list(const std::string& below, std::span<const std::string_view> endings,
                          std::size_t depth, std::vector<std::string>& out) const {
  const Descriptor folder =
      open_beneath(opened_.number(), below.empty() ? "." : below, O_RDONLY | O_DIRECTORY);
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
  const std::size_t slash = name.rfind('/');
  Descriptor inner;
  if (slash != std::string::npos) {
    inner = open_beneath(opened_.number(), name.substr(0, slash), O_PATH | O_DIRECTORY);
    if (!inner.is_open()) return std::nullopt;
  }
  const int folder = inner.is_open() ? inner.number() : opened_.number();
  const char* last = name.c_str() + (slash == std::string::npos ? 0 : slash + 1);
  struct stat status{};
  if (::fstatat(folder, last, &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  // Special files are listed too, and reading one reports what it is.
  return ports::FileStamp{
      status.st_ino, static_cast<std::uint64_t>(status.st_size),
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<std::optional<std::string>> Folder::text(const std::string& name) const {
  const Descriptor file = open_beneath(opened_.number(), name, O_RDONLY);
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
