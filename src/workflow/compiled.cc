#include "workflow/compiled.h"

#include <algorithm>

#include "base/json_fields.h"
#include "base/text.h"

namespace baton::workflow {
namespace {

using json::Fields;
using json::Object;

json::Value step_json(const PromptStep& step) {
  Object out{{"id", step.id},
             {"type", "prompt"},
             {"title", step.title},
             {"prompt", step.prompt},
             {"requireConfirmation", step.require_confirmation}};
  if (step.agent_role) out.set("agentRole", *step.agent_role);
  return out;
}

Result<PromptStep> step_from_json(const json::Value& value) {
  Fields fields(value, "pinned step", Code::STORE_CORRUPT);
  PromptStep step;
  step.id = TRY(fields.string("id"));
  if (TRY(fields.string("type")) != "prompt") return fields.wrong("type", "\"prompt\"");
  step.title = TRY(fields.string("title"));
  step.prompt = TRY(fields.string("prompt"));
  step.require_confirmation = TRY(fields.boolean("requireConfirmation"));
  if (fields.has("agentRole")) step.agent_role = TRY(fields.string("agentRole"));
  TRY(fields.done());
  return step;
}

}  // namespace

json::Value to_json(const CompiledWorkflow& workflow) {
  json::Array steps;
  for (const PromptStep& step : workflow.steps) steps.push_back(step_json(step));
  json::Array tags;
  for (const std::string& tag : workflow.tags) tags.emplace_back(tag);
  return Object{{"id", workflow.id},
                {"name", workflow.name},
                {"description", workflow.description},
                {"version", workflow.version},
                {"tags", std::move(tags)},
                {"steps", std::move(steps)}};
}

Result<CompiledWorkflow> compiled_from_json(const json::Value& value) {
  Fields fields(value, "pinned workflow", Code::STORE_CORRUPT);
  CompiledWorkflow workflow;
  workflow.id = TRY(fields.string("id"));
  workflow.name = TRY(fields.string("name"));
  workflow.description = TRY(fields.string("description"));
  workflow.version = TRY(fields.string("version"));
  workflow.tags = TRY(fields.strings("tags"));
  for (const json::Value& step : *TRY(fields.array("steps"))) {
    workflow.steps.push_back(TRY(step_from_json(step)));
  }
  TRY(fields.done());
  return workflow;
}

Result<Pinned> pin(CompiledWorkflow workflow) {
  std::string text = TRY(json::canonical(to_json(workflow)));
  const Sha256 hash = sha256(text);
  return Pinned{std::move(workflow), std::move(text), hash};
}

Result<Pinned> unpin(std::string text, const Sha256& hash) {
  if (sha256(text) != hash) {
    return fail(Code::STORE_CORRUPT, cat("the pinned workflow ", hash.hex(), " was changed"));
  }
  const auto value = json::parse(text, {.bytes_max = limits::compiled_workflow_bytes_max});
  if (!value) {
    return fail(Code::STORE_CORRUPT,
                cat("the pinned workflow ", hash.hex(), " is not JSON: ", value.error().message));
  }
  CompiledWorkflow workflow = TRY(compiled_from_json(*value));
  return Pinned{std::move(workflow), std::move(text), hash};
}

bool is_valid_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == ':' || c == '.';
  };
  return !name.empty() && name.size() <= limits::workflow_name_bytes_max &&
         name.find("..") == std::string_view::npos && std::ranges::all_of(name, allowed);
}

}  // namespace baton::workflow
