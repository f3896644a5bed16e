#pragma once
// The machine's clocks. Any thread.

#include "ports/clock.h"

namespace baton::adapters {

class SystemClock final : public ports::Clock {
 public:
  WallMs wall() override;
  MonoMs mono() override;
  std::int64_t mono_us() override;
};

}  // namespace baton::adapters
