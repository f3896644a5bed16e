#pragma once
// Time and chance from outside.

#include <cstdint>
#include <span>

#include "base/core/time.h"

namespace baton::ports {

/// Wall time may jump; nothing is ordered by it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallMs wall() = 0;
  virtual MonoMs mono() = 0;
  /// The same clock in microseconds, as finely as it can be read.
  virtual std::int64_t mono_us() { return mono().value * 1'000; }
};

/// Random bytes, fit for keys.
class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;
};

}  // namespace baton::ports
