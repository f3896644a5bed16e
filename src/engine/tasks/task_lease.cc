#include "engine/tasks/task_lease.h"

#include "base/text/text.h"

namespace baton::engine {

using run::TaskBoard;

Result<TaskView> look_at_task(const ReadContext& reading, const Tasks& tasks, std::size_t item,
                              WallMs now) {
  const auto held = TRY(read_task_log(reading, tasks));
  const TaskBoard& board = held->tasks;
  const auto end = board.next_end(now);
  return TaskView{.task = board.tasks()[item],
                  .is_live = board.is_live(item, now),
                  .is_full = board.live(now) >= board.max_parallel(),
                  .is_joinable = run::is_joinable(board, tasks.policy),
                  .next_end_ms = end ? end->value - now.value : limits::task_wait_ms};
}

Result<void> append_lease(Engine& engine, const Tasks& tasks, std::size_t item,
                          const TaskBoard::Task& task, const TaskBoard::Lease& lease,
                          std::optional<run::TaskSettled> settled) {
  const std::string id = run::task_id(tasks.step_key, item);
  std::vector<run::Event> events{run::TaskLeased{tasks.run.run, tasks.entry.id, id, task.attempt,
                                                 lease.session, lease.child, lease.until}};
  if (settled) events.push_back(*std::move(settled));
  // Another process may have taken the key: then the log says which lease holds.
  std::string key =
      cat("lease/", tasks.entry.id.text(), '/', id, '/', task.attempt, '/', task.leases);
  TRY(engine.store.append(
      {tasks.run.session, std::move(key), engine.clock.wall(), std::move(events)}));
  return {};
}

Result<void> renew_lease(Engine& engine, const Tasks& tasks, std::size_t item,
                         std::int64_t attempt) {
  const WallMs now = engine.clock.wall();
  const TaskView look = TRY(look_at_task(engine.reading(), tasks, item, now));
  if (!look.is_live || look.task.attempt != attempt) return {};
  if (look.task.lease->until.value - now.value >= limits::task_lease_ms / 2) return {};
  TaskBoard::Lease lease = *look.task.lease;
  lease.until = {now.value + limits::task_lease_ms};
  return append_lease(engine, tasks, item, look.task, lease, std::nullopt);
}

}  // namespace baton::engine
