#include "base/text/text.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "verbs/run/next_step.h"
#include "verbs/run/read_state.h"

namespace baton::surface::atomic {
namespace {

// A value and its text; what is longer is read by a path into it.
constexpr std::size_t values_bytes = limits::result_bytes_max / 2 - 1'024;

std::vector<std::string> paths_of(const json::Object& arguments) {
  std::vector<std::string> out;
  const json::Value* paths = arguments.find("paths");
  if (paths == nullptr) return out;
  for (const json::Value& each : *paths->if_array()) out.push_back(*each.if_string());
  return out;
}

Result<protocol::ToolResult> call_workflow_state_read(const EngineSource& engine,
                                                      const protocol::ToolCall& call) {
  const engine::ReadContext reading = TRY(engine())->reading();
  const verbs::TaskRun of = TRY(run_argument(reading, call));
  const verbs::StateView view = TRY(verbs::read_state(
      reading, of.run, {.node = {}, .frame = of.frame, .paths = paths_of(call.arguments)}));
  json::Object state = shown_state(view.values, values_bytes);
  json::Array undefined;
  std::string text = cat("State: ", json::print(state), '\n');
  for (const std::string& each : view.undefined) {
    undefined.emplace_back(each);
    text += cat("Not set: ", each, '\n');
  }
  json::Object out{{"state", std::move(state)}};
  if (!undefined.empty()) out.set("undefined", std::move(undefined));
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_state_read(const EngineSource& engine) {
  return {
      .name = "workflow_state_read",
      .title = "Read a run's state",
      .description =
          "Use this to look at the state of a run: every value in one namespace, or those at the "
          "paths you name.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id"],"properties":{)",
                                 workflow_id_property, R"(,
        "paths":{"type":"array","items":{"type":"string"},
          "description":"Such as raw.attempts; all when left out."},)",
                                 sub_agent_property, "}}")),
      .output_schema = schema(R"({"type":"object","properties":{
        "state":{"type":"object","description":"Values by name, or by the paths asked for."},
        "undefined":{"type":"array","items":{"type":"string"},
          "description":"Paths that have no value yet."}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_state_read(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
