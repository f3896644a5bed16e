#include "workflow/read_json.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"

namespace baton::workflow {
namespace {

using json::Object;
using json::Value;

constexpr std::array<std::string_view, 9> workflow_keys = {
    "$schema", "baton", "id", "name", "title", "description", "version", "tags", "steps"};
constexpr std::array<std::string_view, 6> step_keys = {
    "id", "type", "title", "prompt", "requireConfirmation", "agentRole"};

/// Collects mistakes, so that an author sees them all in one go.
class Checker {
 public:
  void mistake(std::string_view where, std::string_view what) {
    if (!mistakes_.empty()) mistakes_ += "; ";
    mistakes_ += cat(where, ": ", what);
  }

  void known_keys(const Object& object, std::string_view where,
                  std::span<const std::string_view> keys) {
    for (const json::Member& member : object) {
      if (std::ranges::find(keys, member.key) != keys.end()) continue;
      const auto near = nearest(member.key, keys);
      mistake(where, cat("unknown key \"", member.key, '"',
                         near ? cat(", did you mean \"", *near, "\"?") : std::string()));
    }
  }

  std::string text(const Object& object, std::string_view where, std::string_view key,
                   bool required) {
    const Value* value = object.find(key);
    if (value == nullptr) {
      if (required) mistake(where, cat("\"", key, "\" is missing"));
      return {};
    }
    if (!value->is_string()) {
      mistake(where, cat("\"", key, "\" must be a string"));
      return {};
    }
    if (required && value->if_string()->empty()) mistake(where, cat("\"", key, "\" is empty"));
    return *value->if_string();
  }

  bool truth(const Object& object, std::string_view where, std::string_view key) {
    const Value* value = object.find(key);
    if (value == nullptr) return false;
    if (value->if_bool() == nullptr) mistake(where, cat("\"", key, "\" must be true or false"));
    return value->if_bool() != nullptr && *value->if_bool();
  }

  const std::string& mistakes() const { return mistakes_; }

 private:
  std::string mistakes_;
};

PromptStep read_step(Checker& check, const Value& value, std::string_view where) {
  PromptStep step;
  const Object* object = value.if_object();
  if (object == nullptr) {
    check.mistake(where, "must be an object");
    return step;
  }
  check.known_keys(*object, where, step_keys);
  const std::string type = check.text(*object, where, "type", false);
  if (!type.empty() && type != "prompt") {
    check.mistake(where, cat("there is no step type \"", type, "\"; the one type is \"prompt\""));
  }
  step.id = check.text(*object, where, "id", true);
  if (!step.id.empty() && !is_valid_name(step.id)) {
    check.mistake(where, "\"id\" may hold letters, digits, '-', '_', ':' and '.' only");
  }
  step.title = check.text(*object, where, "title", false);
  if (step.title.empty()) step.title = step.id;
  step.prompt = check.text(*object, where, "prompt", true);
  step.require_confirmation = check.truth(*object, where, "requireConfirmation");
  if (object->contains("agentRole"))
    step.agent_role = check.text(*object, where, "agentRole", true);
  return step;
}

void read_steps(Checker& check, const Object& object, std::vector<PromptStep>& steps) {
  const Value* list = object.find("steps");
  if (list == nullptr || list->if_array() == nullptr || list->if_array()->empty()) {
    check.mistake("workflow", "\"steps\" must be an array with at least one step");
    return;
  }
  if (list->if_array()->size() > limits::workflow_steps_max) {
    check.mistake("workflow", cat("more than ", limits::workflow_steps_max, " steps"));
    return;
  }
  std::set<std::string> ids;
  for (const Value& value : *list->if_array()) {
    const std::string where = cat("steps[", steps.size(), "]");
    steps.push_back(read_step(check, value, where));
    const std::string& id = steps.back().id;
    if (!id.empty() && !ids.insert(id).second) {
      check.mistake(where, cat("the id \"", id, "\" is taken by an earlier step"));
    }
  }
}

void read_tags(Checker& check, const Object& object, std::vector<std::string>& tags) {
  const Value* list = object.find("tags");
  if (list == nullptr) return;
  if (list->if_array() == nullptr ||
      !std::ranges::all_of(*list->if_array(), [](const Value& tag) { return tag.is_string(); })) {
    check.mistake("workflow", "\"tags\" must be an array of strings");
    return;
  }
  for (const Value& tag : *list->if_array()) tags.push_back(*tag.if_string());
}

}  // namespace

Result<CompiledWorkflow> read_json(std::string_view text, std::string_view file) {
  const auto parsed = json::parse(text, {.bytes_max = limits::workflow_bytes_max});
  if (!parsed) return fail(Code::WORKFLOW_INVALID, cat(file, ": ", parsed.error().message));
  const Object* object = parsed->if_object();
  if (object == nullptr) return fail(Code::WORKFLOW_INVALID, cat(file, ": must be an object"));

  Checker check;
  check.known_keys(*object, "workflow", workflow_keys);
  CompiledWorkflow workflow;
  workflow.id = check.text(*object, "workflow", "id", true);
  if (!workflow.id.empty() && !is_valid_name(workflow.id)) {
    check.mistake("workflow", "\"id\" may hold letters, digits, '-', '_', ':' and '.' only");
  }
  workflow.name = check.text(*object, "workflow", "name", false);
  if (workflow.name.empty()) workflow.name = check.text(*object, "workflow", "title", false);
  if (workflow.name.empty()) workflow.name = workflow.id;
  workflow.description = check.text(*object, "workflow", "description", false);
  workflow.version = check.text(*object, "workflow", "version", false);
  if (workflow.version.empty()) workflow.version = "0";
  read_tags(check, *object, workflow.tags);
  read_steps(check, *object, workflow.steps);
  if (!check.mistakes().empty()) {
    return fail(Code::WORKFLOW_INVALID, cat(file, ": ", check.mistakes()),
                "correct the file and call again");
  }
  return workflow;
}

}  // namespace baton::workflow
