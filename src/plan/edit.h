#pragma once
// The edits of a plan: each changes one part and nothing else, and gives the whole new document.
// Values only; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/config.h"
#include "plan/document.h"
#include "plan/parse.h"

namespace baton::plan {

struct Edited {
  Plan document;
  std::vector<std::string> notes = {};  // what happened besides what was asked for
};

/// Text that is not a plan yet becomes the description below the header, so that it is kept.
Result<Edited> set_goal(std::string_view text, const Header& header, const PlanConfig& config);

/// Constraints come from `constraints`, else from the end of the description, else stay.
Result<Edited> set_details(const Plan& document, std::string_view description,
                           const std::optional<std::vector<Constraint>>& constraints,
                           const PlanConfig& config);

Result<Edited> set_tasks(const Plan& document, std::vector<PlanTask> tasks);

/// `task_id` is a task's whole text, its number ("2.1") or a part of its text that no other task
/// has. A parent is done with the last of its tasks, and open again with one of them.
Result<Edited> mark_task(const Plan& document, std::string_view task_id, bool done);

/// The same for the task at `path`. REQUIRES: the path exists.
Result<Edited> mark_task(const Plan& document, const TaskPath& path, bool done);

/// Sets the directive COMPLETE, once every task is done.
Result<Edited> finish(const Plan& document);

/// The one task that `task_id` means. TASK_NOT_FOUND, TASK_AMBIGUOUS.
Result<TaskPath> find_task(const std::vector<PlanTask>& tasks, std::string_view task_id);

/// The document of a text that may be edited: a plan, or nothing yet.
/// COMMIT_VALIDATION_FAILED when it halted, since what comes after the halt would be lost.
Result<Plan> editable(std::string_view text, const PlanConfig& config);

/// The text of a document, after checking that it is valid and reads back the same.
/// COMMIT_VALIDATION_FAILED names every problem.
Result<std::string> checked_text(const Plan& document, const PlanConfig& config);

}  // namespace baton::plan
