#pragma once
// Where a command in a sandbox may write.

#include <string>
#include <vector>

#include "ports/process_runner.h"

namespace baton::adapters {

/// The workspace, the common folder of its git repository, TMPDIR (else /tmp) and what the sandbox
/// names itself. A `.git` that points somewhere counts only when git's own note there points back:
/// else a project could open any folder to itself.
std::vector<std::string> writable_paths(const ports::CommandSandbox& sandbox,
                                        const ports::Environment& environment);

/// What keeps a sandbox from being enforced on this machine; empty: nothing.
std::string why_no_sandbox();

}  // namespace baton::adapters
