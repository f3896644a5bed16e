#include "run/supported.h"

#include <algorithm>

#include "base/text/text.h"
#include "run/agent_steps.h"
#include "run/step_result.h"

namespace baton::run {
namespace {

using workflow::Step;
using workflow::StepKind;

/// Fields that say nothing to the engine, or that are in the prompt already.
constexpr std::string_view step_fields[] = {"agent",         "allowed_actions",       "description",
                                            "notesOptional", "pathPatterns",          "tags",
                                            "allowParallel", "required_output_format"};
/// Fields that the walk goes by.
constexpr std::string_view walk_fields[] = {
    "condition", "control",       "count", "index_var",      "item_var",
    "items",     "iteration_var", "kind",  "max_iterations", "runCondition"};
/// Fields that say what a prompt shows and what its output must be.
constexpr std::string_view judged_fields[] = {"assessmentConsequences",
                                              "assessmentRefs",
                                              "confirmation",
                                              "context",
                                              "error_update",
                                              "evidence",
                                              "expected_response",
                                              "fragments",
                                              "max_retries",
                                              "nonAssumableChoice",
                                              "on_error",
                                              "outputContract",
                                              "timeout_ms",
                                              "updates",
                                              "validation",
                                              "validationCriteria"};
/// Fields of the other steps that agents and people do.
constexpr std::string_view agent_fields[] = {
    "argv",       "choices",       "command",     "confirmation", "default",
    "env",        "error_update",  "file",        "format",       "hints",
    "input_type", "instructions",  "max_retries", "message",      "message_type",
    "on_error",   "output_format", "parameters",  "reason",       "sandbox",
    "timeout_ms", "tool",          "updates",     "validation",   "working_directory"};
std::unexpected<Error> refused(std::string what) {
  return fail(Code::WORKFLOW_NOT_SUPPORTED,
              cat("this release cannot run ", what, "; nothing was started"),
              "remove it from the workflow, or use a newer release");
}

template <std::size_t N>
bool is_in(const std::string_view (&words)[N], std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

/// Fields of steps that sub-agents carry out.
constexpr std::string_view task_fields[] = {"error_update",       "max_parallel",     "on_error",
                                            "on_sub_agent_error", "sub_agent_prompt", "task",
                                            "timeout_ms",         "wait_for_all"};

bool is_walked(StepKind kind) {
  return kind == StepKind::conditional || kind == StepKind::loop || kind == StepKind::break_loop ||
         kind == StepKind::continue_loop || kind == StepKind::exit ||
         kind == StepKind::state_update || kind == StepKind::include ||
         kind == StepKind::parallel_foreach;
}

/// Fields that change the state or make a frame of it.
bool is_of_state(StepKind kind, std::string_view field) {
  if (field == "updates") {
    return kind == StepKind::state_update || kind == StepKind::parallel_foreach;
  }
  const bool is_frame = field == "frame" || field == "inputs" || field == "workflow";
  return is_frame && kind == StepKind::include;
}

Result<void> check_field(const Step& step, const json::Member& field) {
  const std::string where = cat("\"", field.key, "\" of the step \"", step.id, '"');
  if (is_in(step_fields, field.key)) return {};
  if (step.kind == StepKind::prompt && is_in(judged_fields, field.key)) return {};
  const bool is_agents = step.kind != StepKind::prompt && is_for_agent(step.kind);
  if (is_agents && is_in(agent_fields, field.key)) return {};
  if (is_of_state(step.kind, field.key)) return {};
  if (step.kind == StepKind::parallel_foreach && is_in(task_fields, field.key)) return {};
  const bool is_known = field.key == "runCondition" || is_walked(step.kind);
  if (!is_known || !is_in(walk_fields, field.key)) return refused(where);
  return {};
}

Result<void> check_step(const Step& step) {
  if (!is_for_agent(step.kind) && !is_walked(step.kind)) {
    return refused(cat("the step \"", step.id, "\" of type ", workflow::name_of(step.kind)));
  }
  for (const json::Member& member : step.fields) TRY(check_field(step, member));
  TRY(check_result_schema(step));
  for (const workflow::Block& block : step.blocks) {
    for (const Step& inner : block.steps) TRY(check_step(inner));
  }
  return {};
}

/// The time that a whole run may take is not kept.
Result<void> check_config(const workflow::CompiledWorkflow& workflow) {
  const json::Value* config = workflow.fields.find("config");
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
