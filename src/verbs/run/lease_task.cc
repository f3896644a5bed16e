#include "verbs/run/lease_task.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/advance.h"
#include "engine/commands/command_permit.h"
#include "engine/commands/server_steps.h"
#include "engine/load/find_open_step.h"
#include "engine/load/find_run.h"
#include "engine/load/load.h"
#include "engine/load/owner_words.h"
#include "engine/record.h"
#include "engine/tasks/settle_task.h"
#include "engine/tasks/task_lease.h"
#include "run/decide/settle_task.h"

namespace baton::verbs {
namespace {

using run::TaskBoard;

Result<Result<run::Decided>> decide_task(engine::Engine& engine, const engine::Principal& principal,
                                         const engine::Tasks& tasks, const run::TaskRef& task,
                                         const run::TaskIds& ids) {
  const engine::ReadContext reading = engine.reading();
  std::vector<std::pair<run::ObservationKey, std::string>> observed;
  for (run::ObservationRecorded& seen : TRY(engine::observations(reading.store, tasks.run))) {
    observed.emplace_back(seen.key, std::move(seen.value));
  }
  const run::TokenSettings minting = TRY(current_token_settings(reading));
  const auto schemas = TRY(load_schemas(reading, tasks.run.workflow_hash));
  const engine::Permit permit(engine, *tasks.workflow, tasks.state->workspace);
  run::Decider decider =
      run::Decider::start_task({.workflow = tasks.workflow.get(),
                                .schemas = schemas.get(),
                                .parent = *tasks.state,
                                .task = task,
                                .ids = ids,
                                .observed = std::move(observed),
                                .minting = minting,
                                .may_run = permit.may_run(),
                                .runner = permit.runner(),
                                .policy = engine.policy.of(principal.client_asks)});
  return decide_or_reject(engine, decider, permit,
                          {.workflow = tasks.run.workflow_hash, .run = ids.run, .task = &task});
}

/// The run that carries out an attempt; the first caller starts it. One that cannot start is
/// settled as failed, and nothing is returned.
Result<std::optional<run::RunRow>> child_of(engine::Engine& engine,
                                            const engine::Principal& principal,
                                            const engine::Tasks& tasks, std::size_t item,
                                            const TaskBoard::Task& task) {
  const run::TaskRef ref = tasks.ref(item, task.attempt);
  run::TaskIds ids = run::ids_of(tasks.entry.id, ref.task, ref.attempt);
  if (task.lease) {
    ids.session = task.lease->session;
    ids.run = task.lease->child;
  }
  if (auto known = TRY(engine.store.run(ids.run))) return known;
  Result<run::Decided> decided = TRY(decide_task(engine, principal, tasks, ref, ids));
  if (!decided) {
    TRY(append_settled(engine, tasks,
                       run::failed_task(ref, run::is_final_failure(*tasks.step, ref.attempt),
                                        "start", decided.error().message)));
    return std::nullopt;
  }
  TRY(record(engine, *std::move(decided), run::Seq{0}));
  auto begun = TRY(engine.store.run(ids.run));
  if (!begun)
    return fail(Code::STORAGE_CORRUPTION_DETECTED,
                cat(ids.run.text(), " was started but does not exist"));
  return begun;
}

LeaseResult over(const engine::TaskView& look) {
  LeaseResult turn{.kind = LeaseResult::Kind::over, .child = {}, .wait_ms = 0, .status = {}};
  if (look.task.lease) turn.child = look.task.lease->child;
  if (look.task.settled == nullptr) return turn;
  turn.status = look.task.settled->status;
  if (turn.status == run::TaskStatus::failed) {
    turn.why = EndReason{{}, look.task.settled->type, look.task.settled->message};
  }
  return turn;
}

LeaseResult waiting(std::int64_t next_end_ms) {
  return {.kind = LeaseResult::Kind::wait,
          .child = {},
          .wait_ms = std::clamp<std::int64_t>(next_end_ms, 1, limits::task_wait_ms),
          .status = {}};
}

/// Takes the task, unless others are faster. What follows is what the log says then.
Result<void> take(engine::Engine& engine, const engine::Principal& principal,
                  const engine::Tasks& tasks, std::size_t item, const engine::TaskView& look,
                  WallMs now) {
  const auto child = TRY(child_of(engine, principal, tasks, item, look.task));
  if (!child) return {};
  const TaskBoard::Lease lease{child->session, child->run, {now.value + limits::task_lease_ms}};
  std::optional<run::TaskSettled> settled;
  if (child->is_complete) {  // it has no step for an agent
    settled =
        TRY(settlement_of(engine.reading(), tasks, tasks.ref(item, look.task.attempt), *child));
  }
  return append_lease(engine, tasks, item, look.task, lease, std::move(settled));
}

/// The answer for the task now; nothing when something was done and it must be read again.
Result<std::optional<LeaseResult>> lease_result_of(engine::Engine& engine,
                                                   const engine::Principal& principal,
                                                   const engine::Tasks& tasks, std::size_t item,
                                                   const engine::TaskView& look, WallMs now) {
  if (look.task.settled != nullptr || !tasks.is_open) return over(look);
  if (look.task.lease) {
    const auto child = TRY(child_of(engine, principal, tasks, item, look.task));
    if (!child) return std::nullopt;
    if (child->is_complete) {
      TRY(settle_task(engine, tasks, item, look.task.attempt, *child));
      return std::nullopt;
    }
    if (look.is_live) {
      TRY(renew_lease(engine, tasks, item, look.task.attempt));
      return LeaseResult{
          .kind = LeaseResult::Kind::work, .child = child->run, .wait_ms = 0, .status = {}};
    }
  }
  if (look.is_full) return waiting(look.next_end_ms);
  TRY(take(engine, principal, tasks, item, look, now));
  return std::nullopt;
}

}  // namespace

Result<LeaseResult> lease_task(engine::Engine& engine, const engine::Principal& principal,
                               const engine::FoundTask& task) {
  const engine::Tasks& tasks = task.tasks;
  TRY(check_not_held(engine.reading(), *tasks.state));
  if (tasks.policy.timeout_ms) TRY(settle_ended_tasks(engine, tasks));
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    const WallMs now = engine.clock.wall();
    const engine::TaskView look = TRY(look_at_task(engine.reading(), tasks, task.item, now));
    if (look.is_joinable && tasks.is_open) {
      TRY(join_tasks(engine, principal, tasks));
      return over(look);
    }
    if (auto turn = TRY(lease_result_of(engine, principal, tasks, task.item, look, now)))
      return *std::move(turn);
  }
  return waiting(limits::retry_after_ms);
}

Result<engine::NodeAnswer> begin_task(engine::Engine& engine, const engine::Principal& principal,
                                      std::string_view run, std::string_view task,
                                      const engine::WaitPolicy& wait) {
  const engine::ReadContext reading = engine.reading();
  const run::RunRow row = TRY(find_own_run(reading, principal, run));
  const LeaseResult turn = TRY(lease_task(engine, principal, TRY(find_task(reading, row, task))));
  if (turn.kind == LeaseResult::Kind::wait) {
    Error error = Error::make(
        Code::TASK_WAITS,
        cat("the limit of parallel sub-agents is reached; the task \"", task, "\" must wait"),
        "send the same call again");
    return std::unexpected(std::move(error).with_retry_after(turn.wait_ms));
  }
  if (!turn.child) {
    return fail(Code::NOT_FOUND, cat("the task \"", task, "\" was abandoned before it started"),
                "there is nothing to do");
  }
  engine::RunPoint point =
      TRY(find_open_step(reading, principal, turn.child->text(), engine::RecoveryDetail::told));
  return run_server_steps(engine, std::move(point.answer), wait);
}

}  // namespace baton::verbs
