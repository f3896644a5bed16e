#pragma once
// Output: whole lines to a descriptor, one at a time, from any thread. After a failed write
// nothing more is written, so a reader never sees a line that starts in the middle.
//
// A client that does not read is waited for, but not beyond the end of the server: a waiting thread
// here notices that the client has hung up, because the thread that would read so may be the one
// that waits.

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/limits.h"
#include "base/core/thread_safety.h"

namespace baton::transport {

/// A mutex that can be waited for with an end. Not std::timed_mutex: the thread sanitizer of g++ 12
/// does not see when one is taken.
class CAPABILITY("mutex") TimedMutex {
 public:
  void lock() ACQUIRE();
  bool try_lock_for(std::chrono::milliseconds wait) TRY_ACQUIRE(true);
  void unlock() RELEASE();

 private:
  Mutex mutex_;
  Condition given_back_;
  bool taken_ GUARDED_BY(mutex_) = false;
};

/// When a server has ended at the latest, once its end has begun. Any thread.
class ShutdownDeadline {
 public:
  explicit ShutdownDeadline(std::int64_t ms) : ms_(ms) {}

  /// Only the first call counts.
  void start();

  /// For poll: -1 while it has not started, 0 when it is over.
  int remaining_ms() const;

  std::int64_t ms() const { return ms_; }

 private:
  using Ticks = std::chrono::steady_clock::rep;
  static constexpr Ticks never =
      std::chrono::steady_clock::time_point::max().time_since_epoch().count();

  const std::int64_t ms_;
  std::atomic<Ticks> at_ = never;
};

class Output {
 public:
  struct Ends {
    int fd;
    int in_fd = -1;    // where the client writes: when it hangs up, the end has begun
    int stop_fd = -1;  // readable means stop
    std::int64_t drain_ms = limits::drain_ms_max;
  };

  /// Waiting for a full pipe ends when the server is to stop, and with the deadline.
  explicit Output(const Ends& ends);

  /// Writes `line` and a line feed, unless `cancelled` is given and true when its turn comes.
  void write_line(std::string line, const std::atomic<bool>* cancelled);

  /// The same, but it may wait for the next line or flush(), so that many answers wake their reader
  /// once.
  void hold_line(std::string_view line, const std::atomic<bool>* cancelled);
  void flush();

  bool broken() const { return broken_.load(); }

  /// Of the server's end; every write ends by then.
  ShutdownDeadline& deadline() { return deadline_; }

  /// Nothing more is written. A line being written to a reader that has gone away ends before this
  /// returns, so that the descriptor may be closed; one that fills a full pipe is left behind.
  void end();

 private:
  bool wait_writable();
  std::size_t room() const;
  ssize_t put(std::string_view bytes) const;
  bool write_all(std::string_view message);
  void write_held() REQUIRES(mutex_);

  const int fd_;
  const int in_fd_;
  const int stop_fd_;
  ShutdownDeadline deadline_;
  bool is_terminal_ = false;  // a person talks to the server by hand
  bool is_socket_;
  bool never_blocks_;       // a write that finds no room says so
  std::size_t pipe_bytes_;  // what an empty pipe takes at once; 0 when it is not a pipe
  TimedMutex mutex_;
  std::string held_ GUARDED_BY(mutex_);
  std::atomic<bool> broken_ = false;
};

}  // namespace baton::transport
