#pragma once
// CommitSignal: how processes that share a store wait for each other's commits. SQLite's lock
// decides who writes; it can only be polled, so a refused process sleeps here until the holder of
// the lock rings. Nothing depends on it: a ring that is lost (its ringer was killed, its file was
// removed) costs a waiter the rest of its short sleep.
//
// A word in a small file beside the store, shared by every process that opened it. Any thread.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace baton::adapters::sqlite {

class CommitSignal {
 public:
  /// Null when the file cannot be made or mapped: a read-only folder, an odd file system.
  static std::unique_ptr<CommitSignal> open(const std::string& path);
  ~CommitSignal();
  CommitSignal(const CommitSignal&) = delete;
  CommitSignal& operator=(const CommitSignal&) = delete;

  /// To be read before asking for the lock, so that a ring between the refusal and the wait counts.
  std::uint32_t rings() const { return shared_->rings.load(); }

  /// After letting go of the lock. Wakes one waiter; costs next to nothing when there is none.
  void ring();

  /// Returns when it has rung since `seen`, or after `at_most`, or for no reason.
  void wait(std::uint32_t seen, std::chrono::nanoseconds at_most);

 private:
  struct Shared {
    std::atomic<std::uint32_t> rings;
    std::atomic<std::uint32_t> waiters;  // one killed while it waited stays counted
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

  explicit CommitSignal(Shared* shared) : shared_(shared) {}

  Shared* shared_;
};

}  // namespace baton::adapters::sqlite
