#pragma once
// A plan as a workflow: one prompt step for each open task that has none below it, the constraints
// in every prompt. The text is what a workflow file would say. Values only; any thread.

#include <string>
#include <string_view>
#include <vector>

#include "plan/document.h"

namespace baton::plan {

/// The step of a task: its number, and a digest of its text, so that the task is found again after
/// others were added or moved.
std::string step_id(const TaskPath& path, const PlanTask& task);

/// The JSON text of the workflow. NO_TASKS_FOUND when no task is open.
Result<std::string> workflow_text(const Plan& document, std::string_view workflow_id);

/// What a run of that workflow text starts with. Texts of the plan are data: the braces in them are
/// values, so that nothing in them is an expression.
json::Object workflow_context(std::string_view workflow);

/// The tasks that steps of these ids stand for and that are still open.
std::vector<TaskPath> tasks_of_steps(const std::vector<PlanTask>& tasks,
                                     const std::vector<std::string>& step_ids);

}  // namespace baton::plan
