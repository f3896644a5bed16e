#pragma once
// The plan of a project folder: Jujutsu's when it is a Jujutsu repository, else git's, else a file.
// Checks at every call, since a folder may become a repository at any time. Any thread.

#include <memory>

#include "adapters/vcs/command.h"
#include "ports/version_control.h"

namespace baton::adapters {

class ProjectPlan final : public ports::VersionControl {
 public:
  ProjectPlan(std::filesystem::path directory, Environment environment)
      : directory_(std::move(directory)), environment_(std::move(environment)) {}

  Result<ports::Description> read() override { return TRY(find())->read(); }
  Result<ports::Replaced> replace(const ports::Description& expected,
                                  std::string_view text) override {
    return TRY(find())->replace(expected, text);
  }
  Result<ports::ChangedFiles> changed_files() override { return TRY(find())->changed_files(); }

 private:
  Result<std::unique_ptr<ports::VersionControl>> find() const;

  const std::filesystem::path directory_;
  const Environment environment_;
};

}  // namespace baton::adapters
