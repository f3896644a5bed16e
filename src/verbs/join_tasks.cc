#include "verbs/join_tasks.h"

#include "base/text.h"
#include "verbs/advance.h"
#include "verbs/lease_task.h"
#include "verbs/load.h"
#include "verbs/rehydrate.h"
#include "verbs/settle_task.h"

namespace baton::verbs {
namespace {

constexpr std::size_t named_tasks_max = 5;

/// Always the token of where the step became pending, so that there is one attempt, whatever was
/// saved since.
Result<std::string> token_of(const Reading& reading, const Principal& principal, const Tasks& tasks,
                             run::TokenKind kind) {
  const std::uint8_t key_slot = TRY(reading.signer.current_slot());
  return sign_claim(reading, principal,
                    {.kind = kind, .node = tasks.entry.id, .key_slot = key_slot}, tasks.entry);
}

Result<SignedReply> end_with(Engine& engine, const Principal& principal, const Tasks& tasks,
                             run::TasksOutcome outcome) {
  run::Input input;
  input.notes = outcome.notes;
  input.tasks = std::move(outcome);
  std::string token = TRY(token_of(engine.reading(), principal, tasks, run::TokenKind::ack));
  return advance(engine, principal,
                 {.token = std::move(token), .state_token = {}, .input = std::move(input)});
}

std::string open_tasks_text(const Tasks& tasks, std::size_t& count) {
  std::string named;
  const run::TaskBoard& board = tasks.board->tasks;
  for (std::size_t item = 0; item < board.tasks().size(); ++item) {
    if (board.tasks()[item].settled != nullptr) continue;
    if (++count > named_tasks_max) continue;
    named += cat(named.empty() ? "" : ", ", run::task_id(tasks.step_key, item));
  }
  return count > named_tasks_max ? named + ", ..." : named;
}

}  // namespace

Result<SignedReply> end_tasks(Engine& engine, const Principal& principal, const Tasks& tasks) {
  run::TasksOutcome outcome;
  {
    const auto lock = TRY(catch_up(engine.reading(), tasks));
    outcome = run::outcome_of(tasks.board->tasks, tasks.policy, tasks.step_key);
  }
  auto reply = end_with(engine, principal, tasks, outcome);
  const bool is_state = !reply && (reply.error().code == Code::STATE_WRONG_TYPE ||
                                   reply.error().code == Code::STATE_BAD_PATH ||
                                   reply.error().code == Code::STATE_UNKNOWN_NAME);
  if (!is_state) return reply;
  // What tasks wrote each for itself may not fit together; then the step has failed.
  outcome.writes.clear();
  outcome.failure = cat("what the tasks wrote does not fit together: ", reply.error().message);
  return end_with(engine, principal, tasks, std::move(outcome));
}

Result<std::optional<SignedReply>> join_tasks(Engine& engine, const Principal& principal,
                                              const Tasks& tasks) {
  if (!tasks.is_open) return std::nullopt;
  {
    const auto lock = TRY(catch_up(engine.reading(), tasks));
    if (!run::is_joinable(tasks.board->tasks, tasks.policy)) return std::nullopt;
  }
  return TRY(end_tasks(engine, principal, tasks));
}

Result<void> follow_task(Engine& engine, const Principal& principal, const run::Reply& reply) {
  const run::TaskRef& task = *reply.task;
  const Reading reading = engine.reading();
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

Result<SignedReply> answer_for_tasks(Engine& engine, const Principal& principal,
                                     const OpenToken& open) {
  const Reading reading = engine.reading();
  const auto run = TRY(reading.store.run(open.node.run));
  if (!run)
    return fail(Code::STORAGE_CORRUPTION_DETECTED, cat(open.node.run.text(), " is missing"));
  const Tasks tasks = TRY(tasks_at(reading, *run, open.node));
  if (!tasks.is_open) {
    // Whoever comes late gets the recorded answer.
    const run::AttemptKey first{run::AttemptKind::advance, 0, 0};
    if (TRY(reading.store.attempt(tasks.entry.no, first))) {
      return end_tasks(engine, principal, tasks);
    }
    return fail(Code::TASKS_OPEN,
                cat("the run goes on elsewhere, and the tasks of \"", tasks.step_key,
                    "\" with it; nothing was recorded"),
                "go on from the latest point of the run");
  }
  TRY(settle_what_is_over(engine, tasks));
  if (auto joined = TRY(join_tasks(engine, principal, tasks))) return *std::move(joined);
  if (!tasks.policy.wait_for_all) return end_tasks(engine, principal, tasks);
  SignedReply reply = TRY(rehydrate(reading, principal,
                                    TRY(token_of(reading, principal, tasks, run::TokenKind::state)),
                                    Around::left_out));
  std::size_t count = 0;
  std::string named;
  {
    const auto lock = TRY(catch_up(reading, tasks));
    named = open_tasks_text(tasks, count);
  }
  reply.reply.kind = run::ReplyKind::blocked;
  reply.reply.retryable = true;
  reply.reply.blockers = {
      {run::BlockerCode::MISSING_REQUIRED_OUTPUT,
       {run::PointerKind::workflow_step, tasks.step_key},
       cat(count, " of ", tasks.items().size(), " tasks are open: ", named),
       "let sub-agents carry them out; the run goes on by itself once the last one is done"}};
  return reply;
}

}  // namespace baton::verbs
