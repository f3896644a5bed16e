#include "adapters/vcs/git.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "adapters/vcs/text_file.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string key_of(const std::string& branch) { return cat("branch.", branch, ".description"); }

// An argument of a command has at most 128 KiB.
constexpr std::size_t argument_bytes_max = 100'000;

Result<std::string> settings_in(const fs::path& config) {
  return TRY(read_file(config, limits::git_config_bytes_max)).value_or(FileText{}).text;
}

/// A value that no setting has yet.
Result<std::string> placeholder_for(const fs::path& config) {
  const std::string settings = TRY(settings_in(config));
  for (int i = 0;; ++i) {
    std::string value = cat("baton-plan-", i);
    if (!settings.contains(value)) return value;
  }
}

/// A value as git's settings hold it.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      default: out += c;
    }
  }
  return out += '"';
}

/// Puts a text where git put the placeholder: no argument of git can hold it.
Result<void> fill_placeholder(const fs::path& config, std::string_view placeholder,
                              std::string_view text) {
  FileText content = TRY(read_file(config, limits::git_config_bytes_max)).value_or(FileText{});
  const std::size_t at = content.text.find(placeholder);
  if (at == std::string::npos) {
    return fail(Code::COMMAND_FAILED, "git did not write the plan where it was told to");
  }
  content.text.replace(at, placeholder.size(), quoted(text));
  const fs::path made = TRY(write_beside(config, content));
  if (::rename(made.c_str(), config.c_str()) == 0) return {};
  ::unlink(made.c_str());
  return fail(Code::ENVIRONMENT, cat("cannot replace ", config.string()));
}

/// A file that is removed again, unless it was moved away.
struct Temporary {
  fs::path path;
  ~Temporary() { ::unlink(path.c_str()); }
};

/// Whether a lock is older than any git needs to change its settings.
bool is_left_behind(const fs::path& path) {
  constexpr std::chrono::milliseconds usual(limits::plan_lock_ms_max *
                                            limits::plan_write_tries_max);
  std::error_code failed;
  const auto made = fs::last_write_time(path, failed);
  return !failed && fs::file_time_type::clock::now() - made > usual;
}

