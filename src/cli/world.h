#pragma once
// World: what a command may touch of the process it runs in, as a value, so that a test gives it
// buffers, an environment and a directory of its own. Only world.cc reads the real ones.
// Not thread-safe to change; read from any thread.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/stream.h"

namespace baton::cli {

struct World {
  std::vector<std::string> arguments;  // without the program's name
  std::map<std::string, std::string, std::less<>> environment;
  std::filesystem::path directory;   // absolute; relative paths start here
  std::filesystem::path executable;  // absolute

  // File descriptors, owned by whoever made the world.
  int input = 0;
  Stream output = 1;
  Stream errors = 2;
  bool input_is_terminal = false;
  bool output_is_terminal = false;
  bool errors_are_terminal = false;

  // True when the streams and signals of the process are the command's to use.
  bool is_process = false;

  /// The variable's value; an empty one counts as absent.
  std::string_view variable(std::string_view name) const;
};

World world_of_process(int argc, char** argv);

/// Everything up to the end of the stream; LIMIT_EXCEEDED past `bytes_max`.
Result<std::string> read_text(int descriptor, std::size_t bytes_max);

}  // namespace baton::cli
