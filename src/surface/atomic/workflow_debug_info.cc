#include "base/text.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "verbs/step_history.h"

namespace baton::surface::atomic {
namespace {

using json::Object;

Result<protocol::ToolResult> run(const EngineSource& engine, const protocol::ToolCall& call) {
  const verbs::Reading reading = TRY(engine())->reading();
  const verbs::RunPoint point = TRY(verbs::find_open_step(
      reading, {call.principal}, text_argument(call.arguments, "workflow_id").value_or("")));
  const verbs::StepHistory history = TRY(verbs::step_history(reading, point));
  const run::Reply& reply = point.reply.reply;
  const std::string current = reply.pending ? reply.pending->step_id : std::string();
  json::Array steps;
  std::string text = cat(
      "Run ", point.run.run.text(), " of ", point.run.workflow_id, ", ", name_of(reply.status),
      "\nCurrent step: ", current.empty() ? "none" : current, "\nSteps done, the newest first:\n");
  for (const verbs::StepRecord& each : history.steps) {
    const std::string_view status = each.failed ? "failed" : "success";
    steps.emplace_back(Object{{"step_id", each.step},
                              {"started_at", to_rfc3339(each.started)},
                              {"completed_at", to_rfc3339(each.completed)},
                              {"status", status}});
    text += cat("- ", each.step, ": ", status, ", ", to_rfc3339(each.started), " to ",
                to_rfc3339(each.completed), '\n');
  }
  if (!history.is_whole) text += "(older ones are not shown)\n";
  const auto bytes = static_cast<std::int64_t>(json::print(*point.state->context).size());
  text += cat("State: ", bytes, " bytes, nothing computed\n");
  return protocol::ToolResult{
      .structured = {{"workflow_id", point.run.run.text()},
                     {"workflow", point.run.workflow_id},
                     {"status", name_of(reply.status)},
                     {"current_step", current},
                     {"step_history", std::move(steps)},
                     {"step_history_is_whole", history.is_whole},
                     {"state_size", Object{{"raw_bytes", bytes},
                                           {"computed_bytes", 0},
                                           {"total_transformations", 0}}},
                     {"performance", Object{{"avg_transformation_time", 0},
                                            {"slowest_transformations", json::Array()}}}},
      .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_debug_info(const EngineSource& engine) {
  return {
      .name = "workflow_debug_info",
      .title = "Look into a run",
      .description =
          "Use this when a run is not where you expect it: it shows the open step, the steps on "
          "the way to it and the sizes of the state.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id"],"properties":{)",
                                 workflow_id_property, "}}")),
      .output_schema = schema(R"({"type":"object","properties":{
        "workflow_id":{"type":"string"},"workflow":{"type":"string"},"status":{"type":"string"},
        "current_step":{"type":"string","description":"Empty when no step is open."},
        "step_history":{"type":"array","items":{"type":"object"},
          "description":"Newest first: step_id, started_at, completed_at, status."},
        "step_history_is_whole":{"type":"boolean"},
        "state_size":{"type":"object","properties":{
          "raw_bytes":{"type":"integer"},"computed_bytes":{"type":"integer"},
          "total_transformations":{"type":"integer"}}},
        "performance":{"type":"object","properties":{
          "avg_transformation_time":{"type":"number","description":"Milliseconds."},
          "slowest_transformations":{"type":"array","items":{"type":"object"}}}}}})"),
      .annotations = reads_only,
      .handler = [engine](const protocol::ToolCall& call) { return answer_own(run(engine, call)); },
  };
}

}  // namespace baton::surface::atomic
