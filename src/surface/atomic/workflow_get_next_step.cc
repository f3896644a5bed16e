#include "base/text.h"
#include "surface/ask_user.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/waiting.h"
#include "verbs/carry_on.h"
#include "verbs/complete_step.h"

namespace baton::surface::atomic {
namespace {

/// The open step; a question to the user is asked through the client first, if that is possible.
Result<std::variant<verbs::RunPoint, protocol::NeedInput>> open_step(
    verbs::Engine& engine, const protocol::ToolCall& call) {
  const std::string run = text_argument(call.arguments, "workflow_id").value_or("");
  while (true) {
    verbs::RunPoint point =
        TRY(verbs::carry_on_run(engine, {call.principal}, run, patience_of(call)));
    UserAnswer asked = ask_user(call, point.reply.reply);
    if (asked.question) return *std::move(asked.question);
    if (!asked.answer) return point;
    const std::string step = point.reply.reply.pending->step_id;
    TRY(verbs::complete_step(engine, {call.principal},
                             {run, step, *std::move(asked.answer), patience_of(call)}));
  }
}

protocol::ToolResult encode(const verbs::RunPoint& point) {
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

protocol::ToolAnswer run(const EngineSource& source, const protocol::ToolCall& call) {
  const auto opened = [&]() -> Result<std::variant<verbs::RunPoint, protocol::NeedInput>> {
    TRY(check_task(call.arguments));
    return open_step(*TRY(source()), call);
  }();
  if (!opened) return answer_own(std::unexpected(opened.error()));
  if (const auto* question = std::get_if<protocol::NeedInput>(&*opened)) return *question;
  return encode(std::get<verbs::RunPoint>(*opened));
}

}  // namespace

protocol::Tool workflow_get_next_step(const EngineSource& engine) {
  return {
      .name = "workflow_get_next_step",
      .title = "Get the next step",
      .description =
          "Use this to get the next action of a run, ready to be carried out: conditions and loops "
          "are decided already. The same step comes again until workflow_step_complete; step is "
          "null when none is left. Where your client shows forms, it asks the user itself.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id"],"properties":{)",
                                 workflow_id_property, ',', sub_agent_property, "}}")),
      .output_schema = schema(R"({"type":"object","properties":{
        "workflow_id":{"type":"string"},
        "status":{"type":"string","description":"in_progress, blocked, complete, )"
                              R"(complete_with_gaps, failed or abandoned."},
        "step":{"description":"id, type, instructions, definition, variable_replacements, )"
                              R"(original_expression, complete_with; or null."},
        "blockers":{"type":"array","items":{"type":"object"},
          "description":"Why the last attempt at the step did not pass."}}})"),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .handler = [engine](const protocol::ToolCall& call) { return run(engine, call); },
  };
}

}  // namespace baton::surface::atomic
