#include "surface/planner/tools.h"

#include "base/text/text.h"
#include "plan/config.h"
#include "surface/planner/encode.h"
#include "surface/planner/words.h"

namespace baton::surface::planner {
namespace {

// Every change replaces what was there, and making it twice is making it once.
constexpr protocol::ToolAnnotations changing = {
    .read_only = false, .destructive = true, .idempotent = true, .open_world = false};

std::string text_argument(const json::Object& arguments, std::string_view key) {
  const json::Value* value = arguments.find(key);
  return value != nullptr && value->is_string() ? *value->if_string() : std::string();
}

/// An input schema of ours, with what every tool may be told.
json::Value with_config(std::string_view text) {
  json::Value out = schema(text);
  json::Object& properties = *out.if_object()->find("properties")->if_object();
  properties.set("config",
                 schema(R"({"description":"How plans are written: a name, or settings."})"));
  return out;
}

/// Calls `run` with the plan, and with the configuration of this call.
template <class Run>
auto with_plan(const PlannerSource& source, const json::Object& arguments, const Run& run)
    -> decltype(run(source())) {
  const verbs::Planner planner = source();
  const json::Value* given = arguments.find("config");
  if (given == nullptr) return run(planner);
  auto config = plan::config_from(*given, planner.config);
  if (!config) {
    return fail(Code::INVALID_INPUT, cat("config: ", config.error().message), config.error().next);
  }
  return run(verbs::Planner{planner.version_control, *config, planner.turns});
}

Result<verbs::PlanChange> run_goal(const PlannerSource& source, const json::Object& arguments) {
  const json::Value* goal = arguments.find("goal");
  ASSERT(goal != nullptr);  // required by the schema
  const plan::Header header = TRY(plan::header_from_json(*goal));
  return with_plan(source, arguments,
                   [&](const verbs::Planner& planner) { return verbs::set_goal(planner, header); });
}

Result<verbs::PlanChange> run_details(const PlannerSource& source, const json::Object& arguments) {
  std::optional<std::vector<plan::Constraint>> constraints;
  if (const json::Value* given = arguments.find("constraints")) {
    constraints = TRY(plan::constraints_from_json(*given));
  }
  return with_plan(source, arguments, [&](const verbs::Planner& planner) {
    return verbs::set_details(planner, text_argument(arguments, "description"), constraints,
                              text_argument(arguments, "version"));
  });
}

Result<verbs::PlanChange> run_plan(const PlannerSource& source, const json::Object& arguments) {
  const json::Value* tasks = arguments.find("plan");
  ASSERT(tasks != nullptr);  // required by the schema
  const json::Value* all = arguments.find("replace_all");
  const bool replace_all = all != nullptr && *all->if_bool();
  verbs::TasksRequest request{TRY(plan::tasks_from_json(*tasks)),
                              text_argument(arguments, "version")};
  request.may_remove = [&](const plan::Plan& before, std::size_t removed) -> Result<void> {
    if (replace_all || shows_all_tasks(before)) return {};
    return fail(Code::INVALID_INPUT,
                cat("the plan has more tasks than an answer shows; this would remove ", removed),
                "read all of it in baton://plan/current and send all tasks, or send replace_all: "
                "true");
  };
  return with_plan(source, arguments, [&](const verbs::Planner& planner) {
    return verbs::set_tasks(planner, request);
  });
}

/// A task's text or number; a whole number as itself. 2.1 as a number could be 2.10 too.
Result<std::string> task_argument(const json::Value& value) {
  if (value.is_string()) return *value.if_string();
  if (const std::int64_t* number = value.if_int()) return cat(*number);
  return fail(Code::INVALID_INPUT, "task_id: expected text, or a whole number",
              R"(send a number with a dot as text, such as "2.1")");
}

Result<bool> completed_argument(const json::Object& arguments) {
  const json::Value* value = arguments.find("completed");
  if (value == nullptr || value->is_null()) return true;
  if (const bool* flag = value->if_bool()) return *flag;
  if (*value == json::Value("true")) return true;
  if (*value == json::Value("false")) return false;
  return fail(Code::INVALID_INPUT, "completed: expected true or false");
}

Result<verbs::PlanChange> run_mark(const PlannerSource& source, const json::Object& arguments) {
  const json::Value* id = arguments.find("task_id");
  ASSERT(id != nullptr);  // required by the schema
  const std::string task = TRY(task_argument(*id));
  const bool done = TRY(completed_argument(arguments));
  return with_plan(source, arguments, [&](const verbs::Planner& planner) {
    return verbs::mark_task(planner, task, done);
  });
}

protocol::ToolResult run_gather(const PlannerSource& source, const json::Object& arguments) {
  if (!arguments.contains("text")) {
    return encode(with_plan(source, arguments, [](const verbs::Planner& planner) {
      return verbs::gather_requirements(planner);
    }));
  }
  const auto view =
      with_plan(source, arguments, [&](const verbs::Planner& planner) -> Result<verbs::PlanView> {
        return verbs::view_of("this call", text_argument(arguments, "text"), planner.config);
      });
  if (!view) return tool_error(view.error(), say);
  return encode(*view);
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
      .input_schema = with_config(R"({"type":"object","additionalProperties":false,"properties":{
        "text":{"type":"string","description":"Reads this text instead of the plan."}}})"),
      .output_schema = result_schema(),
      .annotations = {.read_only = true,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .handler = [planner](const protocol::ToolCall& call) {
        return run_gather(planner, call.arguments);
      }};
}

