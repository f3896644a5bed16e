#pragma once
// The owner pauses, resumes or cancels a run, or gives its agent guidance. Both hold on every
// branch and count from the moment that they are recorded.

#include "engine/engine.h"
#include "run/log/owner_events.h"

namespace baton::verbs {

struct OwnerWord {
  std::string text;  // the reason of a hold, or the guidance
  run::ChangeSource source = {};
};

/// INVALID_INPUT when that is not possible now. Returns what was recorded.
Result<run::RunHeld> hold_run(engine::Engine& engine, const run::RunRow& run, run::Hold hold,
                              const OwnerWord& word);

/// The agent gets it with its next reply.
Result<run::Guidance> guide_run(engine::Engine& engine, const run::RunRow& run,
                                const OwnerWord& word);

}  // namespace baton::verbs
