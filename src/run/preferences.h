#pragma once
// Preferences: how far a run goes without its user. What a node sets holds for it and below; what
// the session began with holds else; guided and conservative where nobody said anything. Pure.

#include <string>
#include <vector>

#include "run/types.h"
#include "workflow/compiled.h"

namespace baton::run {

/// A sentence for each preference that goes beyond what the workflow recommends. Nobody is refused
/// anything for that.
std::vector<std::string> preference_warnings(const workflow::CompiledWorkflow& workflow,
                                             const Preferences& preferences);

}  // namespace baton::run
