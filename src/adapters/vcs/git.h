#pragma once
// The plan as the description of the current git branch, kept in the repository's config file: no
// commit is made or rewritten. Any thread.
//
// Writing takes git's own lock on the config file, for a moment, and compares its bytes under it,
// so that neither another Baton nor git itself is overwritten.

#include "adapters/vcs/git_command.h"
#include "ports/version_control.h"

namespace baton::adapters {

class GitPlan final : public ports::VersionControl {
 public:
  /// In any folder of the repository.
  GitPlan(Git::Place place, Environment environment)
      : place_(std::move(place)), environment_(std::move(environment)) {}

  Result<ports::Description> read() override;
  Result<ports::Replaced> replace(const ports::Description& expected,
                                  std::string_view text) override;
  Result<ports::ChangedFiles> changed_files() override;

 private:
  struct Repository {
    std::filesystem::path config;
    std::string branch;
  };

  Result<Git> open() const { return Git::open(place_, environment_); }
  Result<Repository> repository(const Git& git) const;
  /// `file` is the settings of the repository, or a copy of them.
  static Result<ports::Description> read_from(const Git& git, const std::filesystem::path& file,
                                              const Repository& repository);
  static Result<void> write_to(const Git& git, const std::filesystem::path& config,
                               const std::string& branch, std::string_view text);

  const Git::Place place_;
  const Environment environment_;
};

}  // namespace baton::adapters
