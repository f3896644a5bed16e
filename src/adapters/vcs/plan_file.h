#pragma once
// The plan as .baton/plan.md of a folder without version control. Any thread.
//
// Batons take turns by a lock beside it; the file is replaced in one step. Neither the file nor its
// folder may be a link: they are the project's, and a link could lead anywhere.

#include <filesystem>

#include "adapters/files/descriptor.h"
#include "ports/version_control.h"

namespace baton::adapters {

class PlanFile final : public ports::VersionControl {
 public:
  explicit PlanFile(std::filesystem::path directory) : directory_(std::move(directory)) {}

  Result<ports::Description> read() override;
  Result<ports::Replaced> replace(const ports::Description& expected,
                                  std::string_view text) override;
  /// None: the file has no number.
  Result<ports::ChangedFiles> changed_files() override { return ports::ChangedFiles{}; }

 private:
  std::filesystem::path path() const { return directory_ / ".baton/plan.md"; }

  /// The folder of the plan; not open when there is none.
  Result<Descriptor> folder() const;

  const std::filesystem::path directory_;
};

}  // namespace baton::adapters
