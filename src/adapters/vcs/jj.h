#pragma once
// The plan as the description of Jujutsu's working-copy change. Any thread.
//
// Batons take turns by a lock in .jj and look again under it. Jujutsu itself has no way to compare
// before it writes: an edit made by hand in the moment between is kept in its operation log.

#include "adapters/vcs/command.h"
#include "ports/version_control.h"

namespace baton::adapters {

class JjPlan final : public ports::VersionControl {
 public:
  /// `root` is the folder that holds .jj.
  JjPlan(std::filesystem::path root, Environment environment);

  Result<ports::Description> read() override;
  Result<ports::Replaced> replace(const ports::Description& expected,
                                  std::string_view text) override;
  Result<ports::ChangedFiles> changed_files() override;

 private:
  Result<CommandResult> jj(std::vector<std::string> words, std::string_view input = {},
                           bool may_cut = false) const;

  const std::filesystem::path root_;
  const Environment environment_;
};

}  // namespace baton::adapters
