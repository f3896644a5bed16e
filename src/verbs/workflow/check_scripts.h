#pragma once
// The JavaScript of a workflow, judged by the engine that would run it.

#include "ports/script_host.h"
#include "workflow/compile.h"

namespace baton::verbs {

/// Adds a diagnostic for each expression and transform that is not JavaScript, and its place in the
/// file; an error takes the pinned workflow away. Nothing runs, and a workflow without scripts
/// starts no engine.
void check_scripts(ports::ScriptHost& host, workflow::Compilation& compilation);

}  // namespace baton::verbs
