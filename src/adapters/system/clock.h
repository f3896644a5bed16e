#pragma once
// The machine's clocks. Any thread.

#include "ports/clock.h"

namespace baton::adapters {

class SystemClock final : public ports::Clock {
 public:
  WallMs wall() override;
  MonoMs mono() override;
};

}  // namespace baton::adapters
