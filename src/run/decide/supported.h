#pragma once
// What the engine of this release can run. A valid workflow that needs more is refused at its
// start, by name: leaving a part out would not be the workflow that was written. Pure.

#include "workflow/compiled.h"

namespace baton::run {

/// WORKFLOW_NOT_SUPPORTED names the first part, in the order of the workflow, that cannot be run.
Result<void> check_supported(const workflow::CompiledWorkflow& workflow);

}  // namespace baton::run
