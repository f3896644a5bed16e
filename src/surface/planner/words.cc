#include "surface/planner/words.h"

#include "base/text/text.h"
#include "plan/stage.h"

namespace baton::surface::planner {
namespace {

constexpr std::string_view goal_tools[] = {"set_overarching_goal"};
constexpr std::string_view detail_tools[] = {"set_detailed_goal", "set_overarching_goal"};
constexpr std::string_view plan_tools[] = {"set_plan", "set_detailed_goal"};
constexpr std::string_view work_tools[] = {"mark_task", "set_plan", "finish_job"};
constexpr std::string_view last_tools[] = {"finish_job", "set_plan", "mark_task"};
constexpr std::string_view done_tools[] = {"gather_requirements", "set_overarching_goal"};

constexpr StageGuide guides[] = {
    {0, "nothing yet",
     "There is no goal yet. Ask the user what must be different when the work is done, "
     "and for whom. Then call set_overarching_goal with the kind of change, the part of the "
     "project it touches and one line that names the result, not the way to it.",
     goal_tools},
    {1, "goal",
     "The goal is set. Ask the user for the reason, what exactly changes and what stays as it "
     "is, how to see success, and which approach to take. Read the code before you ask "
     "what it can tell you. Then call set_detailed_goal; put what must not happen in its "
     "constraints.",
     detail_tools},
    {2, "details without a title",
     "There are details, but the goal's line has no title. Call set_overarching_goal with a title "
     "that says in one line what the details add up to.",
     goal_tools},
    {3, "details",
     "The details are set, and nothing is forbidden yet. Ask the user what must not be done, and "
     "add it with set_detailed_goal as constraints; or continue with set_plan: the tasks in the "
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
     "The plan is complete. Tell the user what was done and what was left out on purpose. For more "
     "work, start a new change or branch and set a new goal there.",
     done_tools},
};

constexpr StageGuide every_task_done = {
    5, "plan",
    "Every task is done. Check the whole against the goal and the constraints, then call "
    "finish_job. If something is still missing, add it with set_plan.",
    last_tools};

}  // namespace

std::string say(const NextMove& next) {
  switch (next.kind) {
    case Move::set_goal: return "call set_overarching_goal first";
    case Move::goal_above: return "call set_overarching_goal; the text is kept as the description";
    case Move::set_tasks: return "call set_plan first";
    case Move::tasks_apart: return cat("use set_plan for tasks; ", next.value);
    case Move::mark_tasks:
      return "do them and call mark_task for each, or change the plan with set_plan";
    case Move::add_tasks: return "add tasks with set_plan, or open one with mark_task";
    default: return ask_owner(next);
  }
}

std::string_view instructions() {
  return "Baton keeps a plan with the current change: a goal, details, constraints and tasks.\n"
         "\n"
         "1. gather_requirements shows the plan and what to do now. Call it first, and after every "
         "pause.\n"
         "2. Agree with the user on the goal, the details, what must not happen and the tasks, in "
         "this order. Record each with set_overarching_goal, set_detailed_goal and set_plan.\n"
         "3. Do one open task at a time: do it, check it, mark it with mark_task.\n"
         "4. Call finish_job when no task is open.\n"
         "\n"
         "An error's message says what to change. A refused call changes nothing.\n";
}

const StageGuide& guide_to(const plan::Plan& document) {
  const int stage = plan::stage_of(document);
  const plan::PlanProgress progress = plan::progress_of(document.tasks);
  if (stage == 5 && progress.total > 0 && progress.done == progress.total) return every_task_done;
  return guides[stage];
}

std::string_view state_of(const verbs::PlanView& view) {
  if (view.parsed.state == plan::State::empty) return name_of(plan::State::empty);
  if (!view.document().header) return name_of(plan::State::unknown);
  // The grammar takes "- Name: text" for a constraint of any name, and the tools for text.
  return name_of(view.outline.is_whole ? plan::State::parsed : view.parsed.state);
}

std::string problem_of(const verbs::PlanView& view) {
  if (view.document().header && view.outline.is_whole) return {};
  if (view.parsed.halt) return view.parsed.halt->text();
  if (view.parsed.state == plan::State::empty || view.document().header) return {};
  return cat("line 1: '", view.parsed.document.header->type, "' is not a kind of change");
}

std::string guidance(const verbs::PlanView& view) {
  if (state_of(view) == name_of(plan::State::unknown)) {
    return cat("There is a text, but it is not a plan: ", problem_of(view),
               ". set_overarching_goal puts a goal above it and keeps it as the description.");
  }
  return std::string(guide_to(view.document()).guidance);
}

}  // namespace baton::surface::planner
