#pragma once
// The commands of version control: a program that must end well, or an error that says what it
// said. Any thread.

#include <filesystem>
#include <string>
#include <vector>

#include "base/core/limits.h"
#include "base/core/result.h"
#include "ports/process_runner.h"

namespace baton::adapters {

using ports::Environment;

struct VcsCommand {
  std::vector<std::string> words;  // the first is the program: a name, or an absolute path
  std::filesystem::path directory;
  Environment environment;
  std::string input = {};
  bool may_cut = false;  // output past the limit is dropped instead of refused
  std::size_t output_bytes_max = limits::command_output_bytes_max;
  std::int64_t ms_max = limits::command_ms_max;
};

struct CommandResult {
  int exit = 0;  // 128 + n for signal n
  std::string output;
  std::string errors;  // its end, at most limits::command_errors_bytes_max
  bool cut = false;
};

/// COMMAND_FAILED when it cannot be started, takes too long or writes too much.
Result<CommandResult> run_command(const VcsCommand& command);

/// COMMAND_NONZERO_EXIT, with the command and what it said.
std::unexpected<Error> nonzero_exit(const VcsCommand& command, const CommandResult& result);

}  // namespace baton::adapters
