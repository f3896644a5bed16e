#pragma once
// A sub-agent comes for its task: it gets the run that carries the task out, or hears that it must
// wait or that the task is over. Coming is also how it shows that it is still at work.

#include "engine/attempt.h"
#include "engine/tasks/find_tasks.h"
#include "engine/wait_policy.h"
#include "verbs/run/why_ended.h"

namespace baton::verbs {

struct LeaseResult {
  enum class Kind : std::uint8_t { work, wait, over };
  Kind kind = Kind::work;
  std::optional<RunId> child;             // that carries it out; may lack when it is over
  std::int64_t wait_ms = 0;               // before it is asked for again
  std::optional<run::TaskStatus> status;  // of one that has ended; nothing: it was abandoned
  std::optional<EndReason> why = {};      // of one that has failed
};

Result<LeaseResult> lease_task(engine::Engine& engine, const engine::Principal& principal,
                               const engine::FoundTask& task);

/// The same for a sub-agent that continues by itself in that run, once its first server steps were
/// run. TASK_WAITS when it must wait.
Result<engine::NodeAnswer> begin_task(engine::Engine& engine, const engine::Principal& principal,
                                      std::string_view run, std::string_view task,
                                      const engine::WaitPolicy& wait);

}  // namespace baton::verbs
