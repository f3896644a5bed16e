#include "verbs/run/next_step.h"

#include "base/text/text.h"
#include "engine/advance.h"
#include "engine/commands/server_steps.h"
#include "engine/load/owner_words.h"
#include "engine/tasks/settle_task.h"
#include "run/steps/behaviour.h"

namespace baton::verbs {
namespace {

/// A board as an agent that starts sub-agents needs it.
Result<void> add_tasks(const engine::ReadContext& reading, const engine::Tasks& tasks,
                       NextStep& out) {
  const auto held = TRY(read_task_log(reading, tasks));
  const run::TaskBoard& board = held->tasks;
  out.settled = board.order().size();
  out.failed = static_cast<std::size_t>(board.failed());
  out.tasks =
      run::list_tasks(tasks.items(), tasks.step_key, tasks.run.run, limits::tasks_shown_bytes_max,
                      [&](std::size_t item) { return board.tasks()[item].settled == nullptr; });
  return {};
}

Result<NextStep> after_settling(engine::Engine& engine, const engine::Principal& principal,
                                engine::RunPoint point, const engine::WaitPolicy& wait) {
  const engine::ReadContext reading = engine.reading();
  const engine::Tasks tasks = TRY(tasks_at(reading, point.run, point.node));
  TRY(settle_ended_tasks(engine, tasks));
  if (TRY(join_tasks(engine, principal, tasks))) {
    return next_step(engine, principal, point.run.run.text(), wait);
  }
  NextStep out;
  TRY(add_tasks(reading, tasks, out));
  out.point = std::move(point);
  return out;
}

/// The run of a task that was started: of this attempt, or of the one before while this one
/// is not started.
Result<std::optional<RunId>> child_of(const engine::ReadContext& reading,
                                      const engine::FoundTask& task, bool& is_settled) {
  const auto held = TRY(read_task_log(reading, task.tasks));
  const run::TaskBoard::Task& found = held->tasks.tasks()[task.item];
  is_settled = found.settled != nullptr;
  const auto& lease = found.lease ? found.lease : found.before;
  return lease ? std::optional(lease->child) : std::nullopt;
}

std::unexpected<Error> not_begun(std::string_view task) {
  return fail(Code::NOT_FOUND, cat("no sub-agent has begun the task \"", task, '"'),
              Move::ask_next_step);
}

}  // namespace

Result<NextStep> next_step(engine::Engine& engine, const engine::Principal& principal,
                           std::string_view run, const engine::WaitPolicy& wait) {
  engine::RunPoint point = TRY(run_server_steps_of(engine, principal, run, wait));
  if (point.answer.hold) return engine::run_is_held(*point.answer.hold);
  const auto& pending = point.answer.reply.pending;
  if (pending && run::behaviour_of(pending->kind).is_for_sub_agents) {
    return after_settling(engine, principal, std::move(point), wait);
  }
  NextStep out;
  out.why = TRY(why_ended(engine.reading(), point));
  out.point = std::move(point);
  return out;
}

Result<void> add_open_tasks(const engine::ReadContext& reading, const engine::RunPoint& point,
                            NextStep& out) {
  const auto& pending = point.answer.reply.pending;
  if (!pending || !run::is_task_step(*pending)) return {};
  return add_tasks(reading, TRY(tasks_at(reading, point.run, point.node)), out);
}

Result<NextStep> next_step_of_task(engine::Engine& engine, const engine::Principal& principal,
                                   std::string_view run, std::string_view task,
                                   const engine::WaitPolicy& wait) {
  const engine::ReadContext reading = engine.reading();
  const run::RunRow row = TRY(find_own_run(reading, principal, run));
  const LeaseResult turn = TRY(lease_task(engine, principal, TRY(find_task(reading, row, task))));
  NextStep out;
  if (turn.kind == LeaseResult::Kind::work)
    return next_step(engine, principal, turn.child->text(), wait);
  out.wait_ms = turn.wait_ms;
  out.status = turn.status;
  out.why = turn.why;
  return out;
}

namespace {

Result<TaskRun> task_run(const engine::ReadContext& reading, const engine::Principal& principal,
                         std::string_view run, std::string_view task, bool is_changed) {
  const run::RunRow row = TRY(find_own_run(reading, principal, run));
  const engine::FoundTask found = TRY(find_task(reading, row, task));
  bool is_settled = false;
  const auto child = TRY(child_of(reading, found, is_settled));
  if (!child) return not_begun(task);
  TaskRun out{TRY(find_own_run(reading, principal, child->text())), {}};
  const bool is_over = is_settled || !found.tasks.is_open;
  if (is_changed && is_over && !out.run.is_complete) {
    return fail(Code::NOT_FOUND, cat("the task \"", task, "\" was abandoned: its step has ended"),
                "there is nothing left to do for this task");
  }
  const bool is_apart = run::is_isolated(found.tasks.workflow->workflow, *found.tasks.step);
  if (is_apart) out.frame = found.tasks.step_key;
  return out;
}

}  // namespace

Result<TaskRun> run_of_task(const engine::ReadContext& reading, const engine::Principal& principal,
                            std::string_view run, std::string_view task) {
  return task_run(reading, principal, run, task, false);
}

Result<TaskRun> run_of_live_task(const engine::ReadContext& reading,
                                 const engine::Principal& principal, std::string_view run,
                                 std::string_view task) {
  return task_run(reading, principal, run, task, true);
}

Result<engine::NodeAnswer> complete_step_of_task(engine::Engine& engine,
                                                 const engine::Principal& principal,
                                                 const StepRequest& request,
                                                 std::string_view task) {
  const TaskRun found = TRY(run_of_live_task(engine.reading(), principal, request.run, task));
  StepRequest own = request;
  own.run = found.run.run.text();
  return complete_step(engine, principal, own);
}

}  // namespace baton::verbs
