#pragma once
// What an agent is told of a step whose work sub-agents do, and what these are told. Pure.

#include <functional>
#include <string>
#include <string_view>

#include "run/reply.h"
#include "run/scripts.h"
#include "run/state.h"
#include "workflow/compiled.h"

namespace baton::run {

/// What a sub-agent does with its task, unless the workflow says otherwise.
std::string_view standard_sub_agent_prompt();

struct TaskList {
  json::Array tasks;         // {task_id, context{item, index, total, workflow_id}}
  std::size_t left_out = 0;  // that had no room
};

/// The tasks of `items` for which `is_meant`, as many as take `bytes_max` as text, but at least
/// one.
TaskList list_tasks(const json::Array& items, std::string_view step_key, const RunId& run,
                    std::size_t bytes_max, const std::function<bool(std::size_t)>& is_meant);

/// Fills in what is pending at such a step. REQUIRES: state.items.
void show_tasks(const workflow::CompiledWorkflow& workflow, const workflow::Step& step,
                const NodeState& state, Scripts& scripts, Pending& pending);

}  // namespace baton::run
