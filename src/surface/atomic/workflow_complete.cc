#include "base/text/text.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "verbs/run/complete_step.h"
#include "verbs/run/read_state.h"

namespace baton::surface::atomic {
namespace {

std::optional<run::RunEnd> end_of(const json::Object& arguments) {
  const std::string status = text_argument(arguments, "status").value_or("");
  if (status == "success") return std::nullopt;
  return run::RunEnd{status == "failed" ? run::RunState::failed : run::RunState::abandoned,
                     text_argument(arguments, "reason").value_or("")};
}

/// Whether the run ended as the caller says; it may have been over already.
bool ended_as(const std::optional<run::RunEnd>& end, run::RunState state) {
  return state == (end ? end->to : run::RunState::running);
}

Result<protocol::ToolResult> call_workflow_complete(const EngineSource& source,
                                                    const protocol::ToolCall& call) {
  engine::Engine& engine = *TRY(source());
  const std::optional<run::RunEnd> end = end_of(call.arguments);
  const engine::RunPoint point = TRY(verbs::end_run(
      engine, principal_of(call), text_argument(call.arguments, "workflow_id").value_or(""), end));
  const std::string_view status = name_of(point.answer.reply.status);
  const json::Object state =
      shown_state(TRY(verbs::read_state(engine.reading(), point.run)).values);
  json::Object out{{"success", ended_as(end, point.state->run_state)},
                   {"status", status},
                   {"final_state", state}};
  std::string text =
      cat("The run has ended: ", status, ".\nFinal state: ", json::print(state), '\n');
  text += add_assumptions(out, point.answer.reply);
  text += "Summarise the results for the user.\n";
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_complete(const EngineSource& engine) {
  return {
      .name = "workflow_complete",
      .title = "End a run",
      .description =
          "Use this when no step is left, with status \"success\", to get the final state. "
          "\"failed\" "
          "or \"cancelled\" abandons a run that has an open step.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id","status"],"properties":{)",
                                 workflow_id_property, R"(,
        "status":{"type":"string","enum":["success","failed","cancelled"],
          "description":"How the run ends."},
        "reason":{"type":"string","description":"Why it is abandoned."}}})")),
      .output_schema = schema(cat(R"({"type":"object","properties":{
        "success":{"type":"boolean"},
        "status":{"type":"string","description":"complete, complete_with_gaps, failed, abandoned."},
        "final_state":{"type":"object","description":"All values."},)",
                                  assumptions_property, "}}")),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_complete(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
