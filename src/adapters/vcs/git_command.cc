#include "adapters/vcs/git_command.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

using Setting = std::pair<std::string_view, std::string_view>;

// What they say of where to look is the caller's to say, and can only hide repositories.
constexpr std::string_view kept_variables[] = {"GIT_CEILING_DIRECTORIES", "GIT_CONFIG_NOSYSTEM"};

// Programs that git and jj take from any environment, and a language for their messages.
constexpr std::string_view dropped_variables[] = {"EDITOR",    "VISUAL",   "PAGER",   "SSH_ASKPASS",
                                                  "JJ_EDITOR", "JJ_PAGER", "LANGUAGE"};

constexpr Setting fixed_variables[] = {
    {"LC_ALL", "C.UTF-8"},
    {"GIT_ALLOW_PROTOCOL", ""},  // overrides every protocol.*.allow; empty, it allows nothing
    {"GIT_NO_LAZY_FETCH", "1"},
    {"GIT_PROTOCOL_FROM_USER", "0"},
    {"GIT_TERMINAL_PROMPT", "0"},
    {"GIT_ASKPASS", "false"},
    {"SSH_ASKPASS", "false"},
    {"GIT_SSH_COMMAND", "false"},
    {"GIT_PROXY_COMMAND", "false"},
    {"GIT_EDITOR", "false"},
    {"GIT_SEQUENCE_EDITOR", "false"},
    {"GIT_PAGER", "cat"},
    {"GIT_OPTIONAL_LOCKS", "0"},
    {"GIT_ATTR_NOSYSTEM", "1"},
    {"GIT_NO_REPLACE_OBJECTS", "1"},
    {"GIT_GRAFT_FILE", "/dev/null"},
    {"GIT_LITERAL_PATHSPECS", "1"},
};

// Of settings with one name, whether the repository has them or not.
constexpr Setting fixed_settings[] = {
    {"safe.bareRepository", "explicit"},  // not one that only looks like a repository
    {"core.fsmonitor", "false"},
    {"core.hooksPath", "/dev/null"},
    {"core.commitGraph", "false"},  // who writes it can say that a commit has other parents
    {"core.alternateRefsCommand", "false"},
    {"protocol.allow", "never"},
    {"credential.helper", ""},  // an empty one ends the list of those before it
    {"log.showSignature", "false"},
    {"commit.gpgSign", "false"},
    {"tag.gpgSign", "false"},
    {"submodule.recurse", "false"},
    {"fetch.recurseSubmodules", "false"},
    {"status.submoduleSummary", "false"},
    {"diff.ignoreSubmodules", "dirty"},
    {"gc.auto", "0"},
    {"maintenance.auto", "false"},
};

// The last part of every setting that holds a program or a command, in any section: of git
// itself, and of programs that git starts. "path" counts for a few tools only: include.path ends so
// too.
constexpr std::string_view program_names[] = {"askpass",
                                              "browser",
                                              "cccmd",
                                              "clean",
                                              "cmd",
                                              "command",
                                              "defaultkeycommand",
                                              "difffilter",
                                              "driver",
                                              "editor",
                                              "external",
                                              "gitproxy",
                                              "guitool",
                                              "headercmd",
                                              "helper",
                                              "httpd",
                                              "alternaterefscommand",
                                              "packobjectshook",
                                              "pager",
                                              "process",
                                              "program",
                                              "receivepack",
                                              "recentobjectshook",
                                              "sendmailcmd",
                                              "smtpserver",
                                              "smudge",
                                              "sshcommand",
                                              "templatedir",
                                              "textconv",
                                              "tocmd",
                                              "tool",
                                              "tunnel",
                                              "uploadpack",
                                              "vcs",
                                              "viewer",
                                              "virtualfilesystem",
                                              "hookspath"};
