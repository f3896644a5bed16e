#include "adapters/files/private_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

constexpr mode_t private_mode = 0600;

std::unexpected<Error> refused(std::string_view doing, const std::string& path) {
  const int number = errno;
  const Code code = number == ENOSPC || number == EDQUOT ? Code::STORE_FULL : Code::ENVIRONMENT;
  return fail(code, cat("cannot ", doing, ' ', path, ": ", std::generic_category().message(number)),
              "check the folder's permissions and its disk");
}

/// A call repeated while a signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

Result<void> write_whole(const Descriptor& file, const std::string& path,
                         std::string_view content) {
  if (::fchmod(file.number(), private_mode) != 0) return refused("protect", path);
  while (!content.empty()) {
    const ssize_t put =
        uninterrupted([&] { return ::write(file.number(), content.data(), content.size()); });
    if (put < 0) return refused("write", path);
    content.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(file.number()) != 0) return refused("sync", path);
  return {};
}

}  // namespace

uid_t owner_of(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 ? found.st_uid : ::geteuid();
}

Result<void> check_private(const struct stat& found, const std::string& path, uid_t store_owner) {
  constexpr std::string_view hint = "move it away; Baton makes its own";
  if (!S_ISREG(found.st_mode)) {
    return fail(Code::ENVIRONMENT, cat(path, " is not a regular file"), std::string(hint));
  }
  if (found.st_uid != ::geteuid() && (::geteuid() != 0 || found.st_uid != store_owner)) {
    return fail(Code::ENVIRONMENT, cat(path, " belongs to another user"), std::string(hint));
  }
  if (found.st_nlink != 1) {
    return fail(Code::ENVIRONMENT, cat(path, " has a second name (a hard link)"),
                std::string(hint));
  }
  return {};
}

Result<void> check_store_file(const std::string& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) return {};
  if (S_ISLNK(found.st_mode)) {
    return fail(Code::ENVIRONMENT, cat(path, " is a symbolic link"),
                "name the file that it leads to with --db, or move the link away");
  }
  if (!S_ISREG(found.st_mode)) {
    return fail(Code::ENVIRONMENT, cat(path, " is not a regular file"),
                "name another file with --db");
  }
  if (found.st_uid != ::geteuid()) {
    return fail(Code::ENVIRONMENT, cat(path, " belongs to another user"),
                "run Baton as that user, or name a file of your own with --db");
  }
  return {};
}

void make_store_file(const std::string& path) {
  // Without a descriptor, because closing one would take away the locks of other connections.
  static_cast<void>(::mknod(path.c_str(), S_IFREG | private_mode, 0));
}

Result<Descriptor> open_private(const std::string& path, int flags, uid_t store_owner) {
  // Without O_NONBLOCK a pipe in the file's place would block the caller.
  Descriptor file(uninterrupted([&] {
    return ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
  }));
  if (!file.is_open()) {
    if (errno == ENOENT) return fail(Code::NOT_FOUND, cat(path, " is missing"));
    if (errno == ELOOP) {
      return fail(Code::ENVIRONMENT, cat(path, " is a symbolic link"),
                  "move it away; Baton makes its own");
    }
    return refused("open", path);
  }
  struct stat found{};
  if (::fstat(file.number(), &found) != 0) return refused("examine", path);
  TRY(check_private(found, path, store_owner));
  return file;
}

std::expected<bool, int> name_if_free(const std::string& temporary, const std::string& path) {
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
    return true;
  }
  int problem = errno;
  // A few file systems cannot rename so. There a second name is the only other way that replaces
  // nothing.
  if (problem == EINVAL || problem == ENOSYS) {
    problem = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  }
  ::unlink(temporary.c_str());
  if (problem == 0) return true;
  if (problem == EEXIST) return false;
  return std::unexpected(problem);
}

Result<bool> make_private(const std::string& path, std::string_view content) {
  std::string temporary = path + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.is_open()) return refused("make", path);
  if (const auto written = write_whole(file, temporary, content); !written) {
    ::unlink(temporary.c_str());
    return std::unexpected(written.error());
  }
  const auto is_ours = name_if_free(temporary, path);
  if (!is_ours) {
    errno = is_ours.error();
    return refused("make", path);
  }
  TRY(sync_folder_of(path));
  return *is_ours;
}

Result<std::string> read_private(const Descriptor& file, const std::string& path,
                                 std::size_t bytes_max) {
  std::string out(bytes_max + 1, '\0');
  std::size_t size = 0;
  while (size < out.size()) {
    const ssize_t got = uninterrupted([&] {
      return ::pread(file.number(), out.data() + size, out.size() - size, static_cast<off_t>(size));
    });
    if (got < 0) return refused("read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > bytes_max) {
    return fail(Code::LIMIT_EXCEEDED, cat(path, " has more than ", bytes_max, " bytes"));
  }
  out.resize(size);
  return out;
}

Result<void> sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : path.substr(0, slash);
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || ::fsync(opened.number()) != 0) return refused("sync", folder);
  return {};
}

}  // namespace baton::adapters
