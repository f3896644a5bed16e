#pragma once
// Undoing: the command of a step's `undo`, and whether it may be run. Pure.

#include "run/effects/receipts.h"
#include "run/graph/state.h"
#include "run/walk/scripts.h"

namespace baton::run {

/// INVALID_INPUT when there is nothing to undo, or when it may have been undone already: an undo
/// runs at most once, unless it is known to have failed.
Result<void> check_undo(const EffectReceipt& receipt, const workflow::Step* step);

/// The command as it is run: its values are those that the step had, in the folder of the effect.
/// `state` is that of the node that the effect was intended at. REQUIRES: check_undo() passed.
Known<UndoIntended> undo_command(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                                 const ProcessIntended& effect, Scripts& scripts);

/// The same as a command, for who starts it.
ProcessIntended as_process(const UndoIntended& undo);

/// What the log keeps of its end.
UndoFinished noted(const UndoIntended& undo, const ProcessResult& result);

}  // namespace baton::run
