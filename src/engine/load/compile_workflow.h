#pragma once
// From a workflow file to what the compiler makes of it, with every file it asks for on the way.

#include "ports/workflow_source.h"
#include "workflow/compile.h"

namespace baton::engine {

/// What a compilation also says of the files it used.
struct CompiledFile {
  workflow::Compilation compilation;
  bool needed_others = false;  // so its own file alone does not say whether it is still true
};

/// Reads `file` when it has no text yet. A file that cannot be read gives a diagnostic.
Result<CompiledFile> compile_workflow(ports::WorkflowSource& source, ports::WorkflowFile file);

}  // namespace baton::engine
