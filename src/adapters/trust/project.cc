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

std::vector<fs::path> entries_of(std::string_view search_path) {
  std::vector<fs::path> out;
  if (search_path.empty()) return out;
  for (;;) {
    const std::size_t end = std::min(search_path.find(':'), search_path.size());
    // An empty one is the folder that the command is in.
    out.emplace_back(end == 0 ? "." : search_path.substr(0, end));
    if (end == search_path.size()) return out;
    search_path.remove_prefix(end + 1);
  }
}

/// The files that the words of commands name. A path is opened as it is written, because `..` leads
/// to another folder behind a link than its text says, and has the name that the system gives it.
class Search {
 public:
  Search(fs::path project, const CommandVariables& variables)
      : project_(std::move(project)),
        home_(variables.home),
        search_path_(entries_of(variables.path)) {}

  Result<void> look(const ports::NamedFiles& command) {
    folders_.clear();
    std::error_code ignored;
    TRY(reach(fs::weakly_canonical(project_ / command.directory, ignored)));
    TRY(reach_folders(command.words));
    for (const std::string& word : command.words) {
      if (word.starts_with('/') || is_at_home(word)) {
        TRY(note(folders_.front(), word));
        continue;
      }
      for (const fs::path& folder : folders_) TRY(note(folder, word));
    }
    const std::vector<fs::path> searched = searched_folders();
    for (const auto* const words : {&command.words, &command.programs}) {
      for (const std::string& word : *words) {
        if (word.starts_with('/') || is_at_home(word)) continue;
        for (const fs::path& folder : searched) TRY(note(folder, word));
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
  static constexpr std::size_t folders_max = limits::trusted_files_max / 4;

  std::unexpected<Error> refuse(const fs::path& path, std::string_view why) const {
    return fail(Code::ENVIRONMENT, cat(path.string(), ", which a command names, ", why));
  }

  bool is_at_home(std::string_view word) const {
    return !home_.empty() && (word == "~" || word.starts_with("~/"));
  }

  fs::path path_of(const fs::path& folder, const std::string& word) const {
    return is_at_home(word) ? fs::path(cat(home_, word.substr(1))) : folder / word;
  }

  Result<void> reach(const fs::path& folder) {
    if (std::ranges::find(folders_, folder) != folders_.end()) return {};
    if (folders_.size() == folders_max) {
      return fail(Code::LIMIT_EXCEEDED,
                  cat("a command may change to more than ", folders_max, " folders"));
    }
    folders_.push_back(folder);
    return {};
  }

  /// Every folder that the command may change to by its words, one after the other and in any
  /// order. A shell takes `..` from the text of the path that it came by, other programs from the
  /// folder itself.
  Result<void> reach_folders(const std::vector<std::string>& words) {
    for (std::size_t at = 0; at < folders_.size(); ++at) {
      for (const std::string& word : words) {
        const fs::path from = folders_[at];
        const fs::path path = path_of(from, word);
        std::error_code problem;
        if (fs::is_directory(path, problem)) {
          const fs::path itself = fs::canonical(path, problem);
          if (!problem) TRY(reach(itself));
        }
        const fs::path by_text = without_slash(path.lexically_normal());
        if (fs::is_directory(by_text, problem)) TRY(reach(by_text));
      }
    }
    return {};
  }

  static fs::path without_slash(const fs::path& folder) {
    return folder.has_filename() || !folder.has_relative_path() ? folder : folder.parent_path();
  }

  /// Those of PATH that are in the project, for each folder that the command may be in.
  std::vector<fs::path> searched_folders() const {
    std::vector<fs::path> out;
    for (const fs::path& entry : search_path_) {
      for (const fs::path& from : folders_) {
        std::error_code ignored;
        fs::path folder = from / entry;
        const bool is_own = is_within(folder.lexically_normal(), project_) ||
                            is_within(fs::weakly_canonical(folder, ignored), project_);
        if (is_own) out.push_back(std::move(folder));
        if (entry.is_absolute()) break;
      }
    }
    return out;
  }

  /// What the system calls an open file.
  static fs::path name_of(const Descriptor& file, const fs::path& path) {
    std::error_code problem;
    const fs::path name = fs::read_symlink(cat("/proc/self/fd/", file.number()), problem);
    return problem ? fs::weakly_canonical(path, problem) : name;
  }

  Result<void> note(const fs::path& folder, const std::string& word) {
    const fs::path path = path_of(folder, word);
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.is_open()) {
      const bool is_missing =
          errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG || errno == EINVAL;
      if (is_missing || !counts(word, path, path)) return {};
      return refuse(path, cat("cannot be read: ", std::strerror(errno)));
    }
    const fs::path real = name_of(file, path);
    if (!counts(word, path, real)) return {};
    const std::string name =
        is_within(real, project_) ? real.lexically_relative(project_).string() : real.string();
    if (found_.contains(name)) return {};
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

  /// A file of the machine that is named by its whole path is not the project's.
  bool counts(const std::string& word, const fs::path& path, const fs::path& real) const {
    return !word.starts_with('/') || is_within(path.lexically_normal(), project_) ||
           is_within(real, project_);
  }

  const fs::path project_;
  const std::string home_;
  const std::vector<fs::path> search_path_;
  std::vector<fs::path> folders_;  // that the command may be in, its own first
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
                                                    const CommandVariables& variables) {
  Search search(project.path, variables);
  for (const ports::NamedFiles& each : commands) TRY(search.look(each));
  return search.take();
}

}  // namespace baton::adapters
