#pragma once
// Output: whole lines to a descriptor, one at a time, from any thread. After a failed write
// nothing more is written, so a reader never sees a line that starts in the middle.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

namespace baton::transport {

/// A mutex that can be waited for with an end. Not std::timed_mutex: the thread sanitizer of g++ 12
/// does not see when one is taken.
class Turn {
 public:
  void lock();
  bool try_lock_for(std::chrono::milliseconds patience);
  void unlock();

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  bool taken_ = false;
};

class Output {
 public:
  /// Waiting for a full pipe ends when `stop_fd` is readable (-1: never).
  Output(int fd, int stop_fd);

  /// Writes `line` and a line feed, unless `cancelled` is given and true when its turn comes.
  void write_line(std::string line, const std::atomic<bool>* cancelled);

  /// The same, but it may wait for the next line or flush(), so that many answers wake their reader
  /// once.
  void hold_line(std::string_view line, const std::atomic<bool>* cancelled);
  void flush();

  bool broken() const { return broken_.load(); }

  /// Nothing more is written. A line being written to a reader that has gone away ends before this
  /// returns, so that the descriptor may be closed; one that fills a full pipe is left behind.
  void end();

 private:
  bool wait_writable() const;
  std::size_t room() const;
  bool write_all(std::string_view bytes) const;
  void write_held();

  int fd_;
  int stop_fd_;
  std::size_t pipe_bytes_;  // what an empty pipe takes at once; 0 when it is no pipe
  Turn turn_;
  std::string held_;  // guarded by turn_
  std::atomic<bool> broken_ = false;
};

}  // namespace baton::transport
