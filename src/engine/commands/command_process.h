#pragma once
// A command of a workflow as a program of this machine: with the owner's settings.

#include "engine/engine.h"
#include "run/graph/state.h"

namespace baton::engine {

/// Whether the step at a node asks for a sandbox.
bool wants_sandbox(const workflow::CompiledWorkflow& workflow, const run::NodeState& state);

/// `state`: of the run that it is of.
ports::Process process_of(const Engine& engine, const run::ProcessIntended& intended,
                          const run::NodeState& state, bool wants_sandbox);

}  // namespace baton::engine
