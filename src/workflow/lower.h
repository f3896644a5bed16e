#pragma once
// Lowering: the expanded tree becomes the compiled form, with defaults filled in and every spelling
// and unit in one form. Pure.

#include "workflow/compiled.h"
#include "workflow/expand.h"

namespace baton::workflow {

/// A command that the workflow may run, for the decision about trust.
struct ShellUse {
  enum class By : std::uint8_t { server, agent };
  std::string step;
  std::string command;  // as the shell gets it, or the arguments, those that need it in quotes
  Place at;
  By by = By::server;
};

struct Lowered {
  CompiledWorkflow workflow;
  std::vector<ShellUse> commands;
};

Lowered lower(const Document& main, Expanded expanded, const Library& library,
              Diagnostics& diagnostics);

}  // namespace baton::workflow
