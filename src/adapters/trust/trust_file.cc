#include "adapters/trust/trust_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "adapters/files/descriptor.h"
#include "adapters/trust/project.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

constexpr mode_t private_mode = 0600;

std::unexpected<Error> refused(std::string_view what, std::string_view path) {
  const int number = errno;
  return fail(Code::ENVIRONMENT, cat("cannot ", what, " ", path, ": ", std::strerror(number)));
}

/// A file that other users can write is not trusted.
Result<void> check_owner(const Descriptor& file, const std::string& path) {
  struct stat info{};
  if (::fstat(file.number(), &info) != 0) return refused("examine", path);
  if (!S_ISREG(info.st_mode)) {
    return fail(Code::ENVIRONMENT, cat(path, " is not a regular file"));
  }
  if (info.st_uid != ::geteuid()) {
    return fail(Code::ENVIRONMENT, cat(path, " belongs to another user, so Baton ignores it"),
                "remove it, and trust again what you trust");
  }
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(Code::ENVIRONMENT, cat(path, " can be written by other users, so Baton ignores it"),
                cat("check its content, then run: chmod 600 ", path));
  }
  return {};
}

Result<std::string> read_all(const Descriptor& file, const std::string& path) {
  std::string text(limits::trust_file_bytes_max + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.number(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused("read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

/// Held by one process and thread at a time. The lock file stays, so that all lock the same one.
Result<Descriptor> locked(const std::string& path) {
  const std::string name = cat(path, ".lock");
  Descriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, private_mode));
  if (!file.is_open()) return refused("open", name);
  while (::flock(file.number(), LOCK_EX) != 0) {
    if (errno != EINTR) return refused("lock", name);
  }
  return file;
}

Result<void> make_folder(const std::string& path) {
  const std::filesystem::path whole(path);
  std::filesystem::path folder = whole.root_path();
  for (const std::filesystem::path& part : whole.parent_path().relative_path()) {
    folder /= part;
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
      return refused("make the folder", folder.string());
    }
  }
  return {};
}

Result<void> write_synced(const Descriptor& file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t put = ::write(file.number(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return refused("write", path);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(file.number()) != 0) return refused("sync", path);
  return {};
}

}  // namespace

Result<TrustList> TrustFile::read() const {
  const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!file.is_open()) {
    if (path_.empty() || errno == ENOENT || errno == ENOTDIR) return TrustList();
    return refused("open", path_);
  }
  TRY(check_owner(file, path_));
  auto list = TrustList::parse(TRY(read_all(file, path_)));
  if (list) return list;
  Error error = std::move(list).error();
  error.message = cat(path_, ": ", error.message);
  if (error.code == Code::STORE_CORRUPT) error.next = "remove it, and trust again what you trust";
  return std::unexpected(std::move(error));
}

Result<void> TrustFile::write(const TrustList& list) const {
  const std::string text = list.print();
  if (text.size() > limits::trust_file_bytes_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the list of trusted workflows would be larger than ",
                    limits::trust_file_bytes_max, " bytes"),
                "revoke those that are not used any more: baton trust --list");
  }
  // The lock makes the name ours; what is there was left by a change that was cut short.
  const std::string next = cat(path_, ".new");
  if (::unlink(next.c_str()) != 0 && errno != ENOENT) return refused("replace", next);
  const Descriptor file(
      ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, private_mode));
  if (!file.is_open()) return refused("make", next);
  TRY(write_synced(file, text, next));
  if (::rename(next.c_str(), path_.c_str()) != 0) return refused("replace", path_);
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || ::fsync(opened.number()) != 0) return refused("sync", folder);
  return {};
}

Result<ports::TrustVerdict> TrustFile::judge(const Sha256& workflow, const std::string& folder) {
  return judge(workflow, folder, {});
}

Result<ports::TrustVerdict> TrustFile::judge(const Sha256& workflow, const std::string& folder,
                                             const ports::NamedFiles& command) {
  const TrustList list = TRY(read());
  if (!list.has(workflow)) return ports::TrustVerdict{};
  const ports::Project project = TRY(project_at(folder));
  if (list.find(workflow, project) == nullptr) return judged(list, workflow, project, {});
  return judged(list, workflow, project,
                TRY(files_named(project, std::span(&command, 1), variables_)));
}

Result<ports::Binding> TrustFile::look(const std::string& folder,
                                       std::span<const ports::NamedFiles> commands) {
  ports::Binding out{TRY(project_at(folder)), {}};
  out.files = TRY(files_named(out.project, commands, variables_));
  return out;
}

Result<std::vector<ports::TrustedWorkflow>> TrustFile::list() { return TRY(read()).all(); }

Result<void> TrustFile::add(const ports::TrustedWorkflow& workflow) {
  if (path_.empty()) {
    return fail(Code::ENVIRONMENT, "there is no place to store what you trust: HOME is not set");
  }
  TRY(make_folder(path_));
  const Descriptor lock = TRY(locked(path_));
  TrustList list = TRY(read());
  if (!TRY(list.add(workflow))) return {};
  return write(list);
}

Result<bool> TrustFile::revoke(const Sha256& workflow) {
  // A revocation makes no files.
  if (!TRY(read()).has(workflow)) return false;
  const Descriptor lock = TRY(locked(path_));
  TrustList list = TRY(read());
  if (!list.remove(workflow)) return false;
  TRY(write(list));
  return true;
}

}  // namespace baton::adapters
