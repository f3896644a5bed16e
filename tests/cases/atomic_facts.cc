// Facts of the atomic surface's answers about steps.

#include <algorithm>
#include <array>

#include "facts.h"

namespace baton::cases {
namespace {

/// What a definition has beside these is shown; a `prompt` is shown when a case queries it.
constexpr std::array<std::string_view, 5> unshown = {"title", "prompt", "require_confirmation",
                                                     "sub_agent_prompt", "reason"};

void say_definition(Facts& facts, const json::Value* definition) {
  if (definition == nullptr || !definition->is_object()) return;
  json::Object shown;
  for (const json::Member& member : *definition->if_object()) {
    const bool is_shown = std::ranges::find(unshown, member.key) == unshown.end();
    if (is_shown) shown.set(member.key, member.value);
  }
  if (!shown.empty()) facts.say("definition ", json::print(shown));
  if (definition->find("reason") != nullptr) facts.say("reason");
  if (is_true(definition->find("require_confirmation"))) facts.say("confirm");
  facts.expect_told("step.definition.prompt", definition->find("prompt"));
  facts.expect_told("step.definition.title", definition->find("title"));
}

/// What the step is completed with. A result beside the ids is the usual thing and not shown.
void say_complete_with(Facts& facts, const json::Value& step) {
  const json::Value* sample = step.find("complete_with");
  if (sample == nullptr || !sample->is_object()) return;
  std::string line;
  for (const json::Member& member : *sample->if_object()) {
    const bool is_usual =
        (member.key == "workflow_id" &&
         string_at(&facts.root(), "workflow_id") == string_at(sample, "workflow_id")) ||
        (member.key == "step_id" && string_at(&step, "id") == string_at(sample, "step_id")) ||
        (member.key == "status" && string_at(sample, "status") == "success") ||
        (member.key == "result" && member.value.is_string());
    if (is_usual) continue;
    line += cat(' ', member.key);
    if (member.key == "result") line += cat(' ', json::print(member.value));
    if (const json::Value* task = member.value.find("task_id")) line += cat(' ', word_of(task));
  }
  if (!line.empty()) facts.say("send", line);
}

}  // namespace

void say_atomic_step(Facts& facts) {
  say_blockers(facts);
  const json::Value* step = facts.take("step");
  const std::string status = word_of(facts.take("status"));
  if (step == nullptr || !step->is_object()) {
    facts.say(status == "complete" ? "complete" : cat("ended ", status));
  } else {
    facts.say("step ", string_at(step, "id"), ' ', string_at(step, "type"));
    facts.expect_told("step.id", step->find("id"));
    const bool is_blocked = facts.root().find("blockers") != nullptr;
    if (status != (is_blocked ? "blocked" : "in_progress")) facts.say("status ", status);
    say_definition(facts, step->find("definition"));
    if (const json::Value* replaced = step->find("variable_replacements")) {
      facts.say("replaced ", json::print(*replaced));
    }
    if (const json::Value* expression = step->find("original_expression")) {
      facts.say("expression ", word_of(expression));
    }
    say_complete_with(facts, *step);
  }
  say_recap(facts, facts.take("recap"));
  if (const json::Value* last = facts.take("last_checkpoint")) {
    facts.say("checkpoint ", word_of(last->find("step_id")));
  }
}

void say_atomic_completion(Facts& facts) {
  say_blockers(facts);
  facts.say(is_true(facts.take("success")) ? "recorded " : "not recorded ",
            word_of(facts.take("step_id")), ' ', word_of(facts.take("status")));
  if (facts.take("notice") != nullptr) facts.say("notice");
}

}  // namespace baton::cases
