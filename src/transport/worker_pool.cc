#include "transport/worker_pool.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace baton::transport {

struct WorkerPool::State : std::enable_shared_from_this<State> {
  State(std::size_t most, std::size_t most_aside) : threads_max(most), aside_max(most_aside) {}

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
      if (leave()) return;
    }
  }

  // REQUIRES of all below: the mutex is held.

  /// One more thread, if there may be.
  void grow() {
    if (threads.size() >= threads_max + aside) return;
    try {
      std::thread thread([self = shared_from_this()] { self->work(); });
      const std::thread::id id = thread.get_id();
      threads.emplace(id, std::move(thread));
    } catch (const std::system_error&) {
      return;  // those there are must do
    }
  }

  /// Whether this thread only replaced one that runs again. The remaining threads
  /// run or wait for the queue, so no job is forgotten.
  bool leave() {
    if (threads.size() <= threads_max + aside) return false;
    const auto self = threads.find(std::this_thread::get_id());
    if (self == threads.end()) return false;
    self->second.detach();
    threads.erase(self);
    return true;
  }

  const std::size_t threads_max;
  const std::size_t aside_max;
  std::mutex mutex;
  std::condition_variable available;
  std::condition_variable idle;
  std::deque<std::function<void()>> queue;
  std::map<std::thread::id, std::thread> threads;
  std::size_t waiting = 0;
  std::size_t running = 0;
  std::size_t aside = 0;
  bool closing = false;
};

WorkerPool::WorkerPool(std::size_t threads_max, std::size_t aside_max)
    : state_(std::make_shared<State>(threads_max, aside_max)) {}

WorkerPool::~WorkerPool() { finish(0); }

bool WorkerPool::post(std::function<void()> job) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (state.closing) return false;
  if (state.queue.size() >= state.waiting) state.grow();
  if (state.threads.empty()) return false;
  state.queue.push_back(std::move(job));
  state.available.notify_one();
  return true;
}

WorkerPool::StepAside WorkerPool::step_aside() const {
  return [state = state_]() -> std::shared_ptr<void> {
    const std::lock_guard lock(state->mutex);
    if (state->aside >= state->aside_max) return nullptr;
    ++state->aside;
    if (!state->closing && state->queue.size() > state->waiting) state->grow();
    return {state.get(), [state](void*) {
              const std::lock_guard back(state->mutex);
              --state->aside;
            }};
  };
}

std::size_t WorkerPool::aside() const {
  const std::lock_guard lock(state_->mutex);
  return state_->aside;
}

bool WorkerPool::finish(std::int64_t ms) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  const bool drained = state.idle.wait_for(lock, std::chrono::milliseconds(ms), [&state] {
    return state.running == 0 && state.queue.empty();
  });
  state.closing = true;
  state.queue.clear();
  auto threads = std::exchange(state.threads, {});
  lock.unlock();
  state.available.notify_all();
  for (auto& [id, thread] : threads) {
    if (drained) {
      thread.join();
    } else {
      thread.detach();
    }
  }
  return drained;
}

}  // namespace baton::transport
