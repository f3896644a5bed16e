#include "base/text/text.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "verbs/workflow/test_transformation.h"

namespace baton::surface::atomic {
namespace {

Result<protocol::ToolResult> call_workflow_test_transformation(const EngineSource& source,
                                                               const protocol::ToolCall& call) {
  engine::Engine& engine = *TRY(source());
  if (engine.scripts == nullptr) return fail(Code::INTERNAL, "this server does not run scripts");
  json::Object scope = object_argument(call.arguments, "context");
  if (const json::Value* input = call.arguments.find("input")) scope.set("input", *input);
  const verbs::TriedTransformation tried =
      verbs::test_transformation(*engine.scripts, engine.clock, engine.entropy,
                                 text_argument(call.arguments, "transform").value_or(""), scope);
  json::Object out{{"success", tried.output.has_value()}};
  std::string text;
  if (tried.output) {
    out.set("output", *tried.output);
    text = cat("Output: ", json::print(*tried.output), '\n');
  } else {
    out.set("error", tried.output.error().message);
    text = cat("Error: ", tried.output.error().message, '\n');
  }
  out.set("execution_time_ms", tried.elapsed_ms);
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_test_transformation(const EngineSource& engine) {
  return {
      .name = "workflow_test_transformation",
      .title = "Try a transform",
      .description =
          "Use this to try the JavaScript of a computed field on an input. It changes no run.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,
        "required":["transform"],"properties":{
        "transform":{"type":"string",
          "description":"An expression, or statements with a return; `input` is the input."},
        "input":{"description":"Any JSON."},
        "context":{"type":"object","description":"More values in scope, by name."}}})"),
      .output_schema = schema(R"({"type":"object","properties":{
        "success":{"type":"boolean"},"output":{"description":"What the script returned."},
        "error":{"type":"string","description":"What went wrong, and where in the script."},
        "execution_time_ms":{"type":"integer"}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_test_transformation(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
