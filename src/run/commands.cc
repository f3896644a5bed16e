#include "run/commands.h"

#include <algorithm>

namespace baton::run {
namespace {

bool is_command(const json::Value& evidence) { return evidence.find("command") != nullptr; }

bool has_command(const workflow::Step& step) {
  if (step.kind == workflow::StepKind::shell_command) return true;
  const json::Value* evidence = step.fields.find("evidence");
  const json::Array* list = evidence == nullptr ? nullptr : evidence->if_array();
  if (list != nullptr && std::ranges::any_of(*list, is_command)) return true;
  return std::ranges::any_of(step.blocks, [](const workflow::Block& block) {
    return std::ranges::any_of(block.steps, has_command);
  });
}

/// Tasks and steps after a failure are kept as JSON: whatever they have is looked for there.
bool mentions_commands(const json::Value& value) {
  if (const json::Array* list = value.if_array()) {
    return std::ranges::any_of(*list, mentions_commands);
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return false;
  return std::ranges::any_of(*object, [](const json::Member& member) {
    return member.key == "command" || member.key == "argv" || mentions_commands(member.value);
  });
}

}  // namespace

bool has_commands(const workflow::CompiledWorkflow& workflow) {
  if (std::ranges::any_of(workflow.steps, has_command)) return true;
  for (const std::string_view field : {"tasks", "error_handling"}) {
    const json::Value* value = workflow.fields.find(field);
    if (value != nullptr && mentions_commands(*value)) return true;
  }
  return false;
}

}  // namespace baton::run
