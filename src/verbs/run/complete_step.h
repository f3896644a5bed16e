#pragma once
// Driving a run by its id and the names of its steps, for surfaces without tokens. Each verb finds
// the place that the call means and makes an attempt there.

#include "engine/load/find_open_step.h"
#include "engine/wait_policy.h"
#include "verbs/run/why_ended.h"

namespace baton::verbs {

struct StepRequest {
  std::string run;
  std::string step;  // its key
  run::StepInput input;
  engine::WaitPolicy wait = {};
  std::optional<run::GateWord> asked = {};  // what a form came back with
};

/// Settles the step. For a step that was settled already on the way to the run's latest point: the
/// recorded answer, with a notice when it was recorded with another input.
Result<engine::NodeAnswer> complete_step(engine::Engine& engine, const engine::Principal& principal,
                                         const StepRequest& request);

/// Saves progress at the step, which must be the open one.
Result<engine::NodeAnswer> checkpoint_step(engine::Engine& engine,
                                           const engine::Principal& principal,
                                           const StepRequest& request);

/// Ends a run whose work is over. INVALID_INPUT while a step is open and `end` does not say that
/// the run is abandoned; a run that was ended already stays as it is.
Result<engine::RunPoint> end_run(engine::Engine& engine, const engine::Principal& principal,
                                 std::string_view run, const std::optional<run::RunEnd>& end);

/// Opens the failed step of a failed run again when the workflow's on_resume says so, with what
/// holds at the point where it was open: a checkpoint is taken there. Any other run is left as it
/// is. Why the run had failed, or nothing when it was left.
Result<std::optional<EndReason>> reopen_failed(engine::Engine& engine,
                                               const engine::Principal& principal,
                                               std::string_view run);

}  // namespace baton::verbs
