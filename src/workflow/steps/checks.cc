#include "workflow/steps/checks.h"

#include <algorithm>

#include "base/schema/pattern.h"
#include "base/schema/schema.h"
#include "base/text/text.h"
#include "workflow/check/closed_sets.h"

namespace baton::workflow {

StepChecks::StepChecks(const Expanded& expanded, Diagnostics& diagnostics)
    : expanded_(expanded), diagnostics_(diagnostics) {
  for (const SyntaxNode& task : expanded_.tasks.children) tasks_.insert(task.key);
  const SyntaxNode* list = expanded_.root.find("assessments");
  if (list == nullptr) return;
  for (const SyntaxNode& each : list->children) {
    if (!assessments_.insert(std::string(each.text_of("id"))).second) {
      wrong(Code::WORKFLOW_DUPLICATE_ID, each.at,
            cat("the assessment \"", each.text_of("id"), "\" occurs twice"));
    }
  }
}

std::vector<std::string_view> StepChecks::named(const Names& names) const {
  if (diagnostics_.is_full()) return {};
  return {names.begin(), names.end()};
}

void StepChecks::iterations(const SyntaxNode* most, std::int64_t limit) {
  if (most == nullptr || most->integer <= limit) return;
  wrong(Code::WORKFLOW_UNBOUNDED_LOOP, most->at, cat("at most ", limit, " iterations"));
}

void StepChecks::contract(const SyntaxNode* name, const SourcePlace& at) {
  if (name == nullptr) {
    wrong(Code::WORKFLOW_MISSING_KEY, at, "\"contractRef\" is required here");
    return;
  }
  const std::string_view id = bare_name(name->text, "contracts");
  if (find_builtin(contracts(), id) != nullptr) return;
  std::vector<std::string_view> names;
  for (const Contract& each : contracts()) names.push_back(each.id);
  std::string hint = did_you_mean(id, names);
  if (diagnostics_.dialect_at(name->at) == Dialect::workrail) {
    diagnostics_.warning(Code::WORKFLOW_UNKNOWN_NAME, name->at,
                         cat("Baton does not know the contract \"", name->text,
                             "\"; an artifact of that kind is required, with any content"),
                         hint);
    return;
  }
  wrong(Code::WORKFLOW_UNKNOWN_NAME, name->at, cat("there is no contract \"", name->text, '"'),
        hint.empty() ? cat("the contracts are ", either_of(names)) : hint);
}

void StepChecks::assessment(const SyntaxNode& name) {
  if (assessments_.contains(name.text)) return;
  wrong(Code::WORKFLOW_UNKNOWN_NAME, name.at, cat("there is no assessment \"", name.text, '"'),
        did_you_mean(name.text, named(assessments_)));
}

void StepChecks::task(const SyntaxNode& name) {
  used_tasks_.insert(name.text);
  if (tasks_.contains(name.text)) return;
  const std::vector<std::string_view> known = named(tasks_);
  std::string hint = did_you_mean(name.text, known);
  if (hint.empty() && known.empty()) hint = "declare it under sub_agent_tasks";
  if (hint.empty()) {
    constexpr std::size_t most = 10;
    const std::vector<std::string_view> some(
        known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(most, known.size())));
    hint = cat("the tasks are ", either_of(some), known.size() > most ? " and more" : "");
  }
  wrong(Code::WORKFLOW_UNKNOWN_NAME, name.at, cat("there is no task \"", name.text, '"'), hint);
}

void StepChecks::schema(const SyntaxNode& shape) {
  const auto compiled = schema::Schema::compile(shape.to_json(), {});
  if (!compiled) {
    wrong(Code::WORKFLOW_WRONG_VALUE, shape.at, cat("the schema: ", compiled.error().message));
  }
}

void StepChecks::pattern(const SyntaxNode* node) {
  if (node == nullptr || !node->is_text()) return;
  const auto compiled = schema::Pattern::compile(node->text);
  if (!compiled) {
    wrong(Code::WORKFLOW_WRONG_VALUE, node->at, cat("the pattern: ", compiled.error().message));
  }
}

void StepChecks::report_unused_tasks() const {
  for (const SyntaxNode& task : expanded_.tasks.children) {
    if (used_tasks_.contains(task.key)) continue;
    diagnostics_.warning(Code::WORKFLOW_UNREACHABLE, task.key_at,
                         cat("no step uses the task \"", task.key, '"'));
  }
}

}  // namespace baton::workflow
