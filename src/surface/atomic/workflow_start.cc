#include "base/text/text.h"
#include "surface/ask_user.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "surface/waiting.h"
#include "verbs/run/lease_task.h"
#include "verbs/run/read_state.h"
#include "verbs/run/start_run.h"

namespace baton::surface::atomic {
namespace {

Result<protocol::ToolResult> call_workflow_start(engine::Engine& engine,
                                                 const protocol::ToolCall& call,
                                                 json::Object inputs) {
  const engine::Principal principal = principal_of(call);
  const engine::WaitPolicy wait = wait_policy_of(call);
  const run::Budget budget = TRY(budget_argument(call.arguments));
  const std::string workflow = text_argument(call.arguments, "workflow").value_or("");
  const auto task = named_task(workflow);
  const engine::NodeAnswer started =
      task
          ? TRY(verbs::begin_task(engine, principal, task->run, task->task, wait))
          : TRY(verbs::start_run(engine, principal,
                                 {.workflow_id = workflow,
                                  .goal = {},
                                  .context = std::move(inputs),
                                  .preferences = {},
                                  .workspace_path = text_argument(call.arguments, "workspace_path"),
                                  .wait = wait,
                                  .tool = {},
                                  .budget = budget,
                                  .only_inputs = true}));
  const std::string id = started.reply.run.text();
  const run::RunRow row = TRY(engine::find_own_run(engine.reading(), principal, id));
  const json::Object state = shown_state(TRY(verbs::read_state(engine.reading(), row)).values);
  json::Array warnings;
  std::string text = cat("The run ", id, " has started.\nState: ", json::print(state), '\n');
  json::Object out{{"workflow_id", id}, {"state", state}};
  // A sub-agent decides nothing.
  if (!task) text += add_mode(out, started.reply);
  for (const std::string& warning : started.reply.warnings) {
    warnings.emplace_back(warning);
    text += cat("Warning: ", warning, '\n');
  }
  text += cat("Call workflow_get_next_step with workflow_id \"", id, "\".\n");
  out.set("warnings", std::move(warnings));
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

/// Inputs that are missing are asked for through the client, if that is possible.
protocol::ToolAnswer start(const EngineSource& source, const protocol::ToolCall& call) {
  const auto engine = source();
  if (!engine) return tool_error(engine.error(), say);
  json::Object inputs = object_argument(call.arguments, "inputs");
  const std::string workflow = text_argument(call.arguments, "workflow").value_or("");
  if (!named_task(workflow)) {
    AskedInputs asked = ask_inputs(**engine, call, workflow, std::move(inputs));
    if (asked.question) return *std::move(asked.question);
    inputs = std::move(asked.inputs);
  }
  return answer(call_workflow_start(**engine, call, std::move(inputs)), say);
}

}  // namespace

protocol::Tool workflow_start(const EngineSource& engine) {
  return {
      .name = "workflow_start",
      .title = "Start a workflow",
      .description =
          "Use this to start a workflow: you get the workflow_id that the other tools take. Start "
          "a run once; in a new chat use workflow_resume.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow"],"properties":{
        "workflow":{"type":"string","description":"Its name, from workflow_list."},
        "inputs":{"type":"object",
          "description":"By name, as workflow_get_info lists them."},
        "workspace_path":{"type":"string","description":
          "Absolute path of the folder of the work."},)",
                                 budget_property, "}}")),
      .output_schema = schema(R"({"type":"object","properties":{
        "workflow_id":{"type":"string"},
        "state":{"type":"object","description":"All values."},
        "mode":{"type":"string","description":"How to behave in this run."},
        "warnings":{"type":"array","items":{"type":"string"}}}})"),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = false,
                      .open_world = false},
      .handler = [engine](const protocol::ToolCall& call) { return start(engine, call); },
  };
}

}  // namespace baton::surface::atomic
