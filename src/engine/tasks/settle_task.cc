#include "engine/tasks/settle_task.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "run/decide/settle_task.h"

namespace baton::engine {
namespace {

/// The commits on the way to a run's latest point, the first first.
Result<std::vector<std::vector<run::Event>>> path_of(const LoadContext& loading,
                                                     run::NodeRow node) {
  std::vector<std::vector<run::Event>> path;
  while (true) {
    const CommitEvents events = TRY(load_events(loading, node.no.commit()));
    path.emplace_back(events.begin(), events.end());
    if (!node.parent) break;
    node = TRY(load_parent(loading, node));
  }
  std::ranges::reverse(path);
  return path;
}

Result<void> append(Engine& engine, const Tasks& tasks, std::string key,
                    std::vector<run::Event> events) {
  TRY(engine.store.append(
      {tasks.run.session, std::move(key), engine.clock.wall(), std::move(events)}));
  return {};
}

bool is_late(const Tasks& tasks, WallMs now) {
  return tasks.policy.timeout_ms &&
         now.value >= tasks.entry.created.value + *tasks.policy.timeout_ms;
}

/// All that are open fail at once, in one commit: in the log they are before or after any event
/// that also settles them.
Result<void> settle_late(Engine& engine, const Tasks& tasks) {
  std::vector<run::Event> events;
  std::size_t settled = 0;
  {
    const auto held = TRY(read_task_log(engine.reading(), tasks));
    const run::TaskBoard& board = held->tasks;
    settled = board.order().size();
    for (std::size_t item = 0; item < board.tasks().size(); ++item) {
      const run::TaskBoard::Task& task = board.tasks()[item];
      if (task.settled != nullptr) continue;
      events.push_back(run::failed_task(
          tasks.ref(item, task.attempt), true, "timeout",
          cat("it was not done within ", *tasks.policy.timeout_ms, " ms of the step's start")));
    }
  }
  if (events.empty()) return {};
  return append(engine, tasks, cat("late/", tasks.entry.id.text(), '/', settled),
                std::move(events));
}

}  // namespace

Result<void> append_settled(Engine& engine, const Tasks& tasks, run::TaskSettled settled) {
  std::string key = cat("settle/", tasks.entry.id.text(), '/', settled.task, '/', settled.attempt);
  return append(engine, tasks, std::move(key), {std::move(settled)});
}

Result<run::TaskSettled> settlement_of(const LoadContext& loading, const Tasks& tasks,
                                       const run::TaskRef& task, const run::RunRow& child) {
  const run::NodeRow tip = TRY(load_node(loading, child.tip));
  const auto end = TRY(load_state(loading, tip));
  if (end->task != task) {
    return fail(Code::STORAGE_CORRUPTION_DETECTED,
                cat(child.run.text(), " carries out another task"));
  }
  const auto path = TRY(path_of(loading, tip));
  return run::settled_by(tasks.workflow->workflow, *tasks.step, *end, path);
}

Result<void> settle_task(Engine& engine, const Tasks& tasks, std::size_t item, std::int64_t attempt,
                         const run::RunRow& child) {
  return append_settled(
      engine, tasks, TRY(settlement_of(engine.reading(), tasks, tasks.ref(item, attempt), child)));
}

Result<void> settle_ended_tasks(Engine& engine, const Tasks& tasks) {
  struct Begun {
    std::size_t item;
    std::int64_t attempt;
    RunId child;
  };
  std::vector<Begun> begun;
  {
    const auto held = TRY(read_task_log(engine.reading(), tasks));
    const run::TaskBoard& board = held->tasks;
    for (const std::size_t item : board.begun()) {
      const run::TaskBoard::Task& task = board.tasks()[item];
      begun.push_back({item, task.attempt, task.lease->child});
    }
  }
  for (const Begun& each : begun) {
    const auto found = engine.store.run(each.child);
    // A damaged one is closed; its task stays open, and the others are settled.
    if (!found && is_damage(found.error())) continue;
    const auto child = TRY(found);
    if (child && child->is_complete) {
      TRY(settle_task(engine, tasks, each.item, each.attempt, *child));
    }
  }
  return is_late(tasks, engine.clock.wall()) ? settle_late(engine, tasks) : Result<void>();
}

}  // namespace baton::engine
