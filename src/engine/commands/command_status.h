#pragma once
// Whether the command of an open step still runs, for a caller that looks at a run. Reads only.

#include <optional>

#include "engine/engine.h"
#include "run/steps/shell_command.h"

namespace baton::engine {

/// Whether the result of a command that this process does not run is lost: its runner is
/// gone, or its time is over. `node`: that it was intended at.
bool is_lost(const ReadContext& reading, const run::ProcessIntended& intended,
             const run::NodeRow& node);

/// What is known of the command that the server runs for the open step of `state`; nothing when it
/// runs none.
Result<std::optional<run::CommandStatus>> command_status(const ReadContext& reading,
                                                         const run::NodeState& state);

/// A step whose command the server ran is said to run only as long as it does.
Result<void> add_command_status(const ReadContext& reading,
                                const workflow::CompiledWorkflow& workflow,
                                const run::NodeState& state, run::Reply& reply);

}  // namespace baton::engine
