#pragma once
// Checks of the expanded steps: ids, dependencies, loops, what can never run, and names of tasks,
// contracts and assessments. Pure.

#include "workflow/expand/expand.h"

namespace baton::workflow {

void check_steps(const Expanded& expanded, Diagnostics& diagnostics);

/// Names in a circle of dependencies, in order, or nothing. `needs[i]`: what i depends on.
std::vector<std::size_t> find_circle(const std::vector<std::vector<std::size_t>>& needs);

}  // namespace baton::workflow
