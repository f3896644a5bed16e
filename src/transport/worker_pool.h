#pragma once
// WorkerPool: functions that may block, run on up to limits::workers_max threads, which are started
// when needed. Any thread may post. Workers share the pool's state, so that those left behind at
// the end never touch freed memory.

#include <cstdint>
#include <functional>
#include <memory>

namespace baton::transport {

class WorkerPool {
 public:
  explicit WorkerPool(std::size_t threads_max);
  /// Leaves running jobs behind, as abandon() does.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// False when the machine allows not a single thread; then the job is dropped.
  bool post(std::function<void()> job);

  /// Waits until nothing is left to run, at most `ms`; then ends the threads. False when something
  /// still ran: it is left behind with its thread, and what had not begun is dropped.
  bool finish(std::int64_t ms);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace baton::transport
