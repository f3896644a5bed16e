#pragma once
// Preferences: how far a run goes without its user. What a node sets holds for it and below; what
// the session began with holds else; the default is guided and conservative. Pure.

#include <string>
#include <vector>

#include "run/graph/state.h"
#include "workflow/compiled.h"

namespace baton::run {

/// A sentence for each preference that goes beyond what the workflow recommends. No call is refused
/// anything for that.
std::vector<std::string> preference_warnings(const workflow::CompiledWorkflow& workflow,
                                             const Preferences& preferences);

/// "autonomy raised from guided to full_auto_never_stop by local with continue_workflow".
/// REQUIRES: it is a raise.
std::string raise_text(const Preferences& to, const PreferenceChange& change);
/// The same of what a node keeps, with how often it happened when that is more than once.
std::string raise_text(const PreferenceRaise& raise);

}  // namespace baton::run
