#pragma once
// The edits of a plan: each changes one part of the text and nothing else. Every byte outside of
// that part stays as it is, whether the tools understand it or not. Values only; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/config.h"
#include "plan/document.h"
#include "plan/outline.h"
#include "plan/parse.h"

namespace baton::plan {

struct Edited {
  std::string text;
  std::vector<std::string> notes = {};  // what happened besides what was asked for
};

/// Text that is not a plan yet becomes the description below the header. A first line that breaks
/// the rules of a header is kept below the new one.
Result<Edited> set_goal(const Outline& outline, const Header& header, const PlanConfig& config);

/// Constraints come from `constraints`, else from the end of the description, else stay.
Result<Edited> set_details(const Outline& outline, std::string_view description,
                           const std::optional<std::vector<Constraint>>& constraints,
                           const PlanConfig& config);

/// Lines between and below the tasks stay with the tasks that stay.
Result<Edited> set_tasks(const Outline& outline, const std::vector<PlanTask>& tasks,
                         const PlanConfig& config);

/// `task_id` is a task's whole text, its number ("2.1") or a part of its text that no other task
/// has. A parent is done with the last of its tasks, and open again with one of them.
Result<Edited> mark_task(const Outline& outline, std::string_view task_id, bool done,
                         const PlanConfig& config);

/// The same for the task at `path`. REQUIRES: the path exists.
Result<Edited> mark_task(const Outline& outline, const TaskPath& path, bool done,
                         const PlanConfig& config);

/// Sets the directive COMPLETE, once every task is done.
Result<Edited> finish(const Outline& outline, const PlanConfig& config);

/// The one task that `task_id` means. TASK_NOT_FOUND, TASK_AMBIGUOUS.
Result<TaskPath> find_task(const std::vector<PlanTask>& tasks, std::string_view task_id);

/// The tasks of `before` whose text is not among `after`.
std::vector<PlacedTask> removed_tasks(const std::vector<PlanTask>& before,
                                      const std::vector<PlanTask>& after);

/// The document of a text that follows the grammar to its end, or of nothing.
/// COMMIT_VALIDATION_FAILED when it does not.
Result<Plan> editable(std::string_view text, const PlanConfig& config);

/// The text of a document, after checking that it is valid and reads back the same.
/// COMMIT_VALIDATION_FAILED names every problem.
Result<std::string> checked_text(const Plan& document, const PlanConfig& config);

}  // namespace baton::plan
