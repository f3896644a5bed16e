#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "surface/owner_words.h"
#include "surface/waiting.h"
#include "verbs/run/next_step.h"

namespace baton::surface::atomic {
namespace {

using json::Object;

/// `result` is the notes of other surfaces: text as it is, anything else as JSON, which is then the
/// result of the step as well.
Result<run::StepInput> input_of(const Object& arguments) {
  run::StepInput input = input_arguments(arguments);
  const bool failed = text_argument(arguments, "status") == "failed";
  const auto error = text_argument(arguments, "error");
  if (error && !failed) {
    return fail(Code::INVALID_INPUT, "an error was sent, but not the status \"failed\"",
                "send status \"failed\", or leave the error out");
  }
  if (const json::Value* result = arguments.find("result"); result != nullptr) {
    if (input.notes) {
      return fail(Code::INVALID_INPUT, "result and output.notesMarkdown were both sent",
                  "send only one of them");
    }
    if (!result->is_null()) {
      input.notes = result->is_string() ? *result->if_string() : json::print(*result);
    }
    if (!result->is_null() && !result->is_string()) {
      input.artifacts.insert(input.artifacts.begin(),
                             Object{{"kind", run::result_kind}, {"value", *result}});
    }
  }
  if (failed) {
    if (!input.notes) input.notes = error;
    input.failure = {"agent", error.value_or(input.notes.value_or(""))};
  }
  return input;
}

std::string text_of(const engine::NodeAnswer& reply, const std::string& step) {
  const run::Reply& told = reply.reply;
  if (told.kind == run::ReplyKind::blocked) {
    return cat("The step ", step, " did not pass",
               reply.is_recorded ? ". Your output is recorded, but the step stays open:\n"
                                 : ", and nothing was recorded:\n",
               blockers_text(told), example_text(told),
               "Fix it and call workflow_step_complete again.\n");
  }
  std::string out =
      cat("The step ", step, reply.is_unproven ? " has failed" : " is recorded", ".\n");
  if (reply.fork) {
    out = cat("The step ", step,
              " was already recorded with another result, which is kept; nothing was changed.\n");
  }
  if (told.status == run::RunStatus::failed) return out + "The run failed.\n";
  return out + "Call workflow_get_next_step.\n";
}

Result<protocol::ToolResult> call_workflow_step_complete(const EngineSource& engine,
                                                         const protocol::ToolCall& call) {
  const auto task = task_argument(call.arguments);
  const std::string run = text_argument(call.arguments, "workflow_id").value_or("");
  const std::string step = text_argument(call.arguments, "step_id").value_or("");
  const run::StepInput input = TRY(input_of(call.arguments));
  const verbs::StepRequest request{run, step, input, wait_policy_of(call)};
  const engine::NodeAnswer reply =
      task ? TRY(verbs::complete_step_of_task(*TRY(engine()), {call.principal}, request, *task))
           : TRY(verbs::complete_step(*TRY(engine()), {call.principal}, request));
  const bool blocked = reply.reply.kind == run::ReplyKind::blocked;
  Object out{{"success", !blocked && !reply.is_unproven},
             {"workflow_id", task ? run : reply.reply.run.text()},
             {"step_id", step},
             {"status", name_of(reply.reply.status)}};
  if (blocked) {
    out.set("blockers", blockers_json(reply.reply));
    out.set("retryable", reply.reply.retryable);
  }
  json::Array warnings;
  std::string text = add_owner_words(out, reply.reply);
  text += text_of(reply, step);
  for (const std::string& warning : reply.reply.warnings) {
    warnings.emplace_back(warning);
    text += cat("Warning: ", warning, '\n');
  }
  if (!warnings.empty()) out.set("warnings", std::move(warnings));
  if (reply.fork) {
    out.set("notice", "The step was already recorded with another result; nothing was changed.");
  }
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_step_complete(const EngineSource& engine) {
  return {
      .name = "workflow_step_complete",
      .title = "Complete a step",
      .description =
          "Use this when you have done the step that workflow_get_next_step gave. success false "
          "means that it did not pass: fix what blockers say and call again; without blockers it "
          "has failed. Completing a step again returns what was recorded. Status \"failed\" says "
          "that it could not be done; the "
          "workflow decides whether it is tried again, left out or ends the run.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id","step_id"],"properties":{)",
                                 workflow_id_property, R"(,
        "step_id":{"type":"string","description":"The step's id, exactly as it was given."},
        "status":{"type":"string","enum":["success","failed"],
          "description":"How it went; default success."},
        "result":{"description":"What you did and found, in Markdown, or the result as JSON."},
        "error":{"type":"string","description":"Of a failed step: what went wrong."},
        "output":{"type":"object","additionalProperties":false,
          "description":"Instead of result, when the step asks for more.","properties":{
          "notesMarkdown":{"type":"string","description":"What you did and found."},
          "artifacts":{"type":"array","description":"Structured results that the step asks for.",
            "items":{"type":"object","description":"One result, with a kind."}}}},
        "context":{"type":"object",
          "description":"Facts to add or change, by name; null removes one."},)",
                                 sub_agent_property, "}}")),
      .output_schema = schema(cat(R"({"type":"object","properties":{)", owner_properties, R"(,
        "success":{"type":"boolean"},"workflow_id":{"type":"string"},"step_id":{"type":"string"},
        "status":{"type":"string","description":"Of the run."},
        "blockers":{"type":"array","items":{"type":"object"},
          "description":"code, pointer, message, suggested_fix."},
        "retryable":{"type":"boolean"},"warnings":{"type":"array","items":{"type":"string"}},
        "notice":{"type":"string"}}})")),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_step_complete(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
