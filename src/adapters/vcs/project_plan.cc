#include "adapters/vcs/project_plan.h"

#include "adapters/process/run_process.h"
#include "adapters/vcs/git.h"
#include "adapters/vcs/jj.h"
#include "adapters/vcs/plan_file.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

/// A repository without a work tree is its own git folder.
bool is_bare(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "HEAD", ignored) &&
         fs::is_directory(folder / "objects", ignored) &&
         fs::is_directory(folder / "refs", ignored);
}

}  // namespace

Result<std::unique_ptr<ports::VersionControl>> ProjectPlan::find() const {
  std::error_code ignored;
  for (fs::path folder = directory_;; folder = folder.parent_path()) {
    const bool has_work_tree = fs::exists(folder / ".git", ignored);
    const bool has_git = has_work_tree || is_bare(folder);
    if (fs::is_directory(folder / ".jj", ignored)) {
      if (!find_program("jj", environment_).empty()) {
        return std::make_unique<JjPlan>(folder, environment_);
      }
      if (!has_git) {
        return fail(Code::COMMAND_FAILED,
                    cat(folder.string(), " is a Jujutsu repository, but 'jj' is not on the PATH"),
                    "install jj, or put it on the PATH of the program that starts Baton");
      }
    }
    if (has_git) {
      // git itself takes no folder for a repository only because of its files.
      return std::make_unique<GitPlan>(
          Git::Place{.directory = directory_, .git_dir = has_work_tree ? fs::path() : folder},
          environment_);
    }
    if (folder == folder.root_path()) return std::make_unique<PlanFile>(directory_);
  }
}

}  // namespace baton::adapters
