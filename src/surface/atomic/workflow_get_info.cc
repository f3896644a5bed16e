#include "base/text/text.h"
#include "base/text/utf8.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::surface::atomic {
namespace {

using json::Object;

constexpr std::size_t text_bytes = 2'000;
constexpr std::size_t input_bytes = 500;  // of one input

/// The inputs in the words of a file; a long default is told by its size.
Object inputs_json(const workflow::CompiledWorkflow& workflow) {
  Object out;
  const json::Value* inputs = workflow.declared.find("inputs");
  if (inputs == nullptr) return out;
  for (const json::Member& input : *inputs->if_object()) {
    Object shown;
    for (const json::Member& member : *input.value.if_object()) {
      const std::string text = json::print(member.value);
      shown.set(member.key, text.size() <= input_bytes
                                ? member.value
                                : json::Value(utf8::truncate(text, input_bytes)));
    }
    out.set(input.key, std::move(shown));
  }
  return out;
}

Result<protocol::ToolResult> call_workflow_get_info(const EngineSource& engine,
                                                    const protocol::ToolCall& call) {
  const verbs::FoundWorkflow found = TRY(verbs::inspect_workflow(
      TRY(engine())->workflows, text_argument(call.arguments, "workflow").value_or("")));
  const workflow::CompiledWorkflow& workflow = found.compilation.pinned->workflow;
  Object inputs = inputs_json(workflow);
  std::string text = cat(workflow.id, ", version ", workflow.version, ", from ", found.file.path,
                         "\n", utf8::truncate(workflow.description, text_bytes), '\n',
                         inputs.empty() ? "It takes no inputs.\n" : "Inputs:\n");
  for (const json::Member& input : inputs) {
    text += cat("- ", input.key, ": ", json::print(input.value), '\n');
  }
  text += cat("Call workflow_start with workflow \"", workflow.id, "\" and the inputs.\n");
  return protocol::ToolResult{
      .structured = {{"name", workflow.id},
                     {"description", utf8::truncate(workflow.description, text_bytes)},
                     {"inputs", std::move(inputs)},
                     {"version", workflow.version},
                     {"found_at", found.file.path}},
      .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_get_info(const EngineSource& engine) {
  return {
      .name = "workflow_get_info",
      .title = "See what a workflow needs",
      .description =
          "Use this before workflow_start, to see what a workflow is for and its inputs.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,
        "required":["workflow"],"properties":{
        "workflow":{"type":"string","description":"Its name, from workflow_list."}}})"),
      .output_schema = schema(R"({"type":"object","properties":{
        "name":{"type":"string"},"description":{"type":"string"},
        "inputs":{"type":"object","description":"By name: type, default, required, description."},
        "version":{"type":"string"},"found_at":{"type":"string"}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_get_info(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
