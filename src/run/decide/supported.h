#pragma once
// What the engine of this release can run. A valid workflow that needs more is refused at its
// start, by name: leaving a part out would not be the workflow that was written. Pure.

#include <string>
#include <vector>

#include "workflow/compiled.h"

namespace baton::run {

/// A part of a step, or of the workflow when `step` is empty, that cannot be run.
struct UnsupportedPart {
  std::string step;
  std::string part;  // its key; empty for several together
  std::string message;
  std::string hint;
};

/// All of them, in the order of the workflow.
std::vector<UnsupportedPart> unsupported_parts(const workflow::CompiledWorkflow& workflow);

/// WORKFLOW_NOT_SUPPORTED names the first of them.
Result<void> check_supported(const workflow::CompiledWorkflow& workflow);

}  // namespace baton::run
