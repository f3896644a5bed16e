#pragma once
// Whether a workflow has commands that the server could run. Pure.

#include "workflow/compiled.h"

namespace baton::run {

/// Of a shell step, or as evidence of any step.
bool has_commands(const workflow::CompiledWorkflow& workflow);

}  // namespace baton::run
