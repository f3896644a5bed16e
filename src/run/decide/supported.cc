#include "run/decide/supported.h"

#include "base/text/text.h"
#include "run/steps/behaviour.h"
#include "run/steps/results.h"

namespace baton::run {
namespace {

using workflow::Step;

std::unexpected<Error> refused(std::string what) {
  return fail(Code::WORKFLOW_NOT_SUPPORTED,
              cat("this release cannot run ", what, "; nothing was started"),
              "remove it from the workflow, or use a newer release");
}

/// The first part of the step that cannot be run; empty: all can.
std::string_view unsupported_in(const Step& step) {
  const StepBehaviour& behaviour = behaviour_of(step);
  if (step.timeout_ms && !behaviour.may_fail) return "timeout_ms";
  if (step.on_error && !behaviour.may_fail) return "on_error";
  if (step.updates && !behaviour.may_write) return "updates";
  if (!step.dependencies.empty()) return "dependencies";
  if (step.error_update && !behaviour.may_fail) return "error_update";
  if (step.confirmation && !behaviour.is_for_agent) return "confirmation";
  return behaviour.unsupported == nullptr ? "" : behaviour.unsupported(step);
}

Result<void> check_step(const Step& step) {
  if (const std::string_view part = unsupported_in(step); !part.empty()) {
    return refused(cat("\"", part, "\" of the step \"", step.id, '"'));
  }
  TRY(check_result_schema(step));
  for (const workflow::Block& block : step.blocks) {
    for (const Step& inner : block.steps) TRY(check_step(inner));
  }
  return {};
}

/// The time that a whole run may take is not kept.
Result<void> check_config(const workflow::CompiledWorkflow& workflow) {
  const json::Value* config = workflow.declared.find("config");
  if (config == nullptr || config->find("timeout_seconds") == nullptr) return {};
  return refused("\"config.timeout_seconds\" of the workflow");
}

}  // namespace

Result<void> check_supported(const workflow::CompiledWorkflow& workflow) {
  for (const Step& step : workflow.steps) TRY(check_step(step));
  for (const Step& step : workflow.on_failure) TRY(check_step(step));
  for (const auto& [name, blocks] : workflow.tasks) {
    for (const workflow::Block& block : blocks) {
      for (const Step& step : block.steps) TRY(check_step(step));
    }
  }
  return check_config(workflow);
}

}  // namespace baton::run
