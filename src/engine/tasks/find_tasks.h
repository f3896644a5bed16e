#pragma once
// The tasks of a step that sub-agents carry out, and their status. Reads only.

#include "base/core/thread_safety.h"
#include "engine/engine.h"

namespace baton::engine {

/// The tasks of one step of a run.
struct Tasks {
  run::RunRow run;
  run::NodeRow entry;  // where the step became pending
  std::string step_key;
  bool is_open = false;                         // on the way that the run goes
  std::shared_ptr<const run::NodeState> state;  // there, or at the latest point while it is open
  std::shared_ptr<const workflow::Pinned> workflow;
  const workflow::Step* step = nullptr;
  run::TaskPolicy policy;
  std::shared_ptr<Guarded<Board>> board;

  const json::Array& items() const { return *state->items->if_array(); }
  run::TaskRef ref(std::size_t item, std::int64_t attempt) const {
    return {run.run, entry.id, run::task_id(step_key, item), attempt};
  }
};

/// The board with all that is in the log.
Result<Guarded<Board>::Held> read_task_log(const LoadContext& loading, const Tasks& tasks);

/// Those of the step that is open at a node; a checkpoint means the node where its step became
/// pending. NOT_FOUND when no sub-agents are wanted there.
Result<Tasks> tasks_at(const LoadContext& loading, const run::RunRow& run,
                       const run::NodeRow& node);

/// The number of one of them, and those that it is of. A task is named by its id or, of the last
/// step that has tasks, as run::item_called says. NOT_FOUND for what the run does not have.
struct FoundTask {
  Tasks tasks;
  std::size_t item = 0;
};
Result<FoundTask> find_task(const LoadContext& loading, const run::RunRow& run,
                            std::string_view task);

/// The ids of tasks that are open at a run's latest point; none when no sub-agent is wanted there.
Result<std::vector<std::string>> open_task_ids(const LoadContext& loading, const run::RunRow& run);

}  // namespace baton::engine
