#include "base/text.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"

namespace baton::surface::atomic {
namespace {

Result<protocol::ToolResult> run(const EngineSource& engine, const protocol::ToolCall& call) {
  TRY(check_task(call.arguments));
  const verbs::RunPoint point =
      TRY(verbs::find_open_step(TRY(engine())->reading(), {call.principal},
                                text_argument(call.arguments, "workflow_id").value_or("")));
  const run::Reply& reply = point.reply.reply;
  json::Object out{{"workflow_id", point.run.run.text()},
                   {"status", name_of(reply.status)},
                   {"step", step_json(point)}};
  std::string text;
  if (!reply.blockers.empty()) {
    out.set("blockers", blockers_json(reply));
    text = cat("The last attempt at this step did not pass:\n", blockers_text(reply), '\n');
  }
  return protocol::ToolResult{.structured = std::move(out), .text = text + step_text(point)};
}

}  // namespace

protocol::Tool workflow_get_next_step(const EngineSource& engine) {
  return {
      .name = "workflow_get_next_step",
      .title = "Get the next step",
      .description =
          "Use this to get the next action of a run, ready to be carried out: conditions and loops "
          "are decided already. The same step comes again until workflow_step_complete; step is "
          "null when none is left. Nothing is written.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id"],"properties":{)",
                                 workflow_id_property, ',', sub_agent_property, "}}")),
      .output_schema = schema(R"({"type":"object","properties":{
        "workflow_id":{"type":"string"},
        "status":{"type":"string","description":"in_progress, blocked, complete, )"
                              R"(complete_with_gaps, failed or abandoned."},
        "step":{"description":"id, type, instructions, definition, complete_with; or null."},
        "blockers":{"type":"array","items":{"type":"object"},
          "description":"Why the last attempt at the step did not pass."}}})"),
      .annotations = reads_only,
      .handler = [engine](const protocol::ToolCall& call) { return answer_own(run(engine, call)); },
  };
}

}  // namespace baton::surface::atomic
