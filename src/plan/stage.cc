#include "plan/stage.h"

#include "base/text.h"

namespace baton::plan {
namespace {

constexpr std::string_view goal_tools[] = {"set_overarching_goal"};
constexpr std::string_view detail_tools[] = {"set_detailed_goal", "set_overarching_goal"};
constexpr std::string_view plan_tools[] = {"set_plan", "set_detailed_goal"};
constexpr std::string_view work_tools[] = {"mark_task", "set_plan", "finish_job"};
constexpr std::string_view last_tools[] = {"finish_job", "set_plan", "mark_task"};
constexpr std::string_view done_tools[] = {"gather_requirements", "set_overarching_goal"};

constexpr StageGuide guides[] = {
    {0, "nothing yet",
     "There is no goal yet. Find out from the user what shall be different when the work is done, "
     "and for whom. Then call set_overarching_goal with the kind of change, the part of the "
     "project it touches and one line that names the result, not the way to it.",
     goal_tools},
    {1, "goal",
     "The goal is set. Ask the user why it is wanted, what exactly changes and what stays as it "
     "is, how success will be seen, and which approach to take. Look at the code before you ask "
     "what it can tell you. Then call set_detailed_goal; put what must not happen into its "
     "constraints.",
     detail_tools},
    {2, "details without a title",
     "There are details, but the goal's line has no title. Call set_overarching_goal with a title "
     "that says in one line what the details add up to.",
     goal_tools},
    {3, "details",
     "The details are set, and nothing is forbidden yet. Ask the user what must not be done, and "
     "add it with set_detailed_goal as constraints; or go on to set_plan with the tasks in the "
     "order of work, each small enough to be finished and checked by itself.",
     plan_tools},
    {4, "constraints",
     "The details and constraints are set. Break the work into tasks, in the order of work, each "
     "small enough to be finished and checked by itself, none against a constraint. Show them to "
     "the user, then call set_plan.",
     plan_tools},
    {5, "plan",
     "The plan is set. Do the first open task, keep to the constraints, check the result, then "
     "call mark_task with its text or number, and take the next. If the work shows that the plan "
     "is wrong, say so and change it with set_plan. When no task is open, call finish_job.",
     work_tools},
    {6, "complete",
     "All is done. Tell the user what was achieved and what was left out on purpose. For further "
     "work, start a new change or branch and set a new goal there.",
     done_tools},
};

constexpr StageGuide every_task_done = {
    5, "plan",
    "Every task is done. Check the whole against the goal and the constraints, then call "
    "finish_job. If something is still missing, add it with set_plan.",
    last_tools};

}  // namespace

int stage_of(const Document& document) {
  if (!document.header) return 0;
  const auto directive = directive_of(document);
  if (directive == complete_directive) return 6;
  if (directive || !document.tasks.empty()) return 5;
  if (!document.constraints.empty()) return 4;
  if (!document.description) return 1;
  return document.header->title ? 3 : 2;
}

const StageGuide& guide_to(const Document& document) {
  const int stage = stage_of(document);
  const Progress progress = progress_of(document.tasks);
  if (stage == 5 && progress.total > 0 && progress.done == progress.total) return every_task_done;
  return guides[stage];
}

std::string guidance(const Parsed& parsed) {
  if (parsed.state == State::halted) {
    return cat("The plan cannot be read to its end: ", parsed.halt->text(),
               ". Nothing can be changed until that line is mended where the plan is kept; ask the "
               "user before you do.");
  }
  if (parsed.state == State::unknown) {
    return cat("There is a text, but it is no plan: ", parsed.halt->text(),
               ". set_overarching_goal puts a goal above it and keeps it as the description.");
  }
  return std::string(guide_to(parsed.document).guidance);
}

}  // namespace baton::plan
