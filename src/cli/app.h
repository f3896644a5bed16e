#pragma once
// The whole command line as one function: main() calls it with the process's own world, tests with
// a world of their own.

#include "cli/verb.h"

namespace baton::cli {

/// Runs the command that `world.arguments` name.
Ending run(const World& world, const Parts& parts);

ExitCode exit_of(Code code);

/// An error as people read it on standard error.
std::vector<Painted> error_text(const Error& error);

}  // namespace baton::cli
