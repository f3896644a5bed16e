#include "adapters/trust/project.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "adapters/files/beneath.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path inner = path.lexically_relative(folder);
  return !inner.empty() && *inner.begin() != "..";
}

std::vector<std::string> folders_of(std::string_view search_path, const fs::path& project) {
  std::vector<std::string> out;
  while (!search_path.empty()) {
    const std::size_t end = std::min(search_path.find(':'), search_path.size());
    const fs::path folder(search_path.substr(0, end));
    search_path.remove_prefix(std::min(end + 1, search_path.size()));
    std::error_code ignored;
    if (folder.is_absolute() && is_within(fs::weakly_canonical(folder, ignored), project)) {
      out.push_back(folder.string());
    }
  }
  return out;
}

/// The files that the words of commands name.
class Search {
 public:
  Search(fs::path project, std::vector<std::string> search_path)
      : project_(std::move(project)), search_path_(std::move(search_path)) {}

  Result<void> look(const ports::NamedFiles& command) {
    std::error_code ignored;
    const fs::path own = fs::weakly_canonical(project_ / command.directory, ignored);
    std::vector<fs::path> folders = {own};
    for (const std::string& word : command.words) {
      const fs::path folder = (own / word).lexically_normal();
      if (!fs::is_directory(folder, ignored)) continue;
      if (folders.size() == folders_max) {
        return fail(Code::LIMIT_EXCEEDED,
                    cat("a command names more than ", folders_max, " folders"));
      }
      folders.push_back(folder);
    }
    folders.insert(folders.end(), search_path_.begin(), search_path_.end());
    for (const std::string& word : command.words) {
      for (const fs::path& folder : folders) {
        TRY(note(folder, word));
        if (word.starts_with('/')) break;
      }
    }
    return {};
  }

  std::vector<ports::TrustedFile> take() {
    std::vector<ports::TrustedFile> out;
    for (auto& [path, digest] : found_) out.push_back({path, digest});
    return out;
  }

 private:
  static constexpr std::size_t folders_max = limits::trusted_files_max;

  std::unexpected<Error> refuse(const fs::path& path, std::string_view why) const {
    return fail(Code::ENVIRONMENT, cat(path.string(), ", which a command names, ", why));
  }

  Result<void> note(const fs::path& folder, const std::string& word) {
    const fs::path path = (folder / word).lexically_normal();
    const bool is_inside = is_within(path, project_);
    if (word.starts_with('/') && !is_inside) {
      std::error_code ignored;
      if (!is_within(fs::weakly_canonical(path, ignored), project_)) return {};
    }
    const std::string name = is_inside ? path.lexically_relative(project_).string() : path.string();
    if (found_.contains(name)) return {};
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.is_open()) {
      const bool is_missing =
          errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG || errno == EINVAL;
      if (is_missing) return {};
      return refuse(path, cat("cannot be read: ", std::strerror(errno)));
    }
    struct stat info{};
    if (::fstat(file.number(), &info) != 0) return refuse(path, "cannot be read");
    if (S_ISDIR(info.st_mode)) return {};
    if (!S_ISREG(info.st_mode)) return refuse(path, "is not a regular file");
    const auto text = content_of(file, limits::trusted_file_bytes_max);
    if (!text) {
      return fail(Code::LIMIT_EXCEEDED,
                  cat(path.string(), ", which a command names, is larger than ",
                      limits::trusted_file_bytes_max, " bytes or cannot be read"));
    }
    if (found_.size() == limits::trusted_files_max) {
      return fail(Code::LIMIT_EXCEEDED,
                  cat("its commands name more than ", limits::trusted_files_max, " files"));
    }
    found_.emplace(name, sha256(*text));
    return {};
  }

  const fs::path project_;
  const std::vector<std::string> search_path_;
  std::map<std::string, Sha256> found_;
};

}  // namespace

Result<ports::Project> project_at(const std::string& folder) {
  std::error_code problem;
  const fs::path path = fs::canonical(folder.empty() ? "." : folder, problem);
  struct statx info{};
  if (problem || ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW,
                         STATX_TYPE | STATX_INO | STATX_BTIME, &info) != 0) {
    return fail(Code::ENVIRONMENT, cat("there is no folder ", folder));
  }
  if (!S_ISDIR(info.stx_mode)) return fail(Code::ENVIRONMENT, cat(folder, " is not a folder"));
  ports::Project out;
  out.path = path.string();
  out.device = (std::uint64_t{info.stx_dev_major} << 32) | info.stx_dev_minor;
  out.inode = info.stx_ino;
  if ((info.stx_mask & STATX_BTIME) != 0) {
    out.made_ns = info.stx_btime.tv_sec * 1'000'000'000 + info.stx_btime.tv_nsec;
  }
  return out;
}

Result<std::vector<ports::TrustedFile>> files_named(const ports::Project& project,
                                                    std::span<const ports::NamedFiles> commands,
                                                    const std::string& search_path) {
  Search search(project.path, folders_of(search_path, project.path));
  for (const ports::NamedFiles& each : commands) TRY(search.look(each));
  return search.take();
}

}  // namespace baton::adapters
