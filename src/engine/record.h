#pragma once
// Pumping a decider, and making what it decided durable.

#include <optional>

#include "engine/commands/command_permit.h"

namespace baton::engine {

/// Whose scripts are evaluated, so that they take their turn. A run that is being started is the
/// one that is drawn.
struct ScriptsOf {
  Sha256 workflow;
  std::optional<RunId> run = {};
  const run::NodeRow* below = nullptr;  // that it is decided below; none: nothing comes before it
  const run::TaskRef* task = nullptr;   // that a run is started for
};

/// Whether a workspace may be looked at for what may be decided already.
enum class ProbeMode : std::uint8_t { allowed, refused };

/// The results of scripts, with the time each took. SCRIPT_BUSY when they have no turn.
Result<std::vector<state::ScriptAnswer>> evaluate(Engine& engine, const ports::ScriptQueueKey& turn,
                                                  std::span<const state::Evaluation> evaluations);

/// Fetches what the decider needs until it has decided. An error when that is a look that is
/// refused: a check is not run twice for one attempt. SCRIPT_BUSY when its scripts have no turn.
Result<run::Decided> decide(Engine& engine, run::Decider& decider, const Permit& permit,
                            const ScriptsOf& whose, ProbeMode looking = ProbeMode::allowed);

/// The same, with what the decider itself rejects, for what reason, apart from what could not be
/// fetched for it.
Result<Result<run::Decided>> decide_or_reject(Engine& engine, run::Decider& decider,
                                              const Permit& permit, const ScriptsOf& whose,
                                              ProbeMode looking = ProbeMode::allowed);

struct Recorded {
  run::Reply reply;
  run::NodeRow node;  // the new node
};

/// Appends with the expected head. Nothing when another process was first: read again.
/// On an error the outcome may be unknown; look it up by the dedupe key.
Result<std::optional<Recorded>> record(Engine& engine, run::Decided decided, run::Seq expected);

}  // namespace baton::engine
