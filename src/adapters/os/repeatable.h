#pragma once
// A clock and chance that repeat themselves. Any thread.

#include "base/core/thread_safety.h"
#include "ports/system.h"

namespace baton::adapters {

/// Moves only when told.
class ManualClock final : public ports::Clock {
 public:
  explicit ManualClock(WallMs wall, MonoMs mono = {0})
      : wall_ms_(wall.value), mono_ms_(mono.value) {}

  WallMs wall() override { return {wall_ms_}; }
  MonoMs mono() override { return {mono_ms_}; }

  /// Time passes, on both clocks. REQUIRES: ms >= 0.
  void advance_ms(std::int64_t ms) {
    wall_ms_ += ms;
    mono_ms_ += ms;
  }

  /// Sets the wall clock forward or back; the monotonic one does not change.
  void set_wall(WallMs wall) { wall_ms_ = wall.value; }

 private:
  std::atomic<std::int64_t> wall_ms_;
  std::atomic<std::int64_t> mono_ms_;
};

/// Bytes that follow from a seed (splitmix64): same seed, same bytes, whatever the sizes of the
/// fills. Not fit for keys.
class FixedEntropy final : public ports::Entropy {
 public:
  explicit FixedEntropy(std::uint64_t seed) : state_(seed) {}

  void fill(std::span<std::uint8_t> bytes) override {
    const MutexLock lock(mutex_);
    for (std::uint8_t& byte : bytes) {
      if (left_ == 0) {
        word_ = next();
        left_ = 8;
      }
      byte = static_cast<std::uint8_t>(word_ & 0xFF);
      word_ >>= 8;
      --left_;
    }
  }

 private:
  std::uint64_t next() REQUIRES(mutex_) {
    state_ += 0x9E37'79B9'7F4A'7C15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58'476D'1CE4'E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D0'49BB'1331'11EB;
    return mixed ^ (mixed >> 31);
  }

  Mutex mutex_;
  std::uint64_t state_ GUARDED_BY(mutex_);
  std::uint64_t word_ GUARDED_BY(mutex_) = 0;
  int left_ GUARDED_BY(mutex_) = 0;  // bytes of word_ not given out yet
};

}  // namespace baton::adapters
