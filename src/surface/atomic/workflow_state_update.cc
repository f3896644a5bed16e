#include "base/text/text.h"
#include "engine/load/find_open_step.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "verbs/run/update_state.h"

namespace baton::surface::atomic {
namespace {

std::vector<verbs::RequestedUpdate> updates_of(const json::Object& arguments) {
  std::vector<verbs::RequestedUpdate> out;
  for (const json::Value& each : *arguments.find("updates")->if_array()) {
    const json::Value* value = each.find("value");
    out.push_back({text_argument(*each.if_object(), "path").value_or(""),
                   text_argument(*each.if_object(), "operation").value_or(""),
                   value == nullptr ? json::Value() : *value});
  }
  return out;
}

Result<protocol::ToolResult> call_workflow_state_update(const EngineSource& source,
                                                        const protocol::ToolCall& call) {
  engine::Engine& engine = *TRY(source());
  const engine::Principal principal = principal_of(call);
  verbs::StateChange change;
  change.updates = updates_of(call.arguments);
  const std::string run = text_argument(call.arguments, "workflow_id").value_or("");
  const auto task = TRY(task_argument(call.arguments));
  const engine::ReadContext reading = engine.reading();
  const verbs::TaskRun of =
      task ? TRY(verbs::run_of_live_task(reading, principal, run, *task))
           : verbs::TaskRun{TRY(engine::find_own_run(reading, principal, run)), {}};
  change.frame = of.frame;
  const verbs::StateView view = TRY(verbs::update_state(engine, principal, of.run, change));
  const json::Object state = shown_state(view.values);
  return protocol::ToolResult{
      .structured = {{"success", true}, {"state", state}},
      .text = cat("The state was changed and its computed fields were updated.\nState: ",
                  json::print(state), '\n')};
}

}  // namespace

protocol::Tool workflow_state_update(const EngineSource& engine) {
  return {
      .name = "workflow_state_update",
      .title = "Change a run's state",
      .description =
          "Use this when a step tells you to store something: all updates are made or none, and "
          "what depends on them is computed. Paths begin with raw. or state.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id","updates"],"properties":{)",
                                 workflow_id_property, R"(,
        "updates":{"type":"array","description":"Made together, in this order.",
          "items":{"type":"object","additionalProperties":false,
            "description":"One update.","required":["path"],"properties":{
            "path":{"type":"string","description":"Such as raw.attempts."},
            "operation":{"type":"string","description":"Default set.",
              "enum":["set","append","increment","decrement","merge","multiply"]},
            "value":{"description":"Any JSON."}}}},)",
                                 sub_agent_property, "}}")),
      .output_schema = schema(R"({"type":"object","properties":{
        "success":{"type":"boolean"},
        "state":{"type":"object","description":"All values."}}})"),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = false,
                      .open_world = false},
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_state_update(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
