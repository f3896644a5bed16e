#pragma once
// The plan as .baton/plan.md of a folder without version control. Any thread.
//
// Batons take turns by a lock beside it; the file is replaced in one step.

#include <filesystem>

#include "ports/version_control.h"

namespace baton::adapters {

class PlanFile final : public ports::VersionControl {
 public:
  explicit PlanFile(const std::filesystem::path& directory) : path_(directory / ".baton/plan.md") {}

  Result<ports::Description> read() override;
  Result<ports::Replaced> replace(const ports::Description& expected,
                                  std::string_view text) override;
  /// None: nobody keeps count.
  Result<ports::ChangedFiles> changed_files() override { return ports::ChangedFiles{}; }

 private:
  const std::filesystem::path path_;
};

}  // namespace baton::adapters
