#include "workflow/steps/parallel_foreach.h"

#include "workflow/check/shapes.h"
#include "workflow/lower/lower_step.h"
#include "workflow/steps/checks.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr std::string_view task_strategies[] = {"retry_failed", "continue", "fail_all"};
constexpr Shape task_strategy{
    .kind = ShapeKind::text, .what = "a strategy", .words = task_strategies};
constexpr Key task_error_keys[] = {{"strategy", &task_strategy},
                                   {"max_retries", &count},
                                   {"collect_errors", &boolean},
                                   {"error_state_path", &filled}};
constexpr Shape task_error{
    .kind = ShapeKind::object, .what = "what a failing sub-agent does", .keys = task_error_keys};
constexpr Key parallel_keys[] = {{"items", &items, "", required},
                                 {"max_parallel", &positive, "default 5"},
                                 {"wait_for_all", &boolean},
                                 {"sub_agent_task", &filled, "A task of sub_agent_tasks"},
                                 {"steps", &some_steps, "The task's steps, instead of a name"},
                                 {"body", &some_steps, "", alias, "steps"},
                                 {"timeout", &duration},
                                 {"timeout_ms", &duration},
                                 {"timeout_seconds", &duration},
                                 {"on_sub_agent_error", &task_error},
                                 {"sub_agent_prompt_override", &filled}};

constexpr Key delegation_keys[] = {{"workflowId", &filled, "", required},
                                   {"goal", &text},
                                   {"runCondition", &condition},
                                   {"contextMapping", &text_map},
                                   {"args", &text_map},
                                   {"modelTier", &any, "", KeyRule::ignored, {}, workrail},
                                   {"allowedTools", &some_texts}};
constexpr Shape delegation{
    .kind = ShapeKind::object, .what = "a delegation", .keys = delegation_keys};
constexpr Shape delegations{.kind = ShapeKind::list,
                            .what = "a list of at least one delegation",
                            .item = &delegation,
                            .min = 1};
constexpr Key synthesis_keys[] = {{"prompt", &filled}, {"outputContract", &output_contract}};
constexpr Shape synthesis{.kind = ShapeKind::object, .what = "a synthesis", .keys = synthesis_keys};
constexpr Key delegate_keys[] = {{"parallelDelegations", &delegations, "", required},
                                 {"synthesis", &synthesis},
                                 {"requireConfirmation", &confirmation},
                                 {"notesOptional", &boolean}};

}  // namespace
}  // namespace shapes

namespace {

void check_parallel_foreach(const SyntaxNode& step, StepChecks& checks) {
  const SyntaxNode* task = step.find("sub_agent_task");
  if ((task != nullptr) == step.has("steps")) {
    checks.wrong(task != nullptr ? Code::WORKFLOW_DUPLICATE_KEY : Code::WORKFLOW_MISSING_KEY,
                 step.at, "a parallel_foreach step needs either \"sub_agent_task\" or \"steps\"");
  }
  if (task != nullptr) checks.task(*task);
}

TaskErrors errors_of(const SyntaxNode& node) {
  TaskErrors out{.strategy = {},
                 .max_retries = integer_at(node, "max_retries"),
                 .collect_errors = flag_at(node, "collect_errors"),
                 .error_state_path = text_at(node, "error_state_path")};
  if (node.has("strategy")) out.strategy = named<TaskStrategy>(node.text_of("strategy"));
  return out;
}

void lower_parallel_foreach(SyntaxNode& node, StepLowering& lowering, Step& out) {
  ParallelForeach spread;
  if (const SyntaxNode* items = node.find("items")) spread.items = items_of(*items);
  if (const auto most = integer_at(node, "max_parallel")) spread.max_parallel = *most;
  spread.wait_for_all = flag_at(node, "wait_for_all").value_or(true);
  spread.task = text_at(node, "sub_agent_task");
  if (const SyntaxNode* errors = node.find("on_sub_agent_error")) {
    spread.on_sub_agent_error = errors_of(*errors);
  }
  spread.sub_agent_prompt = text_at(node, "sub_agent_prompt_override");
  out.body = std::move(spread);
  lowering.block(node, "steps", out);
}

}  // namespace

std::span<const StepType> ParallelForeach::spellings() {
  static constexpr StepType types[] = {{.name = "parallel_foreach",
                                        .actor = "sub-agents",
                                        .help = "Give each item to a sub-agent",
                                        .keys = shapes::parallel_keys,
                                        .inside = Inside::task,
                                        .check = check_parallel_foreach,
                                        .lower = lower_parallel_foreach},
                                       {.name = "parallel",
                                        .actor = "sub-agents",
                                        .help = "Give goals to sub-agents and combine the results",
                                        .keys = shapes::delegate_keys}};
  return types;
}

}  // namespace baton::workflow
