#pragma once
// A clock that moves only when told, for tests. Any thread.

#include <atomic>

#include "ports/clock.h"

namespace baton::adapters {

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

  /// Somebody sets the wall clock, either way; the monotonic one does not notice.
  void set_wall(WallMs wall) { wall_ms_ = wall.value; }

 private:
  std::atomic<std::int64_t> wall_ms_;
  std::atomic<std::int64_t> mono_ms_;
};

}  // namespace baton::adapters
