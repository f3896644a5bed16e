#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "surface/ask_user.h"
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

std::string text_of(const engine::NodeAnswer& reply, const std::string& step, bool is_task) {
  const run::Reply& told = reply.reply;
  if (told.kind == run::ReplyKind::blocked) {
    return cat("The step ", step, " did not pass",
               reply.is_recorded ? ". Your output is recorded, but the step stays open:\n"
                                 : ", and nothing was recorded:\n",
               blockers_text(told),
               told.gate
                   ? cat(gate_help(*told.gate, told.run),
                         "Then call workflow_step_complete again with the same result.\n")
                   : cat(example_text(told), "Fix it and call workflow_step_complete again.\n"));
  }
  std::string out =
      cat("The step ", step, reply.is_unproven ? " has failed" : " is recorded", ".\n");
  if (reply.fork) {
    out = cat("The step ", step,
              " was already recorded with another result, which is kept; nothing was changed.\n");
  }
  if (!reply.fork && told.status == run::RunStatus::blocked) {
    out = cat("The step ", step, " may begin now; it is not done yet.\n");
  }
  if (told.status == run::RunStatus::failed) {
    return out + (is_task ? "The task failed.\n" : "The run failed.\n");
  }
  return out + "Call workflow_get_next_step.\n";
}

/// What came of the step, or what the user is to be asked about it first.
using Completed = std::variant<engine::NodeAnswer, protocol::NeedInput>;

/// A gate where the output waits is shown to the user through the client, if that is possible.
Result<Completed> complete_and_ask(engine::Engine& engine, const protocol::ToolCall& call) {
  const auto task = TRY(task_argument(call.arguments));
  run::StepInput input = TRY(input_of(call.arguments));
  const verbs::StepRequest request{.run = text_argument(call.arguments, "workflow_id").value_or(""),
                                   .step = text_argument(call.arguments, "step_id").value_or(""),
                                   .input = std::move(input),
                                   .wait = wait_policy_of(call)};
  std::optional<NodeId> asked_at;
  std::string warning;
  while (true) {
    engine::NodeAnswer reply =
        task ? TRY(verbs::complete_step_of_task(engine, principal_of(call), request, *task))
             : TRY(verbs::complete_step(engine, principal_of(call), request));
    if (!warning.empty()) reply.reply.warnings.push_back(warning);
    const bool waits = reply.reply.kind == run::ReplyKind::blocked && reply.reply.gate;
    if (!waits || reply.reply.gate->node == asked_at) return reply;
    asked_at = reply.reply.gate->node;
    AskedGate asked = TRY(decide_gate(engine, call, reply.reply));
    if (asked.question) return *std::move(asked.question);
    if (!asked.decided) return reply;
    warning = std::move(asked.warning);
  }
}

protocol::ToolResult encode(const engine::NodeAnswer& reply, const protocol::ToolCall& call) {
  const bool is_task = task_argument(call.arguments).value_or(std::nullopt).has_value();
  const std::string run = text_argument(call.arguments, "workflow_id").value_or("");
  const std::string step = text_argument(call.arguments, "step_id").value_or("");
  const bool blocked = reply.reply.kind == run::ReplyKind::blocked;
  Object out{{"success", !blocked && !reply.is_unproven},
             {"workflow_id", is_task ? run : reply.reply.run.text()},
             {"step_id", step},
             {"status", name_of(reply.reply.status)}};
  if (blocked) {
    out.set("blockers", blockers_json(reply.reply));
    out.set("retryable", reply.reply.retryable);
  }
  add_gate(out, reply.reply);
  json::Array warnings;
  std::string text = add_owner_words(out, reply.reply);
  text += text_of(reply, step, is_task);
  for (const std::string& warning : reply.reply.warnings) {
    warnings.emplace_back(warning);
    text += cat("Warning: ", warning, '\n');
  }
  if (!warnings.empty()) out.set("warnings", std::move(warnings));
  if (reply.fork) {
    out.set("notice", "The step was already recorded with another result; nothing was changed.");
  }
  return {.structured = std::move(out), .text = std::move(text)};
}

protocol::ToolAnswer call_workflow_step_complete(const EngineSource& source,
                                                 const protocol::ToolCall& call) {
  const auto engine = source();
  if (!engine) return tool_error(engine.error(), say);
  auto completed = complete_and_ask(**engine, call);
  if (!completed) return tool_error(std::move(completed).error(), say);
  if (auto* question = std::get_if<protocol::NeedInput>(&*completed)) return std::move(*question);
  return encode(std::get<engine::NodeAnswer>(*completed), call);
}

}  // namespace

protocol::Tool workflow_step_complete(const EngineSource& engine) {
  return {
      .name = "workflow_step_complete",
      .title = "Complete a step",
      .description =
          "Use this when you have done the step that workflow_get_next_step gave. success false "
          "with blockers: fix what they say and call again. Status \"failed\" says that it could "
          "not be done. A result that you wrote into the state need not be sent.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id","step_id"],"properties":{)",
                                 workflow_id_property, R"(,
        "step_id":{"type":"string","description":"Exactly as it was given."},
        "status":{"type":"string","enum":["success","failed"],
          "description":"How it went; default success."},
        "result":{"description":"What you did and found, or the result as JSON."},
        "error":{"type":"string","description":"What went wrong."},
        "output":{"type":"object","additionalProperties":false,
          "description":"Instead of result, where asked for.","properties":{
          "notesMarkdown":{"type":"string","description":"What you did."},
          "artifacts":{"type":"array","description":"What the step asks for.",
            "items":{"type":"object","description":"With a kind."}}}},
        "context":{"type":"object",
          "description":"Facts to add; null removes one."},
        "tokens_used":{"type":"integer","minimum":0,
          "description":"Tokens used for this step, if known."},)",
                                 sub_agent_property, "}}")),
      .output_schema = schema(cat(R"({"type":"object","properties":{)", owner_properties, R"(,
        "success":{"type":"boolean"},"workflow_id":{"type":"string"},"step_id":{"type":"string"},
        "status":{"type":"string","description":"Of the run."},
        "blockers":{"type":"array","items":{"type":"object"},
          "description":"code, pointer, message, suggested_fix."},
)",
                                  gate_property, R"(,
        "retryable":{"type":"boolean"},"warnings":{"type":"array","items":{"type":"string"}},
        "notice":{"type":"string"}}})")),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .handler =
          [engine](const protocol::ToolCall& call) {
            return call_workflow_step_complete(engine, call);
          },
  };
}

}  // namespace baton::surface::atomic
