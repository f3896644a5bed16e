#pragma once
// The plan as the description of the current git branch, kept in the repository's config file: no
// commit is made or rewritten. Any thread.
//
// Writing takes git's own lock on the config file, for a moment, and compares its bytes under it,
// so that neither another Baton nor git itself is overwritten.

#include "adapters/vcs/command.h"
#include "ports/version_control.h"

namespace baton::adapters {

class GitPlan final : public ports::VersionControl {
 public:
  /// `directory` is any folder of the repository.
  GitPlan(std::filesystem::path directory, Environment environment);

  Result<ports::Description> read() override;
  Result<ports::Replaced> replace(const ports::Description& expected,
                                  std::string_view text) override;
  Result<ports::ChangedFiles> changed_files() override;

 private:
  struct Repository {
    std::filesystem::path config;
    std::string branch;
  };

  Command git(std::vector<std::string> words) const;
  Result<Repository> repository() const;
  /// `file` is the settings of the repository, or a copy of them.
  Result<ports::Description> read_from(const std::filesystem::path& file,
                                       const Repository& repository) const;
  Result<void> write_to(const std::filesystem::path& config, const std::string& branch,
                        std::string_view text) const;

  const std::filesystem::path directory_;
  const Environment environment_;
};

/// Without the variables by which a hook or a caller points git at another repository, and with
/// those that keep it from asking and from translating.
Environment vcs_environment(Environment environment);

}  // namespace baton::adapters
