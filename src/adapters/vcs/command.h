#pragma once
// Runs a program and waits for it: no shell, a directory and environment of its own, bounded output
// and time, and its whole process group gone when it is over. Any thread.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"

namespace baton::adapters {

using Environment = std::map<std::string, std::string, std::less<>>;

struct Command {
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

/// The file that `name` means by the PATH of `environment`, or nothing. Relative entries of the
/// PATH do not count: they would mean whatever a project holds.
std::string find_program(std::string_view name, const Environment& environment);

/// COMMAND_FAILED when it cannot be started, takes too long or writes too much.
Result<CommandResult> run_command(const Command& command);

/// COMMAND_NONZERO_EXIT, with the command and what it said.
std::unexpected<Error> nonzero_exit(const Command& command, const CommandResult& result);

}  // namespace baton::adapters
