#include "engine/tasks/find_tasks.h"

#include "base/text/text.h"
#include "engine/load/load.h"
#include "run/walk/scope.h"

namespace baton::engine {
namespace {

/// Where the step of a node became pending: checkpoints only save what was done for it so far.
Result<run::NodeRow> entry_of(const LoadContext& loading, run::NodeRow node) {
  while (node.kind == run::NodeKind::checkpoint && node.parent) {
    node = TRY(load_parent(loading, node));
  }
  return node;
}

/// The board of a node, begun when this process has none.
Result<std::shared_ptr<Guarded<Board>>> board_of(const LoadContext& loading, const Tasks& tasks) {
  if (const auto cached = loading.caches.boards.find(tasks.entry.no.value)) return *cached;
  const auto commit = TRY(loading.store.commit(tasks.entry.no.commit()));
  if (!commit)
    return fail(Code::STORAGE_CORRUPTION_DETECTED,
                cat("the commit of ", tasks.entry.id.text(), " is missing"));
  return *loading.caches.boards.put(
      tasks.entry.no.value,
      std::make_shared<Guarded<Board>>(
          run::TaskBoard(tasks.entry.id, tasks.items().size(), tasks.policy.max_parallel),
          commit->seq));
}

}  // namespace

Result<Guarded<Board>::Held> read_task_log(const LoadContext& loading, const Tasks& tasks) {
  auto held = Guarded<Board>::hold(tasks.board);
  Board& board = *held;
  while (true) {
    const auto commits =
        TRY(loading.store.log(tasks.run.session, board.seen, limits::log_page_commits));
    for (const run::Commit& commit : commits) {
      board.tasks.take(commit.at, TRY(events_of(commit)));
      board.seen = commit.seq;
    }
    if (commits.empty()) return held;
  }
}

namespace {

Result<std::optional<Tasks>> tasks_if_any(const LoadContext& loading, const run::RunRow& run,
                                          const run::NodeRow& node) {
  Tasks out;
  out.run = run;
  out.entry = TRY(entry_of(loading, node));
  if (out.entry.open_steps.size() != 1) return std::nullopt;
  out.step_key = out.entry.open_steps.front();
  const run::NodeRow tip = TRY(load_node(loading, run.tip));
  out.is_open = !tip.open_steps.empty() && TRY(entry_of(loading, tip)).no == out.entry.no;
  out.state = TRY(load_state(loading, out.is_open ? tip : out.entry));
  out.workflow = TRY(load_workflow(loading, run.workflow_hash));
  out.step = run::step_at(out.workflow->workflow, out.state->cursor);
  if (out.step == nullptr || out.state->items == nullptr) return std::nullopt;
  out.policy = run::task_policy(*out.step);
  out.board = TRY(board_of(loading, out));
  return out;
}

/// Those of the last step on the way to the run's latest point that has any.
Result<std::optional<Tasks>> find_latest_tasks(const LoadContext& loading, const run::RunRow& run) {
  run::NodeRow node = TRY(load_node(loading, run.tip));
  for (std::size_t looked = 0; looked < limits::recap_walk_nodes_max; ++looked) {
    if (auto tasks = TRY(tasks_if_any(loading, run, node))) return tasks;
    if (!node.parent) break;
    node = TRY(load_parent(loading, node));
  }
  return std::nullopt;
}

/// Those of a step on the way to the run's latest point.
Result<std::optional<Tasks>> find_tasks(const LoadContext& loading, const run::RunRow& run,
                                        std::string_view step) {
  run::NodeRow node = TRY(load_node(loading, run.tip));
  for (std::size_t looked = 0; node.open_steps != std::vector<std::string>{std::string(step)};
       ++looked) {
    if (!node.parent || looked == limits::recap_walk_nodes_max) return std::nullopt;
    node = TRY(load_parent(loading, node));
  }
  return tasks_if_any(loading, run, node);
}

}  // namespace

Result<Tasks> tasks_at(const LoadContext& loading, const run::RunRow& run,
                       const run::NodeRow& node) {
  auto tasks = TRY(tasks_if_any(loading, run, node));
  if (tasks) return *std::move(tasks);
  return fail(Code::NOT_FOUND,
              cat("no step with sub-agent tasks is open at ", node.id.text(), " of the run ",
                  run.run.text()),
              Move::send_task_id);
}

Result<FoundTask> find_task(const LoadContext& loading, const run::RunRow& run,
                            std::string_view task) {
  const auto name = run::read_task_id(task);
  const auto none = [&](NextMove next) {
    return fail(Code::NOT_FOUND, cat("the run has no sub-agent task \"", task, '"'),
                std::move(next));
  };
  if (!name) {
    // Its item may be called so.
    auto latest = TRY(find_latest_tasks(loading, run));
    const auto item =
        latest ? run::item_called(latest->items(), task) : std::optional<std::size_t>();
    if (!item) return none(Move::send_task_id);
    return FoundTask{*std::move(latest), *item};
  }
  auto tasks = TRY(find_tasks(loading, run, name->step_key));
  if (!tasks) return none(Move::send_task_id);
  FoundTask out{*std::move(tasks), name->item};
  if (out.item >= out.tasks.items().size()) {
    return none(cat("its tasks are ", run::task_id(name->step_key, 0), " to ",
                    run::task_id(name->step_key, out.tasks.items().size() - 1)));
  }
  return out;
}

Result<std::vector<std::string>> open_task_ids(const LoadContext& loading, const run::RunRow& run) {
  std::vector<std::string> out;
  const auto tasks = TRY(tasks_if_any(loading, run, TRY(load_node(loading, run.tip))));
  if (!tasks) return out;
  const auto held = TRY(read_task_log(loading, *tasks));
  const run::TaskBoard& board = held->tasks;
  for (std::size_t item = 0; item < board.tasks().size(); ++item) {
    if (board.tasks()[item].settled == nullptr) {
      out.push_back(run::task_id(tasks->step_key, item));
    }
  }
  return out;
}

}  // namespace baton::engine
