#include "transport/worker_pool.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace baton::transport {

struct WorkerPool::State {
  explicit State(std::size_t count) : threads_max(count) {}

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      while (queue.empty() && !closing) {
        ++waiting;
        available.wait(lock);
        --waiting;
      }
      if (queue.empty()) return;
      std::function<void()> job = std::move(queue.front());
      queue.pop_front();
      ++running;
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
      --running;
      if (running == 0 && queue.empty()) idle.notify_all();
    }
  }

  const std::size_t threads_max;
  std::mutex mutex;
  std::condition_variable available;
  std::condition_variable idle;
  std::deque<std::function<void()>> queue;
  std::vector<std::thread> threads;
  std::size_t waiting = 0;
  std::size_t running = 0;
  bool closing = false;
};

WorkerPool::WorkerPool(std::size_t threads_max) : state_(std::make_shared<State>(threads_max)) {}

WorkerPool::~WorkerPool() { finish(0); }

bool WorkerPool::post(std::function<void()> job) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (state.closing) return false;
  if (state.queue.size() >= state.waiting && state.threads.size() < state.threads_max) {
    try {
      state.threads.emplace_back([shared = state_] { shared->work(); });
    } catch (const std::system_error&) {
      if (state.threads.empty()) return false;
    }
  }
  state.queue.push_back(std::move(job));
  state.available.notify_one();
  return true;
}

bool WorkerPool::finish(std::int64_t ms) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  const bool drained = state.idle.wait_for(lock, std::chrono::milliseconds(ms), [&state] {
    return state.running == 0 && state.queue.empty();
  });
  state.closing = true;
  state.queue.clear();
  std::vector<std::thread> threads = std::move(state.threads);
  state.threads.clear();
  lock.unlock();
  state.available.notify_all();
  for (std::thread& thread : threads) {
    if (drained) {
      thread.join();
    } else {
      thread.detach();
    }
  }
  return drained;
}

}  // namespace baton::transport