constexpr std::string_view tool_sections[] = {"browser", "difftool", "man", "mergetool"};
constexpr std::string_view whole_sections[] = {"alias", "pager"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

/// What a setting has to be so that no program is started because of it; nothing when it names
/// none. An empty filter is not run; an empty tool makes git fail where it would be needed. git
/// gives section and name in lower case, and the part between them as written.
std::optional<std::string_view> harmless(std::string_view key) {
  const std::string_view section = key.substr(0, key.find('.'));
  const std::string_view name = key.substr(key.rfind('.') + 1);
  if (section == "filter" && name == "required") return "false";
  if (section == "submodule" && name == "update") return "none";
  if (key == "core.hookspath") return "/dev/null";
  if (key == "core.fsmonitor" || key == "core.usebuiltinfsmonitor") return "false";
  if (is_one_of(whole_sections, section) || is_one_of(program_names, name)) return "";
  if (name == "path" && is_one_of(tool_sections, section)) return "";
  return std::nullopt;
}

/// Sets settings by variables, which count more than any file. git reads them after the files, so
/// that one value for each key is enough.
class Overrides {
 public:
  explicit Overrides(Environment environment) : environment_(std::move(environment)) {
    for (const auto& [key, value] : fixed_settings) set(ascii_lower(key), value);
  }
  /// REQUIRES: `key` as git lists it. A key that is set already keeps its value.
  void set(std::string_view key, std::string_view value) {
    const std::size_t index = keys_.size();
    if (!keys_.emplace(key).second) return;
    environment_[cat("GIT_CONFIG_KEY_", index)] = key;
    environment_[cat("GIT_CONFIG_VALUE_", index)] = value;
    environment_["GIT_CONFIG_COUNT"] = cat(keys_.size());
  }
  std::size_t added() const { return keys_.size() - std::size(fixed_settings); }
  const Environment& environment() const { return environment_; }

 private:
  Environment environment_;
  std::set<std::string, std::less<>> keys_;
};

bool is_within(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// The folder of the repository that a folder is in, else the folder itself.
fs::path root_around(const fs::path& folder) {
  std::error_code ignored;
  for (fs::path at = folder;; at = at.parent_path()) {
    for (const char* mark : {".git", ".jj"}) {
      if (fs::exists(fs::symlink_status(at / mark, ignored))) return at;
    }
    if (at == at.root_path() || at.empty()) return folder;
  }
}

/// The folders of PATH that are not in `project`, wherever links lead.
std::string path_outside(std::string_view path, const fs::path& project) {
  std::string out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string_view folder = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (!folder.starts_with('/')) continue;
    std::error_code unknown;
    const fs::path real = fs::weakly_canonical(folder, unknown);
    const bool is_inside = is_within(fs::path(folder).lexically_normal(), project) ||
                           is_within(unknown ? fs::path(folder) : real, project);
    if (!is_inside) out += cat(out.empty() ? "" : ":", folder);
  }
  return out;
}

}  // namespace

Environment vcs_environment(Environment environment, const fs::path& directory) {
  std::erase_if(environment, [](const auto& each) {
    const std::string& name = each.first;
    return is_one_of(dropped_variables, name) ||
           (name.starts_with("GIT_") && !is_one_of(kept_variables, name));
  });
  for (const auto& [name, value] : fixed_variables) environment[std::string(name)] = value;
  if (const auto path = environment.find("PATH"); path != environment.end()) {
    std::error_code unknown;
    const fs::path folder = fs::weakly_canonical(directory, unknown);
    path->second = path_outside(path->second, root_around(unknown ? directory : folder));
  }
  return environment;
}

bool is_in_repository(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return false;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(fs::symlink_status(at / ".git", ignored))) return true;
    if (at == at.root_path() || at.empty()) return false;
  }
}

Result<Git> Git::open(Place place, const Environment& environment, std::int64_t ms_max) {
  Overrides overrides(vcs_environment(environment, place.directory));
  Environment first = overrides.environment();
  if (!place.git_dir.empty()) first["GIT_DIR"] = place.git_dir.string();
  const VcsCommand list{.words = {"git", "config", "--list", "--includes", "--name-only", "--null"},
                        .directory = place.directory,
                        .environment = std::move(first),
                        .ms_max = ms_max};
  const CommandResult names = TRY(run_command(list));
  if (names.exit != 0) return nonzero_exit(list, names);
  for (std::string_view rest = names.output; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view key = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto value = harmless(key);
    if (!value) continue;
    overrides.set(key, *value);
    if (overrides.added() > limits::git_blanked_settings_max) {
      return fail(Code::COMMAND_FAILED,
                  cat("git's settings name more than ", limits::git_blanked_settings_max,
                      " programs; Baton does not run git there"),
                  "remove them from the repository's settings: git config --list --show-origin");
    }
  }
  Environment all = overrides.environment();
  if (!place.git_dir.empty()) all["GIT_DIR"] = place.git_dir.string();
  return Git(std::move(place.directory), std::move(all));
}

VcsCommand Git::command(std::vector<std::string> words) const {
  words.insert(words.begin(), {"git", "--no-pager"});
  return {.words = std::move(words), .directory = directory_, .environment = environment_};
}

Result<CommandResult> Git::run(std::vector<std::string> words) const {
  const VcsCommand asked = command(std::move(words));
  CommandResult done = TRY(run_command(asked));
  if (done.exit != 0) return nonzero_exit(asked, done);
  return done;
}

}  // namespace baton::adapters
