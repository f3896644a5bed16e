#pragma once
// Script threads: the only threads that run scripts, at most one for each core, started when there
// is work that no other has time for. Each has a stack of its own whose end is known, and a
// workshop. Any thread may ask; whoever asks waits.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "adapters/script/workshop.h"

namespace baton::adapters {

class ScriptThreads {
 public:
  using Work = std::function<void(Workshop&)>;

  ScriptThreads(Engines& engines, CodeCache& cache, const SandboxOptions& options,
                std::size_t threads_max);
  ~ScriptThreads();
  ScriptThreads(const ScriptThreads&) = delete;
  ScriptThreads& operator=(const ScriptThreads&) = delete;

  /// Does the work on a script thread. ENVIRONMENT when there is none and none can be started.
  Result<void> run(const Work& work);

  std::size_t started() const;

 private:
  struct Job;
  class Thread;

  /// On a script thread, until the end. `refused` is the errno that its beginning met, or 0.
  void serve(int refused, char* stack_low);

  Engines& engines_;
  CodeCache& cache_;
  const SandboxOptions options_;
  const std::size_t threads_max_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable work_came_;
  std::deque<Job*> jobs_;  // not taken yet; each waits on the stack of who asked
  std::vector<std::unique_ptr<Thread>> threads_;
  std::size_t idle_ = 0;
  bool is_ending_ = false;
};

}  // namespace baton::adapters
