#pragma once
// Locks that Clang checks: which mutex guards which data, and which functions need it held. The
// clang preset and tests/architecture/locks.py read them with -Werror=thread-safety; other
// compilers see plain locks. Every mutex of src/ is one of these. Any thread.
//
//   Mutex mutex_;
//   int count_ GUARDED_BY(mutex_) = 0;
//   void add() REQUIRES(mutex_);  // the caller holds it, before and after
//
// A lambda is a function of its own, so one that runs under a lock says REQUIRES as well.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#ifdef __clang__
#define BATON_CHECKED(what) __attribute__((what))
#else
#define BATON_CHECKED(what)
#endif

#define CAPABILITY(name) BATON_CHECKED(capability(name))
#define SCOPED_CAPABILITY BATON_CHECKED(scoped_lockable)
#define GUARDED_BY(mutex) BATON_CHECKED(guarded_by(mutex))
#define REQUIRES(...) BATON_CHECKED(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) BATON_CHECKED(acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) BATON_CHECKED(try_acquire_capability(__VA_ARGS__))
#define RELEASE(...) BATON_CHECKED(release_capability(__VA_ARGS__))
#define UNCHECKED_LOCKS BATON_CHECKED(no_thread_safety_analysis)

namespace baton {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

/// Holds a mutex from here to the end of the block, but for what is between unlock() and lock().
template <class Lockable>
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Lockable& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() {
    if (held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }
  void unlock() RELEASE() {
    held_ = false;
    mutex_.unlock();
  }

 private:
  Lockable& mutex_;
  bool held_ = true;
};

/// What threads that hold a mutex wait for. The mutex is given back while they wait.
class Condition {
 public:
  void notify_one() { changed_.notify_one(); }
  void notify_all() { changed_.notify_all(); }

  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    changed_.wait(lock);
    lock.release();
  }

  /// Until `happened()` is true, which is asked with the mutex held.
  template <class Happened>
  void wait(Mutex& mutex, const Happened& happened) REQUIRES(mutex) UNCHECKED_LOCKS {
    while (!happened()) wait(mutex);
  }

  /// False: it was not in time, or nothing was told.
  bool wait_for(Mutex& mutex, std::chrono::milliseconds ms) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool is_told = changed_.wait_for(lock, ms) == std::cv_status::no_timeout;
    lock.release();
    return is_told;
  }
  template <class Happened>
  bool wait_for(Mutex& mutex, std::chrono::milliseconds ms, const Happened& happened)
      REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool has_happened = changed_.wait_for(lock, ms, happened);
    lock.release();
    return has_happened;
  }
  template <class Time, class Happened>
  bool wait_until(Mutex& mutex, const Time& time, const Happened& happened) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool has_happened = changed_.wait_until(lock, time, happened);
    lock.release();
    return has_happened;
  }

 private:
  std::condition_variable changed_;
};

/// A shared value that is reached by holding it, and in no other way. What holds it can be returned
/// and kept, which the compiler could not follow with a lock.
template <class Value>
class Guarded {
 public:
  template <class... Arguments>
  explicit Guarded(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}

  /// Holds nothing when it was made without a value.
  class Held {
   public:
    Held() = default;
    Held(Held&&) = default;
    Held& operator=(Held&&) = delete;  // it could free a mutex that it still holds
    explicit operator bool() const { return guarded_ != nullptr; }
    Value& operator*() const UNCHECKED_LOCKS { return guarded_->value_; }
    Value* operator->() const { return &**this; }

   private:
    friend class Guarded;
    explicit Held(std::shared_ptr<Guarded> guarded)
        : guarded_(std::move(guarded)), lock_(guarded_->mutex_) {}
    std::shared_ptr<Guarded> guarded_;
    std::unique_lock<Mutex> lock_;  // given back before the value may go
  };
  static Held hold(std::shared_ptr<Guarded> guarded) { return Held(std::move(guarded)); }

 private:
  Mutex mutex_;
  Value value_ GUARDED_BY(mutex_);
};

}  // namespace baton
