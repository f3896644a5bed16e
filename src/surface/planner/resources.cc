#include "base/text/text.h"
#include "base/text/utf8.h"
#include "surface/planner/tools.h"
#include "surface/planner/words.h"

namespace baton::surface::planner {
namespace {

protocol::ResourceAnswer read_plan(const PlannerSource& planner) {
  const auto view = verbs::show_plan(planner());
  if (!view) {
    return protocol::RpcError{.message =
                                  cat(name_of(view.error().code), ": ", view.error().message)};
  }
  if (!utf8::is_valid(view->text())) {
    return protocol::RpcError{.message = "INVALID_UTF8: the plan is not UTF-8"};
  }
  return protocol::ResourceResult{
      .contents = {protocol::text_contents(std::string(plan_uri), "text/markdown", view->text())}};
}

/// The stage of the plan, for the prompt; a plan that cannot be read is part of the answer.
std::string standing(const PlannerSource& planner) {
  const auto view = verbs::show_plan(planner());
  if (!view) return cat("The plan cannot be read now: ", view.error().message, "\n");
  if (!utf8::is_valid(view->text())) return "The plan cannot be read: it is not UTF-8.\n";
  const StageGuide& guide = guide_to(view->document());
  if (view->text().empty()) return cat("There is no plan yet. ", guide.guidance, "\n");
  return cat("The plan, kept in ", view->place, ", is at stage ", guide.stage, " of 6, ",
             guide.name, ":\n\n", view->text(), "\n", guide.guidance, "\n");
}

}  // namespace

protocol::Resource plan_resource(const PlannerSource& planner) {
  return {.info = {.uri = std::string(plan_uri),
                   .name = "plan",
                   .title = "The plan",
                   .description = "The plan of the project, as it is in the description of the "
                                  "current change.",
                   .mime_type = "text/markdown"},
          .read = [planner](const protocol::Call&) { return read_plan(planner); }};
}

protocol::Prompt plan_prompt(const PlannerSource& planner) {
  return {
      .name = "plan",
      .title = "Work by the plan",
      .description = "Make a plan for the current change, or continue the existing one.",
      .arguments = {{.name = "goal",
                     .title = "Goal",
                     .description = "What is wanted, in your own words; optional."}},
      .handler = [planner](const protocol::Call& call) -> protocol::PromptAnswer {
        std::string text =
            "Work by the plan that is kept with the current change. Call gather_requirements "
            "first, and again after each pause. Agree with me on the goal, the details, what must "
            "not happen, and the tasks, in this order, before you change a file; record each with "
            "its tool. Then do one open task at a time: do it, check it, mark it with mark_task. "
            "Change the plan when the work shows it is wrong, and tell me. Call finish_job when no "
            "task is open.\n\n";
        const json::Value* goal = call.arguments.find("goal");
        if (goal != nullptr && goal->is_string() && !goal->if_string()->empty()) {
          text += cat("What I want: ", *goal->if_string(), "\n\n");
        }
        text += standing(planner);
        return protocol::PromptResult{
            .description = "How to work by the plan, and its current stage.",
            .messages = {{.role = "user", .content = protocol::text_content(text)}}};
      }};
}

}  // namespace baton::surface::planner
