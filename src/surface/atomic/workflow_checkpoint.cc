#include "base/text/text.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "verbs/run/complete_step.h"

namespace baton::surface::atomic {
namespace {

Result<protocol::ToolResult> call_workflow_checkpoint(const EngineSource& engine,
                                                      const protocol::ToolCall& call) {
  run::StepInput input;
  input.notes = text_argument(call.arguments, "reason");
  engine::Engine& open = *TRY(engine());
  std::string at = text_argument(call.arguments, "workflow_id").value_or("");
  if (const auto task = TRY(task_argument(call.arguments))) {
    at = TRY(verbs::run_of_live_task(open.reading(), principal_of(call), at, *task)).run.run.text();
  }
  const engine::NodeAnswer reply = TRY(
      verbs::checkpoint_step(open, principal_of(call),
                             {at, text_argument(call.arguments, "step_id").value_or(""), input}));
  const std::string node =
      reply.reply.checkpoint_node ? reply.reply.checkpoint_node->text() : std::string();
  const std::string run = reply.reply.run.text();
  const std::string path = cat(run, '/', node);
  return protocol::ToolResult{
      .structured = {{"checkpoint_id", node}, {"state_path", path}},
      .text = cat("Progress is saved as ", node, " (", path,
                  "); the step is still open. Continue it here, or in a new chat with "
                  "workflow_resume and workflow_id \"",
                  run, "\".\n")};
}

}  // namespace

protocol::Tool workflow_checkpoint(const EngineSource& engine) {
  return {
      .name = "workflow_checkpoint",
      .title = "Save progress within a step",
      .description =
          "Use this when your context is nearly full: it saves where you are within a step.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id","step_id","reason"],"properties":{)",
                                 workflow_id_property, R"(,
        "step_id":{"type":"string","description":"The id of the open step."},
        "reason":{"type":"string",
          "description":"What is needed to continue."},)",
                                 sub_agent_property, "}}")),
      .output_schema = schema(R"({"type":"object","properties":{
        "checkpoint_id":{"type":"string"},
        "state_path":{"type":"string","description":"run/node."}}})"),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = false,
                      .open_world = false},
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_checkpoint(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
