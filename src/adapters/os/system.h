#pragma once
// The machine's clocks and random bytes. Any thread.

#include "ports/system.h"

namespace baton::adapters {

class OsEntropy final : public ports::Entropy {
 public:
  /// Ends the process when the system has no random bytes to give: nothing safe could follow.
  void fill(std::span<std::uint8_t> bytes) override;
};

class SystemClock final : public ports::Clock {
 public:
  WallMs wall() override;
  MonoMs mono() override;
  std::int64_t mono_us() override;
};

}  // namespace baton::adapters
