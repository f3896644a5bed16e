#pragma once
// Folders with a plan in them, of every kind that Baton knows, for the suite of the VersionControl
// port. Each is made in a folder of its own, which goes with it.
//
// BATON_TEST_JJ names a real jj to use instead of the fake one beside this file.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adapters/vcs/command.h"
#include "ports/plan_turns.h"

namespace baton::contract {

class PlanProject {
 public:
  enum class Kind { git, jj, colocated, file };

  /// `name` is the folder's own name.
  explicit PlanProject(Kind kind, std::string_view name = "a project");
  ~PlanProject();
  PlanProject(const PlanProject&) = delete;
  PlanProject& operator=(const PlanProject&) = delete;

  Kind kind() const { return kind_; }
  const std::filesystem::path& folder() const { return folder_; }
  adapters::Environment& environment() { return environment_; }

  /// What Baton would use there.
  std::unique_ptr<ports::VersionControl> open(const std::filesystem::path& below = {}) const;

  std::unique_ptr<ports::SharedPlan> open_shared() const;

  /// Changes the description as another program would, without Baton.
  void edit_by_hand(const std::string& text);

  void write(const std::string& path, const std::string& text);

  /// Runs a program in the folder; it must succeed. Gives its output.
  std::string run(std::vector<std::string> words, const std::string& input = {}) const;

  /// Every file of the project but version control's own, with its content.
  std::vector<std::pair<std::string, std::string>> files() const;

 private:
  void link_tool(const std::string& name, const std::string& target);

  Kind kind_;
  std::filesystem::path scratch_;
  std::filesystem::path folder_;
  adapters::Environment environment_;
};

/// Replaces any description.
void set_text(ports::VersionControl& plan, std::string_view text);

}  // namespace baton::contract
