#pragma once
// What an agent is told of a step whose work sub-agents do. Pure.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "run/graph/state.h"
#include "run/show/reply.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

/// A pending step that sub-agents do.
struct TaskStep {
  std::int64_t total = 0;
  std::int64_t max_parallel = 0;
  bool wait_for_all = true;
  std::optional<std::string> prompt;  // for sub-agents, when the workflow has one
  std::string list;                   // a line for each task
};
bool is_task_step(const Pending& pending);
/// REQUIRES: is_task_step(pending).
TaskStep task_step(const Pending& pending);

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
