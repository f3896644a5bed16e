#pragma once
// Which commands of a workflow the server could run. Pure.

#include <string>
#include <vector>

#include "workflow/compiled.h"

namespace baton::run {

/// Of a shell step, or as evidence of any step.
bool has_commands(const workflow::CompiledWorkflow& workflow);

/// A command as its author wrote it: what is filled in later is left out.
struct WrittenCommand {
  std::vector<std::string> argv;  // a shell's, for a command line
  std::string directory;          // from the workspace on; empty: the workspace itself
  bool is_elsewhere = false;      // where it runs is filled in later
  bool operator==(const WrittenCommand&) const = default;
};

/// Every command of the workflow that the server could run.
std::vector<WrittenCommand> written_commands(const workflow::CompiledWorkflow& workflow);

/// Those of `argv` that the author wrote, for one of these commands once it is filled in.
std::vector<std::string> written_words(const std::vector<WrittenCommand>& commands,
                                       const std::vector<std::string>& argv);

}  // namespace baton::run
