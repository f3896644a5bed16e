#pragma once
// Attempts as they were recorded: by their place, or by what was sent. Reads only.

#include "engine/load/load.h"

namespace baton::engine {

struct RecordedAttempt {
  run::NodeNo made;                              // the node that it led to
  CommitEvents events;                           // of its commit
  const run::AdvanceRecorded* record = nullptr;  // one of these events
};

/// Nothing when no such attempt was made.
Result<std::optional<RecordedAttempt>> load_attempt(const LoadContext& loading,
                                                    const run::NodeRow& node,
                                                    const run::AttemptKey& key);

/// The first attempt at a step of `node` that had this input; nothing when none of the `settled`
/// attempts there had it. `key` names the step, with any count. A process reads the commit of each
/// attempt once while it remembers the step: at most limits::attempts_per_step_max for the first
/// call, and for later ones those that came since.
Result<std::optional<RecordedAttempt>> find_attempt(const LoadContext& loading,
                                                    const run::NodeRow& node, run::AttemptKey key,
                                                    std::uint16_t settled, const Sha256& input);

}  // namespace baton::engine
