#include "adapters/vcs/project_plan.h"

#include "adapters/process/run_process.h"
#include "adapters/vcs/git.h"
#include "adapters/vcs/git_command.h"
#include "adapters/vcs/jj.h"
#include "adapters/vcs/plan_file.h"
#include "adapters/vcs/text_file.h"
#include "base/core/limits.h"
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

class Turn final : public ports::PlanTurn {
 public:
  explicit Turn(FileLock lock) : lock_(std::move(lock)) {}

 private:
  const FileLock lock_;
};

}  // namespace

ProjectPlan::Place ProjectPlan::place() const {
  std::error_code ignored;
  for (fs::path folder = directory_;; folder = folder.parent_path()) {
    const bool has_work_tree = fs::exists(folder / ".git", ignored);
    if (fs::is_directory(folder / ".jj", ignored)) return {Kind::jj, folder, has_work_tree};
    if (has_work_tree || is_bare(folder)) return {Kind::git, folder, has_work_tree};
    if (folder == folder.root_path()) return {Kind::file, directory_};
  }
}

Result<std::unique_ptr<ports::VersionControl>> ProjectPlan::find() const {
  const Place at = place();
  switch (at.kind) {
    case Kind::jj:
      // Not git's description instead, even where git is there too: the two would differ.
      if (find_program("jj", vcs_environment(environment_, at.folder)).empty()) {
        return fail(
            Code::COMMAND_FAILED,
            cat(at.folder.string(), " is a Jujutsu repository, but 'jj' is not on the PATH"),
            "install jj, or put it on the PATH of the program that starts Baton");
      }
      return std::make_unique<JjPlan>(at.folder, environment_);
    case Kind::git:
      // git itself takes no folder for a repository only because of its files.
      return std::make_unique<GitPlan>(
          Git::Place{.directory = directory_, .git_dir = at.has_work_tree ? fs::path() : at.folder},
          environment_);
    case Kind::file: break;
  }
  return std::make_unique<PlanFile>(directory_);
}

Result<std::unique_ptr<ports::PlanTurn>> ProjectPlan::take_turn() {
  const Place at = place();
  fs::path lock = at.folder;
  if (at.kind == Kind::jj) lock /= ".jj";
  if (at.kind == Kind::git && at.has_work_tree) lock /= ".git";
  // As long as all tries of one change may take: who is last in a queue is not refused.
  constexpr std::int64_t ms_max = limits::plan_lock_ms_max * limits::plan_write_tries_max;
  return std::make_unique<Turn>(TRY(FileLock::take_existing(lock, ms_max)));
}

}  // namespace baton::adapters
