#pragma once
// WorkerPool: functions that may block, run on a bounded number of threads, which are started when
// needed. Any thread may post. Workers share the pool's state, so that those left behind at the end
// never touch freed memory.
//
// A job that will wait for a client or a lock steps aside: meanwhile one more thread may run, so
// that it does not block other jobs.

#include <cstdint>
#include <functional>
#include <memory>

namespace baton::transport {

class WorkerPool {
 public:
  /// At most `threads_max` jobs run at once, besides up to `aside_max` that have stepped aside.
  WorkerPool(std::size_t threads_max, std::size_t aside_max);
  /// Leaves running jobs behind, as finish(0) does.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// False when the machine allows not a single thread; then the job is dropped.
  bool post(std::function<void()> job);

  /// A job steps aside by a call and takes its place again by dropping what it was given: null when
  /// too many are aside, then it keeps its place. May be called after the pool is gone.
  using StepAside = std::function<std::shared_ptr<void>()>;
  StepAside step_aside() const;

  /// How many have stepped aside.
  std::size_t aside() const;

  /// Waits until nothing is left to run, at most `ms`; then ends the threads. False when something
  /// still ran: it is left behind with its thread, and what had not begun is dropped.
  bool finish(std::int64_t ms);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace baton::transport
