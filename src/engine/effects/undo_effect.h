#pragma once
// Undoes an effect: its command is recorded before it starts and again with its result, once.

#include <optional>
#include <string>

#include "engine/engine.h"

namespace baton::engine {

struct UndoRequest {
  std::string step;                   // its key
  std::optional<NodeId> effect = {};  // where it was recorded; none: the only one that may hold
  run::ChangeSource source = {};
};

struct Undone {
  run::UndoIntended intended;
  run::UndoFinished finished;
};

/// NOT_FOUND for an effect that the run did not have, INVALID_INPUT for one that cannot be undone,
/// or whose commands the server may not run; then nothing is recorded. Waits until the command has
/// ended. After a crash the result is unknown, and the command is not run again.
Result<Undone> undo_effect(Engine& engine, const run::RunRow& run, const UndoRequest& request);

/// Undoes the effect that a person chose to undo at the gate where `state` waits, if it was not
/// tried before; `asked` is a word that came with this attempt. Whether it was tried now: then the
/// session has new commits.
Result<bool> undo_as_chosen(Engine& engine, const run::NodeState& state,
                            const std::optional<run::GateWord>& asked);

}  // namespace baton::engine
