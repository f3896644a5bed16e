#pragma once
// From a workflow file to what the compiler makes of it, with every file it asks for on the way.

#include <span>
#include <vector>

#include "ports/workflow_source.h"
#include "workflow/compile.h"

namespace baton::engine {

/// What the compiler asked for beside the file, and what it was given.
struct Asked {
  workflow::NeedSource need;
  Sha256 answer;  // of the texts
};

/// What a compilation also says of the files it used.
struct CompiledFile {
  workflow::Compilation compilation;
  std::vector<Asked> asked = {};  // in order
  bool needed_others = false;     // so its own file alone does not say whether it is still true
};

/// The texts that answer a need, in order of their sources.
Result<std::vector<workflow::SourceText>> fetch(ports::WorkflowSource& source,
                                                const workflow::NeedSource& need);

Sha256 digest_of(std::span<const workflow::SourceText> texts);

/// Reads `file` when it has no text yet. A file that cannot be read gives a diagnostic.
Result<CompiledFile> compile_workflow(ports::WorkflowSource& source, ports::WorkflowFile file);

}  // namespace baton::engine
