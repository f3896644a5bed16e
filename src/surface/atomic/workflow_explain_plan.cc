#include "base/text/text.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "surface/page.h"
#include "verbs/workflow/explain_plan.h"

namespace baton::surface::atomic {
namespace {

using json::Object;

constexpr std::size_t page_bytes = limits::result_bytes_max - 2'048;

json::Array texts_json(const std::vector<std::string>& texts) {
  json::Array out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string out;
  for (const std::string& text : texts) out += cat(out.empty() ? "" : between, text);
  return out;
}

Object step_entry(const run::ExplainedStep& step) {
  Object out{{"step_id", step.id}, {"type", name_of(step.kind)}};
  if (!step.conditions.empty()) out.set("conditions", texts_json(step.conditions));
  if (step.sub_agents) out.set("estimated_sub_agents", *step.sub_agents);
  if (!step.dependencies.empty()) out.set("dependencies", texts_json(step.dependencies));
  return out;
}

std::string step_line(const run::ExplainedStep& step) {
  std::string out = cat("- ", step.id, " (", name_of(step.kind), ')');
  if (!step.conditions.empty()) out += cat(", if ", joined(step.conditions, " and "));
  if (step.sub_agents) out += cat(", ", *step.sub_agents, " sub-agents");
  if (!step.dependencies.empty()) out += cat(", after ", joined(step.dependencies, ", "));
  return out + '\n';
}

Result<protocol::ToolResult> call_workflow_explain_plan(const EngineSource& engine,
                                                        const protocol::ToolCall& call) {
  const run::ExplainedPlan plan = TRY(verbs::explain_plan(
      TRY(engine())->workflows, text_argument(call.arguments, "workflow").value_or(""),
      object_argument(call.arguments, "inputs")));
  const std::size_t first = TRY(first_of_page(text_argument(call.arguments, "cursor"),
                                              plan.steps.size(), "workflow_explain_plan"));
  Page page(page_bytes);
  std::size_t last = first;
  while (last < plan.steps.size() &&
         page.add(step_entry(plan.steps[last]), step_line(plan.steps[last]))) {
    ++last;
  }
  const std::string duration =
      plan.minutes ? cat(json::print(json::Value(*plan.minutes)), " minutes") : "not known";
  std::string text =
      cat(page.text, "Estimated duration: ", duration,
          "\nRequired tools: ", plan.tools.empty() ? "none" : joined(plan.tools, ", "), '\n');
  Object out{{"steps", std::move(page.entries)},
             {"estimated_duration", duration},
             {"required_tools", texts_json(plan.tools)}};
  if (last < plan.steps.size()) {
    out.set("next_cursor", cat(last));
    text += cat("More: call workflow_explain_plan with cursor \"", last, "\".\n");
  }
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_explain_plan(const EngineSource& engine) {
  return {
      .name = "workflow_explain_plan",
      .title = "Explain what a workflow would do",
      .description =
          "Use this to see every step that a workflow may take and which tools it needs, without "
          "starting it. It checks the inputs.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,
        "required":["workflow"],"properties":{
        "workflow":{"type":"string","description":"Its name, from workflow_list."},
        "inputs":{"type":"object","description":"The inputs to check, by name."},
        "cursor":{"type":"string","description":"The last next_cursor."}}})"),
      .output_schema = schema(R"({"type":"object","properties":{
        "steps":{"type":"array","items":{"type":"object"},
          "description":"step_id, type, conditions, estimated_sub_agents, dependencies."},
        "estimated_duration":{"type":"string"},
        "required_tools":{"type":"array","items":{"type":"string"}},
        "next_cursor":{"type":"string"}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_explain_plan(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
