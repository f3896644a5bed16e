#pragma once
// What keeps an attempt from the next step, and the consequence: a blocker, or a gap
// that is recorded while the run continues. Autonomy and risk policy decide which. Pure.

#include <string>
#include <vector>

#include "run/show/reply.h"

namespace baton::run {

/// One thing that is wrong with an attempt, before it is weighed.
struct Finding {
  Reason reason = Reason::invariant_violation;
  Pointer pointer;
  std::string message;  // what was expected and what came
  std::string fix;      // what to do, as an order
  bool operator==(const Finding&) const = default;
};

/// Either blockers, and then the attempt does not pass, or the gaps with which it does.
struct Verdict {
  std::vector<Blocker> blockers;  // by code, kind and value of the pointer; at most blockers_max
  std::vector<Gap> gaps;          // in the order of the findings; without id and step
  bool operator==(const Verdict&) const = default;

  bool is_blocked() const { return !blockers.empty(); }
  /// Whether the agent alone can send something that passes.
  bool is_retryable() const;
};

/// What is recorded of a finding that the run continues in spite of; without id and step.
Gap gap_of(const Finding& finding, GapSeverity severity);

/// A simulation cannot make up every proof; what it lacks is weighed like the rest there.
enum class WeighMode : std::uint8_t { real, simulated };

/// conservative lets nothing pass; balanced lets an unknown capability pass as a warning;
/// aggressive a missing one too. What is left blocks, unless the autonomy is full_auto_never_stop:
/// then it becomes a critical gap. Missing evidence blocks in every mode.
Verdict apply_policy(const std::vector<Finding>& findings, const Preferences& preferences,
                     WeighMode weighing = WeighMode::real);

}  // namespace baton::run
