#include "run/task_prompt.h"

#include "base/text/text.h"
#include "run/prompt_values.h"
#include "run/scope.h"

namespace baton::run {
namespace {

using json::Object;

std::string lines_of(const Object& definition) {
  std::string out;
  for (const json::Value& each : *definition.find("tasks")->if_array()) {
    out += cat("- ", *each.find("task_id")->if_string(), ": ",
               json::print(*each.find("context")->find("item")), '\n');
  }
  if (const json::Value* left_out = definition.find("tasks_left_out")) {
    out += cat("- and ", *left_out->if_int(), " more, numbered up to item",
               *definition.find("total")->if_int() - 1, '\n');
  }
  return out;
}

}  // namespace

bool is_task_step(const Pending& pending) {
  return pending.kind == workflow::StepKind::parallel_foreach &&
         pending.definition.contains("tasks");
}

TaskStep task_step(const Pending& pending) {
  const Object& definition = pending.definition;
  TaskStep out{.total = *definition.find("total")->if_int(),
               .max_parallel = *definition.find("max_parallel")->if_int(),
               .wait_for_all = *definition.find("wait_for_all")->if_bool(),
               .prompt = {},
               .list = lines_of(definition)};
  if (const json::Value* prompt = definition.find("sub_agent_prompt")) {
    out.prompt = *prompt->if_string();
  }
  return out;
}

TaskList list_tasks(const json::Array& items, std::string_view step_key, const RunId& run,
                    std::size_t bytes_max, const std::function<bool(std::size_t)>& is_meant) {
  TaskList out;
  std::size_t bytes = 0;
  for (std::size_t item = 0; item < items.size(); ++item) {
    if (!is_meant(item)) continue;
    Object each{{"task_id", task_id(step_key, item)},
                {"context", Object{{"item", items[item]},
                                   {"index", static_cast<std::int64_t>(item)},
                                   {"total", static_cast<std::int64_t>(items.size())},
                                   {"workflow_id", run.text()}}}};
    if (out.left_out == 0) bytes += json::print(each).size();
    if (out.left_out > 0 || (bytes > bytes_max && !out.tasks.empty())) {
      ++out.left_out;
    } else {
      out.tasks.emplace_back(std::move(each));
    }
  }
  return out;
}

void show_tasks(const workflow::CompiledWorkflow& workflow, const workflow::Step& step,
                const NodeState& state, Scripts& scripts, Pending& pending) {
  const TaskPolicy policy = task_policy(step);
  const json::Array& items = *state.items->if_array();
  TaskList list = list_tasks(items, pending.step_id, state.run, limits::tasks_shown_bytes_max,
                             [](std::size_t) { return true; });
  pending.kind = workflow::StepKind::parallel_foreach;
  pending.definition = Object{{"total", static_cast<std::int64_t>(items.size())},
                              {"max_parallel", policy.max_parallel},
                              {"wait_for_all", policy.wait_for_all}};
  if (policy.prompt) {
    pending.definition.set("sub_agent_prompt",
                           with_values(*policy.prompt, scope_at(workflow, state), scripts));
  }
  if (policy.timeout_ms) pending.definition.set("timeout_ms", *policy.timeout_ms);
  if (list.left_out > 0) {
    pending.definition.set("tasks_left_out", static_cast<std::int64_t>(list.left_out));
  }
  pending.definition.set("tasks", std::move(list.tasks));
  pending.prompt = cat("Sub-agents do this step: ", items.size(),
                       items.size() == 1 ? " task" : " tasks", ", at most ", policy.max_parallel,
                       " at the same time.\n\nTasks:\n", lines_of(pending.definition));
}

}  // namespace baton::run
