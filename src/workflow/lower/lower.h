#pragma once
// Lowering: the expanded tree becomes the compiled form, with defaults filled in and every spelling
// and unit in one form. Pure.

#include "workflow/compiled.h"
#include "workflow/expand/expand.h"
#include "workflow/lower/lower_step.h"

namespace baton::workflow {

struct Lowered {
  CompiledWorkflow workflow;
  std::vector<ShellUse> commands;
};

Lowered lower(const WorkflowDocument& main, Expanded expanded, const Library& library,
              Diagnostics& diagnostics);

}  // namespace baton::workflow
