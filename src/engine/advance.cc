#include "engine/advance.h"

#include "base/text/text.h"
#include "engine/commands/server_steps.h"
#include "engine/load/load.h"
#include "engine/load/read_node.h"
#include "engine/tasks/settle_task.h"
#include "engine/tasks/task_lease.h"

namespace baton::engine {
namespace {

constexpr std::size_t named_tasks_max = 5;

Result<void> follow_task(Engine& engine, const Principal& principal, const run::Reply& reply);

/// What follows from an attempt that has an answer.
Result<NodeAnswer> follow(Engine& engine, const Principal& principal, NodeAnswer answer,
                          const WaitPolicy& wait) {
  answer = TRY(run_server_steps(engine, std::move(answer), wait));
  // The answer is settled; what is left undone here is done at the next contact with the task.
  if (answer.reply.task) static_cast<void>(follow_task(engine, principal, answer.reply));
  if (engine.watcher != nullptr) engine.watcher->advanced(engine.reading(), answer.reply.run);
  return answer;
}

// --- tasks --------------------------------------------------------------------------------------

/// Always where the step became pending, so that there is one attempt, despite later checkpoints.
Place place_of_tasks(const Tasks& tasks) {
  return {.node = tasks.entry, .attempt = {}, .step = tasks.entry.open_steps.front()};
}

Result<NodeAnswer> end_with(Engine& engine, const Principal& principal, const Tasks& tasks,
                            run::TasksOutcome outcome) {
  Submission submission{.input = {}, .source = {principal.name}};
  submission.input.notes = outcome.notes;
  submission.input.tasks = std::move(outcome);
  Outcome made = TRY(attempt(engine, place_of_tasks(tasks), submission));
  return follow(engine, principal, std::move(made.answer), {});
}

/// Ends the step with the tasks that are settled by now.
Result<NodeAnswer> end_tasks(Engine& engine, const Principal& principal, const Tasks& tasks) {
  run::TasksOutcome outcome;
  {
    const auto held = TRY(read_task_log(engine.reading(), tasks));
    outcome = run::outcome_of(held->tasks, tasks.policy, tasks.step_key);
  }
  return end_with(engine, principal, tasks, std::move(outcome));
}

/// What follows from an advance of a task's own run: a renewed lease or, at its end, its settlement
/// and what follows from that.
Result<void> follow_task(Engine& engine, const Principal& principal, const run::Reply& reply) {
  const run::TaskRef& task = *reply.task;
  const ReadContext reading = engine.reading();
  const auto parent = TRY(reading.store.run(task.run));
  const auto node = TRY(reading.store.node_by_id(task.node));
  const auto name = run::read_task_id(task.task);
  if (!parent || !node || !name) return {};  // it is gone, or somewhere else
  const Tasks tasks = TRY(tasks_at(reading, *parent, *node));
  if (!tasks.is_open || name->item >= tasks.items().size()) return {};
  if (!reply.is_complete()) return renew_lease(engine, tasks, name->item, task.attempt);
  const auto child = TRY(reading.store.run(reply.run));
  if (!child || !child->is_complete) return {};
  TRY(settle_task(engine, tasks, name->item, task.attempt, *child));
  TRY(join_tasks(engine, principal, tasks));
  return {};
}

std::string open_tasks_text(const run::TaskBoard& board, const Tasks& tasks, std::size_t& count) {
  std::string named;
  for (std::size_t item = 0; item < board.tasks().size(); ++item) {
    if (board.tasks()[item].settled != nullptr) continue;
    if (++count > named_tasks_max) continue;
    named += cat(named.empty() ? "" : ", ", run::task_id(tasks.step_key, item));
  }
  return count > named_tasks_max ? named + ", ..." : named;
}

/// That tasks of the step are open, as a block: nothing was recorded.
Result<NodeAnswer> blocked_by_tasks(const ReadContext& reading, const Tasks& tasks) {
  NodeAnswer answer = TRY(look_at(reading, tasks.entry));
  std::size_t count = 0;
  std::string named;
  {
    const auto held = TRY(read_task_log(reading, tasks));
    named = open_tasks_text(held->tasks, tasks, count);
  }
  answer.is_recorded = false;
  answer.reply.kind = run::ReplyKind::blocked;
  answer.reply.retryable = true;
  answer.reply.blockers = {
      {run::BlockerCode::MISSING_REQUIRED_OUTPUT,
       {run::PointerKind::workflow_step, tasks.step_key},
       cat(count, " of ", tasks.items().size(), " tasks are open: ", named),
       "start sub-agents for them; the run continues by itself when the last one is done"}};
  return answer;
}

/// The answer to a caller that acknowledges a step of sub-agents.
Result<NodeAnswer> answer_for_tasks(Engine& engine, const Principal& principal,
                                    const run::NodeRow& node) {
  const ReadContext reading = engine.reading();
  const auto run = TRY(reading.store.run(node.run));
  if (!run) return fail(Code::STORAGE_CORRUPTION_DETECTED, cat(node.run.text(), " is missing"));
  const Tasks tasks = TRY(tasks_at(reading, *run, node));
  if (!tasks.is_open) {
    // A caller that comes late gets the recorded answer.
    if (TRY(reading.store.attempt(tasks.entry.no, run::AttemptKey{}))) {
      return end_tasks(engine, principal, tasks);
    }
    return fail(Code::TASKS_OPEN,
                cat("the run has continued on another branch, and the tasks of \"", tasks.step_key,
                    "\" with it; nothing was recorded"),
                "continue from the latest node of the run");
  }
  TRY(settle_ended_tasks(engine, tasks));
  if (auto joined = TRY(join_tasks(engine, principal, tasks))) return *std::move(joined);
  if (!tasks.policy.wait_for_all) return end_tasks(engine, principal, tasks);
  return blocked_by_tasks(reading, tasks);
}

}  // namespace

Result<std::optional<NodeAnswer>> join_tasks(Engine& engine, const Principal& principal,
                                             const Tasks& tasks) {
  if (!tasks.is_open) return std::nullopt;
  {
    const auto held = TRY(read_task_log(engine.reading(), tasks));
    if (!run::is_joinable(held->tasks, tasks.policy)) return std::nullopt;
  }
  return TRY(end_tasks(engine, principal, tasks));
}

Result<NodeAnswer> advance(Engine& engine, const Principal& principal, Place place,
                           const Submission& submission, const WaitPolicy& wait) {
  const run::NodeNo at = place.node.no;
  Outcome outcome = TRY(attempt(engine, std::move(place), submission));
  if (outcome.kind == Outcome::Kind::needs_tasks) {
    const run::NodeRow node = TRY(load_node(engine.reading(), at));
    outcome.answer = TRY(answer_for_tasks(engine, principal, node));
  }
  return follow(engine, principal, std::move(outcome.answer), wait);
}

Result<NodeAnswer> checkpoint(Engine& engine, Place place, const Submission& submission) {
  ASSERT(place.attempt.kind == run::AttemptKind::checkpoint);
  return TRY(attempt(engine, std::move(place), submission)).answer;
}

}  // namespace baton::engine
