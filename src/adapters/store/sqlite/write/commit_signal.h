#pragma once
// CommitSignal: how processes that share a store wait for each other's commits. SQLite's lock
// decides who writes; it can only be polled, so a refused process sleeps here until the holder of
// the lock rings. Nothing depends on it: a ring that is lost (its ringer was killed, its file was
// removed) costs a waiter the rest of its short sleep, and a listener the time to the next ring.
//
// Waiters want the lock, and a ring wakes one of them. Listeners want to hear of commits, and a
// ring wakes them all. They wait on one word, told apart by the bits that the kernel compares.
//
// A word in a small file beside the store, shared by every process that opened it. Any thread.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "adapters/files/descriptor.h"

namespace baton::adapters::sqlite {

class CommitSignal {
 public:
  /// Null when the file cannot be made or mapped: a read-only folder, an odd file system.
  static std::unique_ptr<CommitSignal> open(const std::string& path);
  ~CommitSignal();
  CommitSignal(const CommitSignal&) = delete;
  CommitSignal& operator=(const CommitSignal&) = delete;

  /// To be read before asking for the lock, so that a ring between the refusal and the wait counts.
  std::uint32_t rings() const { return is_whole() ? shared_->rings.load() : 0; }

  /// Those of other processes, and maybe more: another number when one of them has rung.
  std::uint32_t rings_of_others() const { return rings() - own_.load(); }

  /// After letting go of the lock. Wakes one waiter and every listener; costs next to nothing when
  /// there is none.
  void ring();

  /// Returns when it has rung since `seen`, or after `at_most`, or for no reason.
  void wait(std::uint32_t seen, std::chrono::nanoseconds at_most);

  /// The same for a listener. False: the file cannot be used now, and nothing was waited for.
  bool listen(std::uint32_t seen, std::chrono::nanoseconds at_most);

 private:
  struct Shared {
    std::atomic<std::uint32_t> rings;
    std::atomic<std::uint32_t> waiters;    // one killed while it waited stays counted
    std::atomic<std::uint32_t> listeners;  // likewise; not in a file of release 0.1.0
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

  CommitSignal(Descriptor file, Shared* shared) : file_(std::move(file)), shared_(shared) {}

  /// Makes a file that was cut short whole again: touching memory that is behind the end of its
  /// file kills the process. False: it cannot be made whole, and is not to be touched.
  bool is_whole() const;
  static bool make_whole(int file);

  Descriptor file_;
  Shared* shared_;
  std::atomic<std::uint32_t> own_ = 0;  // rings
};

}  // namespace baton::adapters::sqlite
