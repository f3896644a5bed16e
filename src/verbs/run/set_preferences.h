#pragma once
// Changes how far a run goes without its user, from its latest point on. An agent that holds a
// token of that point is met by the change at its next call.

#include "engine/engine.h"

namespace baton::verbs {

/// The preferences that hold now. INVALID_INPUT when the run is complete.
Result<run::Preferences> set_preferences(engine::Engine& engine, const engine::Principal& principal,
                                         const run::RunRow& run,
                                         const run::PreferencesDelta& preferences);

}  // namespace baton::verbs
