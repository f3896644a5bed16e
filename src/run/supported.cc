#include "run/supported.h"

#include <algorithm>

#include "base/text.h"
#include "workflow/expression.h"

namespace baton::run {
namespace {

using workflow::Step;
using workflow::StepKind;

/// Fields that say nothing to the engine, or that are in the prompt already.
constexpr std::string_view step_fields[] = {"agent",         "allowed_actions",       "description",
                                            "notesOptional", "pathPatterns",          "tags",
                                            "allowParallel", "required_output_format"};
constexpr std::string_view workflow_fields[] = {"clarificationPrompts",
                                                "complexity",
                                                "estimated_duration_minutes",
                                                "features",
                                                "functions",
                                                "guidance",
                                                "kind",
                                                "metaGuidance",
                                                "personas",
                                                "preconditions",
                                                "recommendedPreferences",
                                                "references",
                                                "rules",
                                                "triggers"};

std::unexpected<Error> refused(std::string what) {
  return fail(Code::WORKFLOW_NOT_SUPPORTED,
              cat("this release cannot run ", what, "; nothing was started"),
              "take it out of the workflow, or use a later release");
}

template <std::size_t N>
bool is_in(const std::string_view (&words)[N], std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

Result<void> check_step(const Step& step) {
  if (step.kind != StepKind::prompt) {
    return refused(cat("the step \"", step.id, "\" of type ", workflow::name_of(step.kind)));
  }
  for (const json::Member& member : step.fields) {
    if (is_in(step_fields, member.key)) continue;
    return refused(cat("\"", member.key, "\" of the step \"", step.id, '"'));
  }
  const workflow::Scanned scanned = workflow::scan_expressions(step.prompt);
  if (!scanned.expressions.empty()) {
    return refused(
        cat("the expression {{ ", scanned.expressions[0].code, " }} in the step \"", step.id, '"'));
  }
  return {};
}

}  // namespace

Result<void> check_supported(const workflow::CompiledWorkflow& workflow) {
  for (const Step& step : workflow.steps) TRY(check_step(step));
  // In the order of their names, so that every machine names the same one.
  std::vector<std::string_view> keys;
  for (const json::Member& member : workflow.fields) keys.push_back(member.key);
  std::ranges::sort(keys);
  for (const std::string_view key : keys) {
    if (!is_in(workflow_fields, key)) return refused(cat("\"", key, "\" of the workflow"));
  }
  return {};
}

}  // namespace baton::run
