#pragma once
// Time from outside. Wall time may jump; nothing is ordered by it.

#include "base/time.h"

namespace baton::ports {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallMs wall() = 0;
  virtual MonoMs mono() = 0;
};

}  // namespace baton::ports
