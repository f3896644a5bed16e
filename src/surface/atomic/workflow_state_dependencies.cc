#include "base/text/text.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "verbs/run/state_dependencies.h"

namespace baton::surface::atomic {
namespace {

void show(json::Object& out, std::string& text, std::string_view key,
          const std::vector<std::string>& names) {
  json::Array list;
  text += cat(key, ": ");
  for (const std::string& each : names) {
    text += cat(list.empty() ? "" : ", ", each);
    list.emplace_back(each);
  }
  text += names.empty() ? "none\n" : "\n";
  out.set(key, std::move(list));
}

Result<protocol::ToolResult> call_workflow_state_dependencies(const EngineSource& engine,
                                                              const protocol::ToolCall& call) {
  const engine::ReadContext reading = TRY(engine())->reading();
  const verbs::TaskRun of = TRY(run_argument(reading, call));
  const verbs::StateDependencies found = TRY(verbs::state_dependencies(
      reading, of.run, text_argument(call.arguments, "field").value_or(""), of.frame));
  json::Object out;
  std::string text;
  show(out, text, "direct_deps", found.direct);
  show(out, text, "all_deps", found.all);
  show(out, text, "dependents", found.dependents);
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_state_dependencies(const EngineSource& engine) {
  return {
      .name = "workflow_state_dependencies",
      .title = "See what a field depends on",
      .description =
          "Use this to see what a field of the state is computed from, and what changes with it.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id","field"],"properties":{)",
                                 workflow_id_property, R"(,
        "field":{"type":"string","description":"Its name, with or without raw. or computed."},)",
                                 sub_agent_property, "}}")),
      .output_schema = schema(R"({"type":"object","properties":{
        "direct_deps":{"type":"array","items":{"type":"string"}},
        "all_deps":{"type":"array","items":{"type":"string"}},
        "dependents":{"type":"array","items":{"type":"string"}}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_state_dependencies(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