/// git's lock on a file: the file's name and ".lock", which only one can create.
class GitLock {
 public:
  static Result<GitLock> take(const fs::path& config) {
    const fs::path path = config.string() + ".lock";
    for (std::int64_t waited = 0;; waited += limits::plan_lock_poll_ms) {
      const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (file.is_open()) return GitLock(path);
      if (errno != EEXIST) {
        return fail(Code::ENVIRONMENT,
                    cat("cannot lock ", config.string(), ": ", std::strerror(errno)));
      }
      if (waited >= limits::plan_lock_ms_max) break;
      wait_for_lock();
    }
    if (is_left_behind(path)) {
      return fail(Code::ENVIRONMENT,
                  cat(path.string(), " has been there for a while: a git that was killed left it"),
                  "remove that file if no git is running");
    }
    return std::unexpected(
        Error::make(Code::PLAN_BUSY, cat(path.string(), " exists: git is changing its settings"),
                    "if no git is running, a killed one left the file: remove it")
            .with_retry_after(limits::plan_lock_ms_max));
  }
  GitLock(GitLock&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  GitLock& operator=(GitLock&&) = delete;
  ~GitLock() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  /// Puts `content` in the place of the locked file, which ends the lock.
  Result<void> commit(const fs::path& content, const fs::path& config) {
    // Through the lock's own name, so that it is never free before the file is replaced.
    if (::rename(content.c_str(), path_.c_str()) != 0) {
      return fail(Code::ENVIRONMENT, cat("cannot replace ", path_.string()));
    }
    TRY(move_durably(path_, config));
    path_.clear();
    return {};
  }

 private:
  explicit GitLock(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

ports::ChangedFiles files_in(std::string_view status, bool cut) {
  ports::ChangedFiles out;
  out.more = cut;
  while (status.size() > 3) {
    const std::size_t end = status.find('\0');
    if (end == std::string_view::npos) break;  // cut in the middle
    const std::string_view entry = status.substr(0, end);
    status.remove_prefix(end + 1);
    if (out.files.size() == limits::plan_changed_files_max) {
      out.more = true;
      break;
    }
    const char letter = entry[1] == ' ' ? entry[0] : entry[1];
    out.files.push_back({letter, std::string(entry.substr(3))});
  }
  return out;
}

}  // namespace

Result<GitPlan::Repository> GitPlan::repository(const Git& git) const {
  const CommandResult folder = TRY(git.run({"rev-parse", "--git-common-dir"}));
  const VcsCommand head = git.command({"symbolic-ref", "--quiet", "HEAD"});
  const CommandResult branch = TRY(run_command(head));
  if (branch.exit == 1) {
    return fail(Code::COMMAND_FAILED,
                "HEAD is detached, so there is no branch whose description could hold the plan",
                "switch to a branch, for example with: git switch -c NAME");
  }
  if (branch.exit != 0) return nonzero_exit(head, branch);
  std::string name = first_line(branch.output);
  constexpr std::string_view heads = "refs/heads/";
  if (name.starts_with(heads)) name.erase(0, heads.size());
  std::error_code ignored;
  const fs::path config = place_.directory / first_line(folder.output) / "config";
  // git follows a link to the file, and locks what it points to.
  const fs::path real = fs::canonical(config, ignored);
  return Repository{real.empty() ? config : real, std::move(name)};
}

Result<ports::Description> GitPlan::read_from(const Git& git, const fs::path& file,
                                              const Repository& repository) {
  const std::string& branch = repository.branch;
  const VcsCommand get =
      git.command({"config", "--file", file.string(), "--null", "--get", key_of(branch)});
  CommandResult value = TRY(run_command(get));
  if (value.exit > 1) return nonzero_exit(get, value);
  if (value.output.ends_with('\0')) value.output.pop_back();
  const std::string_view shown = utf8::is_valid(branch) ? std::string_view(branch) : "(not UTF-8)";
  return ports::Description{.place = cat("the description of the git branch '", shown, '\''),
                            .owner = cat("git ", repository.config.string(), ' ', branch),
                            .text = value.exit == 0 ? std::move(value.output) : std::string()};
}

Result<void> GitPlan::write_to(const Git& git, const fs::path& config, const std::string& branch,
                               std::string_view text) {
  std::vector<std::string> words = {"config", "--file", config.string()};
  std::string placeholder;
  if (text.size() > argument_bytes_max) {
    placeholder = TRY(placeholder_for(config));
    words.insert(words.end(), {"--replace-all", key_of(branch), placeholder});
  } else if (text.empty()) {
    words.insert(words.end(), {"--unset-all", key_of(branch)});
  } else {
    words.insert(words.end(), {"--replace-all", key_of(branch), std::string(text)});
  }
  const VcsCommand set = git.command(std::move(words));
  const CommandResult done = TRY(run_command(set));
  constexpr int not_there = 5;
  if (done.exit != 0 && !(text.empty() && done.exit == not_there)) return nonzero_exit(set, done);
  if (text.size() <= argument_bytes_max) return {};
  TRY(fill_placeholder(config, placeholder, text));
  // Read by git, not by us.
  const VcsCommand get =
      git.command({"config", "--file", config.string(), "--null", "--get", key_of(branch)});
  const CommandResult value = TRY(run_command(get));
  if (value.exit == 0 && value.output == cat(text, '\0')) return {};
  return fail(Code::COMMAND_FAILED, "git does not read the plan as it was written");
}

Result<ports::Description> GitPlan::read() {
  const Git git = TRY(open());
  const Repository repository = TRY(this->repository(git));
  return read_from(git, repository.config, repository);
}

Result<ports::Replaced> GitPlan::replace(const ports::Description& expected,
                                         std::string_view text) {
  const Git git = TRY(open());
  for (int tries = 0; tries < limits::plan_write_tries_max; ++tries) {
    const Repository repository = TRY(this->repository(git));
    const fs::path& config = repository.config;
    const FileText before =
        TRY(read_file(config, limits::git_config_bytes_max)).value_or(FileText{});
    // The slow part works on a copy, so that the lock is held for a few system calls only.
    const Temporary copy{TRY(write_beside(config, before))};
    if (TRY(read_from(git, copy.path, repository)) != expected)
      return ports::Replaced::changed_meanwhile;
    TRY(write_to(git, copy.path, repository.branch, text));
    GitLock lock = TRY(GitLock::take(config));
    const FileText now = TRY(read_file(config, limits::git_config_bytes_max)).value_or(FileText{});
    if (now.text != before.text) continue;
    TRY(lock.commit(copy.path, config));
    return ports::Replaced::yes;
  }
  return std::unexpected(Error::make(Code::PLAN_BUSY, "git's settings keep changing")
                             .with_retry_after(limits::retry_after_ms));
}

Result<ports::ChangedFiles> GitPlan::changed_files() {
  const Git git = TRY(open());
  const CommandResult answer = TRY(git.run({"rev-parse", "--is-inside-work-tree"}));
  if (first_line(answer.output) != "true") return ports::ChangedFiles{};
  VcsCommand status = git.command({"status", "--porcelain=v1", "-z", "--no-renames",
                                   "--untracked-files=normal", "--ignore-submodules=dirty"});
  status.may_cut = true;
  const CommandResult listed = TRY(run_command(status));
  if (listed.exit != 0) return nonzero_exit(status, listed);
  return files_in(listed.output, listed.cut);
}

}  // namespace baton::adapters
