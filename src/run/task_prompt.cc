#include "run/task_prompt.h"

#include "base/text.h"
#include "run/prompt_values.h"
#include "run/scope.h"

namespace baton::run {
namespace {

using json::Object;

std::string rail_text(const Pending& pending, const TaskList& list, std::size_t total,
                      const RunId& run, const TaskPolicy& policy) {
  std::string out =
      cat("Sub-agents do this step: ", total, total == 1 ? " task" : " tasks", ", at most ",
          policy.max_parallel,
          " at the same time. Start a sub-agent for each of the tasks below "
          "and give it the task's id and context and the instructions that follow. It begins with "
          "start_workflow {\"workflowId\":\"",
          run.text(), "/<task id>\"} and goes on with the tokens that it gets.\n\n",
          *pending.definition.find("sub_agent_prompt")->if_string(), "\n\nTasks:\n");
  for (const json::Value& each : list.tasks) {
    out += cat("- ", *each.find("task_id")->if_string(), ": ",
               json::print(*each.find("context")->find("item")), '\n');
  }
  if (list.left_out > 0) {
    out += cat("- and ", list.left_out, " more, numbered on to item", total - 1, '\n');
  }
  return out + (policy.wait_for_all
                    ? "\nOnce the last of them is done the run goes on by itself: then send this "
                      "step's ackToken.\n"
                    : "\nSend this step's ackToken when enough of them are done; those still open "
                      "are given up.\n");
}

}  // namespace

std::string_view standard_sub_agent_prompt() {
  return "You are a sub-agent of a workflow and carry out one task of it, to its end.\n"
         "\n"
         "1. Call workflow_get_next_step with the workflow_id of your task's context and "
         "sub_agent_context {\"task_id\": your task's id}.\n"
         "2. Carry out the step exactly as its instructions and definition say, with your own "
         "tools. After a wait_step, wait and ask again.\n"
         "3. Call workflow_step_complete with the step's id, its result and the same "
         "sub_agent_context. If the step cannot be done, send status \"failed\" and say why in "
         "error.\n"
         "4. Go on with 1 until step is null. Then report in one sentence, and stop.\n"
         "\n"
         "The steps say all there is to do: decide nothing yourself, and leave alone what belongs "
         "to other tasks. Sending the same call twice does no harm.";
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
  pending.definition =
      Object{{"total", static_cast<std::int64_t>(items.size())},
             {"max_parallel", policy.max_parallel},
             {"wait_for_all", policy.wait_for_all},
             {"sub_agent_prompt",
              policy.prompt ? with_values(*policy.prompt, scope_at(workflow, state), scripts)
                            : std::string(standard_sub_agent_prompt())}};
  if (policy.timeout_ms) pending.definition.set("timeout_ms", *policy.timeout_ms);
  pending.prompt = rail_text(pending, list, items.size(), state.run, policy);
  if (list.left_out > 0) {
    pending.definition.set("tasks_left_out", static_cast<std::int64_t>(list.left_out));
  }
  pending.definition.set("tasks", std::move(list.tasks));
}

}  // namespace baton::run
