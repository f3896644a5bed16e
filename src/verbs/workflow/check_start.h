#pragma once
// Whether a run of a workflow could begin, asked before anyone starts one. Writes nothing.

#include "ports/script_host.h"
#include "workflow/compile.h"

namespace baton::verbs {

/// Adds what a start would be refused for, with its place in the file; an error takes the pinned
/// workflow away. Inputs that are required and what loops need of the context are made up, so that
/// only what the file itself gets wrong is told. Commands are not run and no file is looked at.
void check_start(ports::ScriptHost& host, workflow::Compilation& compilation);

}  // namespace baton::verbs
