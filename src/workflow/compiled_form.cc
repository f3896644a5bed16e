// Which form of the compiled workflow a workflow needs. What release 0.1.0 knew is listed here as
// it was then, so that a member that is added later needs a later form without being named here.

#include <algorithm>

#include "workflow/compiled.h"
#include "workflow/steps/members.h"

namespace baton::workflow {
namespace {

constexpr auto form_1_last_kind = StepKind::wait_step;
constexpr std::string_view form_1_blocks[] = {"body", "else", "steps", "then"};
constexpr std::string_view form_1_step_members[] = {"agent",
                                                    "allowParallel",
                                                    "allowed_actions",
                                                    "argv",
                                                    "assessmentConsequences",
                                                    "assessmentRefs",
                                                    "choices",
                                                    "command",
                                                    "condition",
                                                    "confirmation",
                                                    "context",
                                                    "context_template",
                                                    "control",
                                                    "count",
                                                    "default",
                                                    "dependencies",
                                                    "description",
                                                    "env",
                                                    "error_update",
                                                    "evidence",
                                                    "expected_response",
                                                    "file",
                                                    "format",
                                                    "fragments",
                                                    "frame",
                                                    "hints",
                                                    "index_var",
                                                    "input_type",
                                                    "inputs",
                                                    "instructions",
                                                    "item_var",
                                                    "items",
                                                    "iteration_var",
                                                    "kind",
                                                    "loop_id",
                                                    "max_iterations",
                                                    "max_parallel",
                                                    "max_retries",
                                                    "message",
                                                    "message_type",
                                                    "nonAssumableChoice",
                                                    "notesOptional",
                                                    "on_error",
                                                    "on_sub_agent_error",
                                                    "outputContract",
                                                    "output_format",
                                                    "parameters",
                                                    "pathPatterns",
                                                    "reason",
                                                    "required_output_format",
                                                    "runCondition",
                                                    "sub_agent_prompt",
                                                    "tags",
                                                    "task",
                                                    "timeout_ms",
                                                    "tool",
                                                    "tools",
                                                    "updates",
                                                    "validation",
                                                    "validationCriteria",
                                                    "wait_for_all",
                                                    "workflow",
                                                    "working_directory"};
constexpr std::string_view form_1_workflow_members[] = {"assessments",
                                                        "capabilities",
                                                        "clarificationPrompts",
                                                        "complexity",
                                                        "config",
                                                        "contracts",
                                                        "error_handling",
                                                        "estimated_duration_minutes",
                                                        "features",
                                                        "functions",
                                                        "guidance",
                                                        "inputs",
                                                        "kind",
                                                        "metaGuidance",
                                                        "on_resume",
                                                        "personas",
                                                        "preconditions",
                                                        "recommendedPreferences",
                                                        "references",
                                                        "rules",
                                                        "state",
                                                        "tasks",
                                                        "triggers"};
static_assert(std::ranges::is_sorted(form_1_blocks));
static_assert(std::ranges::is_sorted(form_1_step_members));
static_assert(std::ranges::is_sorted(form_1_workflow_members));

/// Hears of each member that a step would write, and keeps whether one is newer than form 1.
class MemberNames {
 public:
  template <class T>
  void operator()(std::string_view key, const T& value) {
    if constexpr (may_be_absent<T>) {
      if (!value) return;
    }
    take(key);
  }
  void when_true(std::string_view key, bool value) {
    if (value) take(key);
  }
  void when_filled(std::string_view key, const std::vector<std::string>& value) {
    if (!value.empty()) take(key);
  }

  bool has_newer() const { return has_newer_; }

 private:
  void take(std::string_view key) {
    has_newer_ = has_newer_ || !std::ranges::binary_search(form_1_step_members, key);
  }

  bool has_newer_ = false;
};

bool is_newer_than_form_1(const std::vector<Step>& steps);

bool is_newer_than_form_1(const Block& block) {
  return !std::ranges::binary_search(form_1_blocks, block.name) ||
         is_newer_than_form_1(block.steps);
}

bool is_newer_than_form_1(const Step& step) {
  MemberNames names;
  Step::members(names, step);
  std::visit([&](const auto& body) { body.members(names, body); }, step.body);
  return names.has_newer() || step.kind() > form_1_last_kind ||
         std::ranges::any_of(step.blocks,
                             [](const Block& each) { return is_newer_than_form_1(each); });
}

bool is_newer_than_form_1(const std::vector<Step>& steps) {
  return std::ranges::any_of(steps, [](const Step& each) { return is_newer_than_form_1(each); });
}

/// The blocks of a task are read by their names, which are not written as those of a step are.
bool is_newer_than_form_1(const TaskBlocks& task) {
  return std::ranges::any_of(task,
                             [](const Block& each) { return is_newer_than_form_1(each.steps); });
}

bool is_newer_than_form_1(const CompiledWorkflow& workflow) {
  return is_newer_than_form_1(workflow.steps) || is_newer_than_form_1(workflow.on_failure) ||
         std::ranges::any_of(workflow.declared,
                             [](const json::Member& each) {
                               return !std::ranges::binary_search(form_1_workflow_members,
                                                                  each.key);
                             }) ||
         std::ranges::any_of(workflow.tasks,
                             [](const auto& each) { return is_newer_than_form_1(each.second); });
}

}  // namespace

std::int64_t form_of(const CompiledWorkflow& workflow) {
  return is_newer_than_form_1(workflow) ? 2 : 1;
}

}  // namespace baton::workflow
