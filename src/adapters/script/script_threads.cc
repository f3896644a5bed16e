#include "adapters/script/script_threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/core/limits.h"
#include "base/core/thread_safety.h"
#include "base/text/text.h"
#include "ports/call_slot.h"

namespace baton::adapters {
namespace {

constexpr std::size_t guard_bytes = 64u << 10;
constexpr std::size_t stack_bytes = limits::script_thread_stack_bytes;

/// Signals to the process are for the threads that wait for them.
void leave_signals_to_others() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
    sigdelset(&blocked, fault);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
}

/// A script that called itself deeply has touched pages that are not needed now.
void give_back_stack(char* low) {
  char here = 0;
  constexpr std::size_t kept = 256u << 10;
  const auto used_from = reinterpret_cast<std::uintptr_t>(&here) & ~std::uintptr_t{4095};
  const auto bottom = reinterpret_cast<std::uintptr_t>(low);
  if (used_from > bottom + kept) madvise(low, used_from - bottom - kept, MADV_DONTNEED);
}

Error no_thread(int why) {
  return Error::make(Code::ENVIRONMENT, cat("cannot start a script thread: ", std::strerror(why)));
}

Error too_many(std::size_t count, std::string_view whose) {
  return Error::make(Code::SCRIPT_BUSY,
                     cat(count, " calls of this ", whose, " are waiting for scripts"),
                     "wait until they return, then send the same call again")
      .with_retry_after(limits::retry_after_ms);
}

}  // namespace

struct ScriptThreads::Job {
  Job(const ports::ScriptQueueKey& whose, const Work& the_work) : turn(whose), work(the_work) {}
  const ports::ScriptQueueKey& turn;
  const Work& work;
  std::atomic<bool> is_done = false;
  std::optional<Error> error;
  Condition done;
};

/// A thread on a stack of our own.
class ScriptThreads::Thread {
 public:
  static Result<std::unique_ptr<Thread>> start(ScriptThreads& owner) {
    std::unique_ptr<Thread> made(new Thread(owner));
    void* stack = mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return std::unexpected(no_thread(errno));
    made->stack_ = static_cast<char*>(stack);
    if (mprotect(stack, guard_bytes, PROT_NONE) != 0) return std::unexpected(no_thread(errno));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, made->stack_ + guard_bytes, stack_bytes);
    const int refused = pthread_create(&made->thread_, &attributes, &Thread::main, made.get());
    pthread_attr_destroy(&attributes);
    if (refused != 0) return std::unexpected(no_thread(refused));
    made->is_running_ = true;
    return made;
  }

  ~Thread() {
    if (is_running_) pthread_join(thread_, nullptr);
    if (stack_ != nullptr) munmap(stack_, guard_bytes + stack_bytes);
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

 private:
  explicit Thread(ScriptThreads& owner) : owner_(owner) {}

  static void* main(void* self) {
    auto& thread = *static_cast<Thread*>(self);
    leave_signals_to_others();
    const int refused = wasm_thread_begin(thread.stack_, guard_bytes);
    thread.owner_.serve(refused, thread.stack_ + guard_bytes);
    if (refused == 0) wasm_thread_end();
    return nullptr;
  }

  ScriptThreads& owner_;
  pthread_t thread_{};
  char* stack_ = nullptr;
  bool is_running_ = false;
};

namespace {

/// Most scripts are over sooner than a sleeping thread is woken.
void await_awake(const std::atomic<bool>& is_done) {
  constexpr auto wait = std::chrono::microseconds(100);
  const auto end = std::chrono::steady_clock::now() + wait;
  while (!is_done.load() && std::chrono::steady_clock::now() < end) sched_yield();
}

}  // namespace

ScriptThreads::ScriptThreads(SandboxImages& engines, CodeCache& cache,
                             const SandboxOptions& options, std::size_t threads_max)
    : engines_(engines), cache_(cache), options_(options), threads_max_(threads_max) {}

ScriptThreads::~ScriptThreads() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  work_came_.notify_all();
  threads_.clear();  // joins
}

std::size_t ScriptThreads::started() const {
  const MutexLock lock(mutex_);
  return threads_.size();
}

std::size_t ScriptThreads::waiting() const {
  const MutexLock lock(mutex_);
  return jobs_.size();
}

Result<void> ScriptThreads::run(const ports::ScriptQueueKey& turn, const Work& work) {
  Job job(turn, work);
  TRY(enqueue(job));
  await_awake(job.is_done);
  if (!job.is_done) {
    const ports::FreedSlot freed;
    await(job);
  } else {
    await(job);  // until it is let go
  }
  if (job.error) return std::unexpected(std::move(*job.error));
  return {};
}

Result<void> ScriptThreads::enqueue(Job& job) {
  const MutexLock lock(mutex_);
  if (jobs_.size() >= idle_ && threads_.size() < threads_max_) {
    auto started = Thread::start(*this);
    if (started) {
      threads_.push_back(std::move(*started));
    } else if (threads_.empty()) {
      return std::unexpected(started.error());
    }
  }
  switch (jobs_.add(job.turn, &job)) {
    case FairQueue<Job*>::Added::run_is_full:
      return std::unexpected(too_many(limits::script_jobs_per_run_max, "run"));
    case FairQueue<Job*>::Added::workflow_is_full:
      return std::unexpected(too_many(limits::script_jobs_per_workflow_max, "workflow"));
    case FairQueue<Job*>::Added::yes: break;
  }
  work_came_.notify_one();
  return {};
}

void ScriptThreads::await(Job& job) {
  const MutexLock lock(mutex_);
  job.done.wait(mutex_, [&] { return job.is_done.load(); });
}

bool ScriptThreads::take_turn(Job& job, ScriptWorker& workshop) {
  for (;;) {
    mutex_.unlock();
    const bool is_done = job.work(workshop);
    mutex_.lock();
    if (is_done) return true;
    if (jobs_.has_other(job.turn)) return false;
  }
}

void ScriptThreads::serve(int refused, char* stack_low) {
  ScriptWorker workshop(engines_, cache_, options_);
  MutexLock lock(mutex_);
  for (;;) {
    ++idle_;
    work_came_.wait(mutex_, [this]() REQUIRES(mutex_) { return is_ending_ || !jobs_.empty(); });
    --idle_;
    if (jobs_.empty()) return;
    Job& job = *jobs_.take();
    if (refused != 0) job.error = no_thread(refused);
    if (refused != 0 || take_turn(job, workshop)) {
      job.is_done = true;
      job.done.notify_one();  // with the lock held, because the job goes when who asked wakes up
    } else {
      jobs_.put_back(job.turn, &job);
      work_came_.notify_one();
    }
    lock.unlock();
    workshop.reset_sandboxes();
    give_back_stack(stack_low);
    lock.lock();
  }
}

}  // namespace baton::adapters
