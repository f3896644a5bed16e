#pragma once
// Preferences: how far a run goes without its user. What a node sets holds for it and below; what
// the session began with holds else; the default is guided and conservative. Pure.

#include <string>
#include <vector>

#include "run/decide/submission.h"
#include "run/graph/state.h"
#include "run/policy/policy.h"
#include "workflow/compiled.h"

namespace baton::run {

/// What to say of preferences that go beyond what the workflow recommends, with the safer
/// combination. No call is refused anything for that.
std::vector<std::string> preference_warnings(const workflow::CompiledWorkflow& workflow,
                                             const Preferences& preferences);

/// What is left of a wish for preferences below the ceilings of the policy. Nothing is refused: a
/// wish above a ceiling is one for the ceiling.
struct CappedWish {
  PreferencesDelta wish;
  std::vector<std::string> alerts;  // a sentence for each that was capped
};
CappedWish below_ceilings(const PreferencesDelta& wish, const Policy& policy);

/// "autonomy raised from guided to full_auto_never_stop by local with continue_workflow".
/// REQUIRES: it is a raise.
std::string raise_text(const Preferences& to, const PreferenceChange& change);
/// The same of what a node keeps, with how often it happened when that is more than once.
std::string raise_text(const PreferenceRaise& raise);

}  // namespace baton::run
