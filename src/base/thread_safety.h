#pragma once
// Locks that Clang checks: which mutex guards which data, and which functions need it held. The
// clang preset and the check `architecture_locks` build with -Werror=thread-safety; other compilers
// see plain locks. Every mutex of src/ is one of these. Any thread.
//
//   Mutex mutex_;
//   int count_ GUARDED_BY(mutex_) = 0;
//   void add() REQUIRES(mutex_);      // the caller holds it; the function may give it back
//   meanwhile
//
// A lambda is a function of its own, so one that runs under a lock says REQUIRES as well.

#include <chrono>
#include <condition_variable>
#include <mutex>

#ifdef __clang__
#define BATON_CHECKED(what) __attribute__((what))
#else
#define BATON_CHECKED(what)
#endif

#define CAPABILITY(name) BATON_CHECKED(capability(name))
#define SCOPED_CAPABILITY BATON_CHECKED(scoped_lockable)
#define GUARDED_BY(mutex) BATON_CHECKED(guarded_by(mutex))
#define PT_GUARDED_BY(mutex) BATON_CHECKED(pt_guarded_by(mutex))
#define REQUIRES(...) BATON_CHECKED(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) BATON_CHECKED(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) BATON_CHECKED(acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) BATON_CHECKED(try_acquire_capability(__VA_ARGS__))
#define RELEASE(...) BATON_CHECKED(release_capability(__VA_ARGS__))
#define ASSERT_HELD(...) BATON_CHECKED(assert_capability(__VA_ARGS__))
#define RETURN_MUTEX(mutex) BATON_CHECKED(lock_returned(mutex))
#define UNCHECKED_LOCKS BATON_CHECKED(no_thread_safety_analysis)

namespace baton {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }

  /// Says to the compiler that this thread holds it, where a lock came in a value, which the
  /// compiler cannot follow. Checks nothing.
  void assert_held() const ASSERT_HELD() {}

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

  /// False: the time came first, or at once.
  template <class Time>
  bool wait_until(Mutex& mutex, const Time& time) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool in_time = changed_.wait_until(lock, time) == std::cv_status::no_timeout;
    lock.release();
    return in_time;
  }
  bool wait_for(Mutex& mutex, std::chrono::milliseconds ms) REQUIRES(mutex) {
    return wait_until(mutex, std::chrono::steady_clock::now() + ms);
  }

  /// Until `happened()` is true, which is asked with the mutex held. False: it was not in time.
  template <class Happened>
  void wait(Mutex& mutex, const Happened& happened) REQUIRES(mutex) UNCHECKED_LOCKS {
    while (!happened()) wait(mutex);
  }
  template <class Time, class Happened>
  bool wait_until(Mutex& mutex, const Time& time, const Happened& happened)
      REQUIRES(mutex) UNCHECKED_LOCKS {
    while (!happened()) {
      if (!wait_until(mutex, time)) return happened();
    }
    return true;
  }
  template <class Happened>
  bool wait_for(Mutex& mutex, std::chrono::milliseconds ms, const Happened& happened)
      REQUIRES(mutex) {
    return wait_until(mutex, std::chrono::steady_clock::now() + ms, happened);
  }

 private:
  std::condition_variable changed_;
};

}  // namespace baton
