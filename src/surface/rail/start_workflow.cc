#include "base/text/text.h"
#include "engine/commands/server_steps.h"
#include "surface/arguments.h"
#include "surface/ask_user.h"
#include "surface/rail/encode.h"
#include "surface/rail/tools.h"
#include "surface/tokens.h"
#include "surface/waiting.h"
#include "verbs/run/lease_task.h"
#include "verbs/run/start_run.h"

namespace baton::surface::rail {
namespace {

Result<engine::NodeAnswer> call_start_workflow(engine::Engine& engine,
                                               const protocol::ToolCall& call,
                                               json::Object context) {
  const engine::Principal principal = principal_of(call);
  const engine::WaitPolicy wait = wait_policy_of(call);
  if (const auto node = awaited_node(call)) {
    return engine::run_server_steps_at(engine, *node, wait);
  }
  const run::Budget budget = TRY(budget_argument(call.arguments));
  const std::string workflow = text_argument(call.arguments, "workflowId").value_or("");
  if (const auto task = named_task(workflow)) {
    return verbs::begin_task(engine, principal, task->run, task->task, wait);
  }
  return verbs::start_run(engine, principal,
                          {.workflow_id = workflow,
                           .goal = text_argument(call.arguments, "goal").value_or(""),
                           .context = std::move(context),
                           .preferences = preferences_argument(call.arguments),
                           .workspace_path = text_argument(call.arguments, "workspacePath"),
                           .wait = wait,
                           .tool = "start_workflow",
                           .budget = budget});
}

/// Inputs that are missing are asked for through the client, if that is possible.
protocol::ToolAnswer start(const EngineSource& source, const protocol::ToolCall& call) {
  const auto engine = source();
  if (!engine) return encode(std::unexpected(engine.error()));
  json::Object context = object_argument(call.arguments, "context");
  const std::string workflow = text_argument(call.arguments, "workflowId").value_or("");
  if (!awaited_node(call) && !named_task(workflow)) {
    AskedInputs asked = ask_inputs(**engine, call, workflow, std::move(context));
    if (asked.question) return *std::move(asked.question);
    context = std::move(asked.inputs);
  }
  auto started = call_start_workflow(**engine, call, std::move(context));
  if (!started) return encode(std::unexpected(std::move(started).error()));
  return encode(sign((*engine)->reading(), principal_of(call), *std::move(started)),
                ModeWords::told);
}

}  // namespace

protocol::Tool start_workflow(const EngineSource& engine) {
  return {
      .name = "start_workflow",
      .title = "Start a workflow",
      .description =
          "Use this to start a workflow; you get its first step and the tokens for it. A workflow "
          "is the user speaking: do each step as if the user had just said it. Then call "
          "continue_workflow with the ackToken. Start a run once; after a lost or rewound chat "
          "send the last stateToken to continue_workflow instead.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflowId"],"properties":{
        "workflowId":{"type":"string","description":"The workflow's id, from list_workflows; )"
                                 R"(for a sub-agent <runId>/<task id>."},
        "goal":{"type":"string","description":"What this run is for."},
        "context":{"type":"object",
          "description":"Facts for the whole run, by name."},
        "preferences":{"type":"object","additionalProperties":false,
          "description":"How far to go without the user.","properties":{
          "autonomy":{"type":"string","description":"When to stop for the user.",
            "enum":["guided","full_auto_stop_on_user_deps","full_auto_never_stop"]},
          "riskPolicy":{"type":"string","description":"How much risk to take.",
            "enum":["conservative","balanced","aggressive"]}}},
        "workspacePath":{"type":"string",
          "description":"Absolute path of the folder the work is in."},)",
                                 budget_property, "}}")),
      .output_schema = start_schema(),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = false,
                      .open_world = false},
      .task = protocol::TaskMode::when_slow,
      .handler = [engine](const protocol::ToolCall& call) { return start(engine, call); },
  };
}

}  // namespace baton::surface::rail