protocol::Tool set_overarching_goal(const PlannerSource& planner) {
  return {
      .name = "set_overarching_goal",
      .title = "Set the goal",
      .description =
          "Use this when the user's goal is clear, or to change it. It writes the first line of "
          "the plan, type(scope): title, and leaves the rest as it is.",
      .input_schema = with_config(R"({"type":"object","additionalProperties":false,
        "required":["goal"],"properties":{
        "goal":{"type":"object","additionalProperties":false,"description":"The goal's line.",
          "required":["type","title"],"properties":{
          "type":{"type":"string","description":"The kind of change.",
            "enum":["feat","fix","refactor","build","chore","docs","lint","infra","spec"]},
          "scope":{"type":"string",
            "description":"The part of the project, such as parser or cli/help; none if left out."},
          "breaking":{"type":"boolean","description":"true when it breaks what others rely on."},
          "title":{"type":"string",
            "description":"One line of at most 120 characters that names the result."}}}}})"),
      .output_schema = change_schema(),
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
      .input_schema = with_config(R"({"type":"object","additionalProperties":false,
        "required":["description"],"properties":{
        "description":{"type":"string","description":"Reasons, targets and approach."},
        "constraints":{"type":"array","items":{},
          "description":"Each 'Key: value', [key, value] or {key, value}."},
        "version":{"type":"string","description":"Refuse if the plan is not at this version."}}})"),
      .output_schema = change_schema(),
      .annotations = changing,
      .handler = [planner](const protocol::ToolCall& call) {
        return encode(run_details(planner, call.arguments), "The details are set.");
      }};
}

protocol::Tool set_plan(const PlannerSource& planner) {
  return {
      .name = "set_plan",
      .title = "Set the tasks",
      .description =
          "Use this when the details are agreed: it replaces the tasks of the plan. A task is "
          "[done, text, [subtasks]] or {done, text, children}, at most four levels below the "
          "first; a text is one line. Notes between tasks stay. Send the version that the tasks "
          "were made from, so that no other agent's marks are undone.",
      .input_schema = with_config(R"({"type":"object","additionalProperties":false,
        "required":["plan"],"properties":{
        "plan":{"type":"array","items":{},
          "description":"All tasks in order, such as [[false, \"Write the parser\", []]]."},
        "version":{"type":"string","description":"Refuse if the plan is not at this version."},
        "replace_all":{"type":"boolean",
          "description":"Remove tasks of a plan too long for one answer too."}}})"),
      .output_schema = change_schema(),
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
      .input_schema = with_config(R"({"type":"object","additionalProperties":false,
        "required":["task_id"],"properties":{
        "task_id":{
          "description":"The task's text, its number such as \"2.1\", or a part no other has."},
        "completed":{"description":"true or false; default true, false opens it again."}}})"),
      .output_schema = change_schema(),
      .annotations = changing,
      .handler = [planner](const protocol::ToolCall& call) {
        return encode(run_mark(planner, call.arguments), "The task is marked.");
      }};
}

protocol::Tool finish_job(const PlannerSource& planner) {
  return {.name = "finish_job",
          .title = "Finish the plan",
          .description =
              "Use this when every task is done: it marks the plan COMPLETE. While tasks are open "
              "it refuses and names them.",
          .input_schema =
              with_config(R"({"type":"object","additionalProperties":false,"properties":{}})"),
          .output_schema = change_schema(),
          .annotations = changing,
          .handler = [planner](const protocol::ToolCall& call) {
            return encode(
                with_plan(planner, call.arguments,
                          [](const verbs::Planner& own) { return verbs::finish_job(own); }),
                "The plan is complete.");
          }};
}

}  // namespace baton::surface::planner
