#pragma once
// Script threads: the only threads that run scripts, at most one for each core, started when there
// is work that no other has time for. Each has a stack of its own whose end is known, and a
// workshop. Any thread may ask; the caller waits, and long work lets others go first.

#include <functional>
#include <thread>
#include <vector>

#include "adapters/script/fair_queue.h"
#include "adapters/script/script_worker.h"
#include "base/core/thread_safety.h"

namespace baton::adapters {

class ScriptThreads {
 public:
  /// Does a piece of the work. True when all of it is done; until then it is called again, by any
  /// script thread, once others have had their turn.
  using Work = std::function<bool(ScriptWorker&)>;

  ScriptThreads(SandboxImages& engines, CodeCache& cache, const SandboxOptions& options,
                std::size_t threads_max);
  ~ScriptThreads();
  ScriptThreads(const ScriptThreads&) = delete;
  ScriptThreads& operator=(const ScriptThreads&) = delete;

  /// Does the work on script threads. ENVIRONMENT when there is none and none can be started,
  /// SCRIPT_BUSY when too much work of the same run or workflow waits. A caller that has a slot
  /// (ports/call_slot.h) frees it while it waits.
  Result<void> run(const ports::ScriptQueueKey& turn, const Work& work);

  std::size_t started() const;

  /// How many jobs wait for their turn.
  std::size_t waiting() const;

 private:
  struct Job;
  class Thread;

  Result<void> enqueue(Job& job);
  void await(Job& job);

  /// Does the job's work until it is done or others wait: true when it is done.
  bool take_turn(Job& job, ScriptWorker& workshop) REQUIRES(mutex_);

  /// On a script thread, until the end. `refused` is the errno that its beginning met, or 0.
  void serve(int refused, char* stack_low);

  SandboxImages& engines_;
  CodeCache& cache_;
  const SandboxOptions options_;
  const std::size_t threads_max_;
  mutable Mutex mutex_;
  Condition work_came_;
  FairQueue<Job*> jobs_ GUARDED_BY(mutex_){// each waits on the stack of who asked
                                           {.of_run = limits::script_jobs_per_run_max,
                                            .of_workflow = limits::script_jobs_per_workflow_max}};
  std::vector<std::unique_ptr<Thread>> threads_ GUARDED_BY(mutex_);
  std::size_t idle_ GUARDED_BY(mutex_) = 0;
  bool is_ending_ GUARDED_BY(mutex_) = false;
};

}  // namespace baton::adapters
