#pragma once
// Turns: of several Batons that read, change and write one description, one does at a time. A
// caller without a turn is still safe, since each write compares; it may only have to try again.
// Any thread.

#include <memory>

#include "ports/version_control.h"

namespace baton::ports {

/// The right to change the description, until it is let go.
class PlanTurn {
 public:
  virtual ~PlanTurn() = default;
};

class PlanTurns {
 public:
  virtual ~PlanTurns() = default;

  /// Waits for the others. PLAN_BUSY when they take too long.
  virtual Result<std::unique_ptr<PlanTurn>> take_turn() = 0;
};

/// A description that others change too.
class SharedPlan : public VersionControl, public PlanTurns {};

}  // namespace baton::ports
