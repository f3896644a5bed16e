#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "surface/page.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::surface::atomic {
namespace {

using json::Object;
using json::Value;

constexpr std::size_t page_bytes = limits::result_bytes_max - 4'096;
constexpr std::size_t field_bytes = 6'000;  // of the state's schema, the tasks, or one step

/// The value itself, or a text that says how long it is.
Value shown(const Value& value) {
  const std::size_t bytes = json::print(value).size();
  if (bytes <= field_bytes) return value;
  return cat('[', bytes, " bytes; `baton inspect --format json` shows all]");
}

/// A step that is too long by its members, those inside it first.
Object shown_step(const workflow::Step& step) {
  const Value whole = workflow::to_json(step);
  Object out;
  for (const json::Member& member : *whole.if_object()) out.set(member.key, shown(member.value));
  return out;
}

Object state_schema(const workflow::CompiledWorkflow& workflow) {
  Object out{{"raw", Object()}, {"computed", Object()}};
  const Value* state = workflow.declared.find("state");
  if (state == nullptr) return out;
  for (const json::Member& tier : *state->if_object()) {
    if (!tier.value.is_array()) {
      out.set(tier.key, shown(tier.value));
      continue;
    }
    // Computed fields are listed in the order in which they are computed; here they go by name.
    Object by_name;
    for (const Value& each : *tier.value.if_array()) {
      Object field = *each.if_object();
      field.erase("name");
      by_name.set(*each.find("name")->if_string(), std::move(field));
    }
    out.set(tier.key, shown(by_name));
  }
  return out;
}

Result<protocol::ToolResult> call_workflow_load_definition(const EngineSource& engine,
                                                           const protocol::ToolCall& call) {
  const verbs::FoundWorkflow found = TRY(verbs::inspect_workflow(
      TRY(engine())->workflows, text_argument(call.arguments, "workflow").value_or("")));
  const workflow::CompiledWorkflow& workflow = found.compilation.pinned->workflow;
  const Value* tasks = workflow.declared.find("tasks");
  Object out{{"name", workflow.id},
             {"loaded_from", found.file.path},
             {"hash", cat("sha256:", found.compilation.pinned->hash.hex())},
             {"state_schema", state_schema(workflow)},
             {"sub_agent_tasks", tasks == nullptr ? Value(Object()) : shown(*tasks)}};
  std::string text = cat(workflow.id, " from ", found.file.path, '\n',
                         "state_schema: ", json::print(*out.find("state_schema")), '\n',
                         "sub_agent_tasks: ", json::print(*out.find("sub_agent_tasks")), '\n');
  const std::size_t first = TRY(first_of_page(text_argument(call.arguments, "cursor"),
                                              workflow.steps.size(), "workflow_load_definition"));
  Page page(page_bytes - std::min(page_bytes, 2 * text.size()));
  std::size_t last = first;
  for (; last < workflow.steps.size(); ++last) {
    Object step = shown_step(workflow.steps[last]);
    const std::string line = cat("- ", json::print(step), '\n');
    if (!page.add(std::move(step), line)) break;
  }
  text += cat("steps, a line each:\n", page.text);
  out.set("steps", std::move(page.entries));
  if (last < workflow.steps.size()) {
    out.set("next_cursor", cat(last));
    text += cat("More: call workflow_load_definition with cursor \"", last, "\".\n");
  }
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_load_definition(const EngineSource& engine) {
  return {
      .name = "workflow_load_definition",
      .title = "Load a workflow's definition",
      .description =
          "Use this to study a workflow: its compiled steps, state and tasks. Running one does not "
          "need it.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,
        "required":["workflow"],"properties":{
        "workflow":{"type":"string","description":"Its name, from workflow_list."},
        "cursor":{"type":"string","description":"The last next_cursor."}}})"),
      .output_schema = schema(R"({"type":"object","properties":{
        "name":{"type":"string"},"steps":{"type":"array","items":{"type":"object"}},
        "state_schema":{"type":"object","description":"raw, computed, state, defaults."},
        "sub_agent_tasks":{"description":"By name."},"loaded_from":{"type":"string"},
        "hash":{"type":"string"},"next_cursor":{"type":"string"}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_load_definition(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
