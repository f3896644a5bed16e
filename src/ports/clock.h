#pragma once
// Time from outside. Wall time may jump; nothing is ordered by it.

#include <cstdint>

#include "base/time.h"

namespace baton::ports {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallMs wall() = 0;
  virtual MonoMs mono() = 0;
  /// The same clock in microseconds, as finely as it can be read.
  virtual std::int64_t mono_us() { return mono().value * 1'000; }
};

}  // namespace baton::ports
