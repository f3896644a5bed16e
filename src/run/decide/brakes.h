#pragma once
// Brakes: what stops a run by itself. Its budget is used up, or its breaker trips because a step
// fails again and again or a loop repeats itself. It waits at a gate then, in every mode. All of it
// follows from what is recorded. Pure.

#include <optional>
#include <string_view>

#include "run/decide/gates.h"
#include "run/graph/state.h"
#include "run/policy/policy.h"
#include "workflow/compiled.h"

namespace baton::run {

/// What the author of a workflow allows each run of it.
Budget budget_of(const workflow::CompiledWorkflow& workflow);

/// For each limit the lower one that is said.
Budget strictest(const Budget& a, const Budget& b);

/// LIMIT_EXCEEDED when a limit is below 0 or above what a budget can have.
Result<void> check_budget(const Budget& budget);

/// Minutes that a run has taken up to its last act, without those it waited for a person.
std::int64_t minutes_of(const Usage& usage);

/// "8 of 10 steps, 3 of 60 minutes": each limit with what is used of it.
std::string budget_text(const Budget& budget, const Usage& usage);

/// The gate of a budget that is used up; nothing while something is left of each limit.
std::optional<GateAsk> budget_ask(const NodeState& state, const Policy& policy);

/// The budget with what the gate offers.
Budget with_offer(Budget budget, const json::Object& offer);

/// The gate of a step that failed, or was refused, too often in a row; nothing else.
std::optional<GateAsk> failing_ask(const NodeState& state, const Policy& policy);

/// The gate of a loop in which the step `settled` had the same output for too many rounds. `from`
/// is the place of that step.
std::optional<GateAsk> repeating_ask(const workflow::CompiledWorkflow& workflow, const Cursor& from,
                                     std::string_view settled, const NodeState& state,
                                     const Policy& policy);

}  // namespace baton::run
