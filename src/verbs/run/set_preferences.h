#pragma once
// Changes how far a run goes without its user, from its latest point on. An agent that holds a
// token of that point is met by the change at its next call.

#include "engine/engine.h"

namespace baton::verbs {

/// The preferences that hold now. INVALID_INPUT when the run is complete.
///
/// A raise needs a word as sure as the policy asks for, that of now and the one that was recorded
/// with the run's last act, and as the gate where the run waits. At a terminal it is `present`,
/// from elsewhere `claimed`. What is not sure enough is INVALID_INPUT, with what the person can do.
Result<run::Preferences> set_preferences(engine::Engine& engine, const run::ChangeSource& source,
                                         const run::RunRow& run,
                                         const run::PreferencesDelta& preferences);

}  // namespace baton::verbs
