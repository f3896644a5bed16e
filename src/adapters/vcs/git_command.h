#pragma once
// Every git command of Baton, and the one environment that they run in. A repository is the text of
// strangers: its settings and attributes can name programs, and git starts them while it only
// looks. Here it starts none: no hook, filter, monitor, driver, pager, editor, helper or transport,
// no matter who named it. Any thread.

#include "adapters/vcs/command.h"

namespace baton::adapters {

/// Without what a caller of Baton or a hook told git by variables, with those that keep it from
/// starting programs, asking and translating, and without the folders of PATH that are in
/// `directory` or in its repository, whose files are no programs of Baton's. For jj too.
Environment vcs_environment(Environment environment, const std::filesystem::path& directory);

/// The folder or one above it has a repository by its looks. Starts no program.
bool is_in_repository(const std::filesystem::path& folder);

/// git in one folder. Settings that name programs can be anywhere, in files that others include,
/// and most are switched off by their full name only: so the names are read first.
class Git {
 public:
  struct Place {
    std::filesystem::path directory;
    std::filesystem::path git_dir = {};  // of a repository without a work tree; else git looks
  };

  /// Reads the names of all settings there. An error when that fails, or when they name more than
  /// limits::git_blanked_settings_max programs: then no other git command may be run there.
  static Result<Git> open(Place place, const Environment& environment,
                          std::int64_t ms_max = limits::command_ms_max);

  /// `words` without the program.
  VcsCommand command(std::vector<std::string> words) const;

  /// COMMAND_NONZERO_EXIT unless it ends well.
  Result<CommandResult> run(std::vector<std::string> words) const;

 private:
  Git(std::filesystem::path directory, Environment environment)
      : directory_(std::move(directory)), environment_(std::move(environment)) {}

  std::filesystem::path directory_;
  Environment environment_;
};

}  // namespace baton::adapters
