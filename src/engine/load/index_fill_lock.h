#pragma once
// Who fills the search index: one call of this process at a time. A call that comes then waits for
// it or continues without, and never reads the log as well. Any thread.

#include "base/core/limits.h"
#include "base/core/thread_safety.h"
#include "run/log/rows.h"

namespace baton::engine {

class IndexFillLock {
 public:
  enum class Outcome : std::uint8_t {
    mine,  // fill the index, say how far it is, and call end()
    done,  // it holds everything up to the wanted commit by now
    over,  // it does not, and this call is not to wait for it
  };

  /// `is_far`: so much is missing that only limits::catch_up_waiters_max calls wait for it, so that
  /// there are threads left for calls of other kinds.
  Outcome take(run::CommitNo wanted, bool is_far) {
    MutexLock lock(mutex_);
    while (is_taken_) {
      if (is_far && waiting_ >= limits::catch_up_waiters_max) return Outcome::over;
      const std::uint64_t turn = turns_;
      ++waiting_;
      changed_.wait(mutex_, [&]() REQUIRES(mutex_) { return turns_ != turn || filled_ >= wanted; });
      --waiting_;
      if (filled_ >= wanted) return Outcome::done;
      if (!is_whole_) return Outcome::over;
    }
    is_taken_ = true;
    filled_ = {};
    return Outcome::mine;
  }

  /// How far the index is. REQUIRES, as for end(): the turn is the caller's.
  void reached(run::CommitNo commit) {
    {
      const MutexLock lock(mutex_);
      filled_ = commit;
    }
    changed_.notify_all();
  }

  /// `is_whole`: the log was read to its end.
  void end(bool is_whole) {
    {
      const MutexLock lock(mutex_);
      is_taken_ = false;
      is_whole_ = is_whole;
      ++turns_;
    }
    changed_.notify_all();
  }

  /// How many calls wait.
  std::size_t waiting() const {
    const MutexLock lock(mutex_);
    return waiting_;
  }

 private:
  mutable Mutex mutex_;
  Condition changed_;
  bool is_taken_ GUARDED_BY(mutex_) = false;
  bool is_whole_ GUARDED_BY(mutex_) = true;     // the result of the last turn
  std::uint64_t turns_ GUARDED_BY(mutex_) = 0;  // that are over
  std::size_t waiting_ GUARDED_BY(mutex_) = 0;
  run::CommitNo filled_ GUARDED_BY(mutex_);  // by the turn that is taken, or was the last
};

}  // namespace baton::engine
