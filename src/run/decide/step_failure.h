#pragma once
// What follows when a step could not be done: its own `on_error` decides, and where that does not
// help, the workflow's `error_handling`. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "run/decide/submission.h"
#include "run/graph/frames.h"
#include "run/graph/state.h"
#include "run/show/reply.h"
#include "workflow/compiled.h"

namespace baton::run {

struct FailureOutcome {
  Consequence consequence = Consequence::fail;
  StepError error;
  std::int64_t tries_left = 0;            // of a retry or a restart, the one that comes included
  std::int64_t delay_ms = 0;              // before a retry
  std::optional<json::Value> value = {};  // of go_on: what replaces the step's result
};

/// The type of a failure for missing proof.
inline constexpr std::string_view unproven_type = "unproven";

/// Whose step it is: a task fails as its step does; its workflow's error handling does not apply.
enum class FailureOwner : std::uint8_t { run, task };

/// `key` is the step's in its round. A step of on_failure never leads to on_failure again.
FailureOutcome failure_outcome(const workflow::CompiledWorkflow& workflow,
                               const workflow::Step& step, std::string_view key,
                               const FailureCounts& setbacks, const StepFailure& failure,
                               FailureOwner in = FailureOwner::run);

/// How often a step whose output is wrong may be corrected; nothing: always.
std::optional<std::int64_t> most_refused(const workflow::Step& step);

/// Why a retry does not continue to the next step. REQUIRES: it is a retry.
Blocker blocker_of(const FailureOutcome& failing);

/// What the caller is told beside the next step. REQUIRES: it is not a retry.
std::string warning_of(const FailureOutcome& failing);

/// What is noted of the failure in the state, beside the five fields of a StepNote.
struct FailureWrites {
  std::vector<state::Write> own;    // of the step's error_state_update
  std::vector<state::Write> noted;  // by the workflow's error_collection, in the root's frame
};
state::Known<FailureWrites> failure_writes(const workflow::CompiledWorkflow& workflow,
                                           const workflow::Step& step,
                                           const FailureOutcome& failing, const Cursor& cursor,
                                           const state::Scope& names,
                                           const UpdateContext& updating);

}  // namespace baton::run
