#include "surface/planner/tools.h"

#include "surface/planner/encode.h"

namespace baton::surface::planner {
namespace {

// Every change replaces what was there, and making it twice is making it once.
constexpr protocol::ToolAnnotations changing = {
    .read_only = false, .destructive = true, .idempotent = true, .open_world = false};

std::string text_argument(const json::Object& arguments, std::string_view key) {
  const json::Value* value = arguments.find(key);
  return value != nullptr && value->is_string() ? *value->if_string() : std::string();
}

Result<verbs::PlanChange> run_goal(const PlannerSource& planner, const json::Object& arguments) {
  const json::Value* goal = arguments.find("goal");
  ASSERT(goal != nullptr);  // required by the schema
  return verbs::set_goal(planner(), TRY(plan::header_from_json(*goal)));
}

Result<verbs::PlanChange> run_details(const PlannerSource& planner, const json::Object& arguments) {
  std::optional<std::vector<plan::Constraint>> constraints;
  if (const json::Value* given = arguments.find("constraints")) {
    constraints = TRY(plan::constraints_from_json(*given));
  }
  return verbs::set_details(planner(), text_argument(arguments, "description"), constraints);
}

Result<verbs::PlanChange> run_plan(const PlannerSource& planner, const json::Object& arguments) {
  const json::Value* tasks = arguments.find("plan");
  ASSERT(tasks != nullptr);  // required by the schema
  return verbs::set_tasks(planner(), TRY(plan::tasks_from_json(*tasks)));
}

Result<verbs::PlanChange> run_mark(const PlannerSource& planner, const json::Object& arguments) {
  const json::Value* completed = arguments.find("completed");
  const bool done = completed == nullptr || *completed->if_bool();
  return verbs::mark_task(planner(), text_argument(arguments, "task_id"), done);
}

}  // namespace

std::vector<protocol::Tool> tools(const PlannerSource& planner) {
  return {gather_requirements(planner), set_overarching_goal(planner),
          set_detailed_goal(planner),   set_plan(planner),
          mark_task(planner),           finish_job(planner)};
}

protocol::Tool gather_requirements(const PlannerSource& planner) {
  return {
      .name = "gather_requirements",
      .title = "See the plan and its stage",
      .description =
          "Call this first, and each time you return to the work: it shows the plan, its stage, "
          "the files that are changed, and what to do now. It changes nothing.",
      .input_schema = schema(R"({"type":"object","properties":{},"additionalProperties":false})"),
      .output_schema = result_schema(),
      .annotations = {.read_only = true,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .handler = [planner](const protocol::ToolCall&) {
        return encode(verbs::gather_requirements(planner()));
      }};
}

protocol::Tool set_overarching_goal(const PlannerSource& planner) {
  return {
      .name = "set_overarching_goal",
      .title = "Set the goal",
      .description =
          "Use this when the user's goal is clear, or to change it. It writes the first line of "
          "the plan, type(scope): title, and leaves the rest as it is.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,
        "required":["goal"],"properties":{
        "goal":{"type":"object","additionalProperties":false,"description":"The goal's line.",
          "required":["type","title"],"properties":{
          "type":{"type":"string","description":"The kind of change.",
            "enum":["feat","fix","refactor","build","chore","docs","lint","infra","spec"]},
          "scope":{"type":"string",
            "description":"The part of the project, such as parser or cli/help."},
          "breaking":{"type":"boolean","description":"true when it breaks what others rely on."},
          "title":{"type":"string",
            "description":"One line of at most 120 characters that names the result."}}}}})"),
      .output_schema = result_schema(),
      .annotations = changing,
      .handler = [planner](const protocol::ToolCall& call) {
        return encode(run_goal(planner, call.arguments), "The goal is set.");
      }};
}

protocol::Tool set_detailed_goal(const PlannerSource& planner) {
  return {
      .name = "set_detailed_goal",
      .title = "Set the details",
      .description =
          "Use this when you know the reason for the goal, what changes and how. Write what must "
          "not happen as constraints: in the list, or as last lines of the description like "
          "'- Never: rewrite history'. The keys are Do not, Never, Avoid, Decide against, Must "
          "not, Cannot and Forbidden; the value begins with a small letter. Constraints that are "
          "not mentioned stay; an empty list removes them. Tasks belong in set_plan.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,
        "required":["description"],"properties":{
        "description":{"type":"string","description":"Reasons, targets and approach."},
        "constraints":{"type":"array","items":{},
          "description":"Each 'Key: value', [key, value] or {key, value}."}}})"),
      .output_schema = result_schema(),
      .annotations = changing,
      .handler = [planner](const protocol::ToolCall& call) {
        return encode(run_details(planner, call.arguments), "The details are set.");
      }};
}

protocol::Tool set_plan(const PlannerSource& planner) {
  return {.name = "set_plan",
          .title = "Set the tasks",
          .description =
              "Use this when the details are agreed: it replaces the tasks of the plan. A task is "
              "[done, text, [subtasks]] or {done, text, children}, at most four levels below the "
              "first; a text is one line.",
          .input_schema = schema(R"({"type":"object","additionalProperties":false,
        "required":["plan"],"properties":{
        "plan":{"type":"array","items":{},
          "description":"All tasks in order, such as [[false, \"Write the parser\", []]]."}}})"),
          .output_schema = result_schema(),
          .annotations = changing,
          .handler = [planner](const protocol::ToolCall& call) {
            return encode(run_plan(planner, call.arguments), "The tasks are set.");
          }};
}

protocol::Tool mark_task(const PlannerSource& planner) {
  return {
      .name = "mark_task",
      .title = "Mark a task",
      .description =
          "Use this when a task is finished and checked, or must be opened again. A parent is done "
          "with the last of its subtasks.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,
        "required":["task_id"],"properties":{
        "task_id":{"type":"string",
          "description":"The task's text, its number such as 2.1, or a part no other task has."},
        "completed":{"type":"boolean","description":"Default true; false opens it again."}}})"),
      .output_schema = result_schema(),
      .annotations = changing,
      .handler = [planner](const protocol::ToolCall& call) {
        return encode(run_mark(planner, call.arguments), "The task is marked.");
      }};
}

protocol::Tool finish_job(const PlannerSource& planner) {
  return {
      .name = "finish_job",
      .title = "Finish the plan",
      .description =
          "Use this when every task is done: it marks the plan COMPLETE. While tasks are open "
          "it refuses and names them.",
      .input_schema = schema(R"({"type":"object","properties":{},"additionalProperties":false})"),
      .output_schema = result_schema(),
      .annotations = changing,
      .handler = [planner](const protocol::ToolCall&) {
        return encode(verbs::finish_job(planner()), "The plan is complete.");
      }};
}

}  // namespace baton::surface::planner
