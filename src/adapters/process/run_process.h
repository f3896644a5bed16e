#pragma once
// Runs a program and waits for it, as ports/process_runner.h says. Any thread.

#include <string>
#include <string_view>

#include "ports/process_runner.h"

namespace baton::adapters {

/// The file that the program's name means, or nothing. A path starts at the directory. Relative
/// folders of the PATH do not count: they would mean files of the project.
std::string find_program(std::string_view name, const ports::Environment& environment,
                         const std::string& directory = "/");

/// Returns when the program and all its children have ended. Readable `stop_fd`: kill it.
ports::ProcessResult run_process(const ports::Process& process, int stop_fd = -1);

}  // namespace baton::adapters
