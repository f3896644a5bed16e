#pragma once
// The plan of a project folder: Jujutsu's when it is a Jujutsu repository, else git's, else a file.
// Checks at every call, since a folder may become a repository at any time. Any thread.

#include <memory>

#include "adapters/vcs/command.h"
#include "ports/plan_turns.h"

namespace baton::adapters {

class ProjectPlan final : public ports::SharedPlan {
 public:
  ProjectPlan(std::filesystem::path directory, Environment environment)
      : directory_(std::move(directory)), environment_(std::move(environment)) {}

  Result<ports::Description> read() override { return TRY(find())->read(); }
  Result<ports::Replaced> replace(const ports::Description& expected,
                                  std::string_view text) override {
    return TRY(find())->replace(expected, text);
  }
  Result<ports::ChangedFiles> changed_files() override { return TRY(find())->changed_files(); }
  Result<std::unique_ptr<ports::PlanTurn>> take_turn() override;

 private:
  enum class Kind : std::uint8_t { file, git, jj };
  struct Place {
    Kind kind = Kind::file;
    std::filesystem::path folder;  // with .git, .jj or, for a file, the project's
    bool has_work_tree = false;
  };
  Place place() const;
  Result<std::unique_ptr<ports::VersionControl>> find() const;

  const std::filesystem::path directory_;
  const Environment environment_;
};

}  // namespace baton::adapters
