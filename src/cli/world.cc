#include "cli/world.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

extern char** environ;

namespace baton::cli {

std::string_view World::variable(std::string_view name) const {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

World world_of_process(int argc, char** argv) {
  World world;
  world.is_process = true;
  for (int i = 1; i < argc; ++i) world.arguments.emplace_back(argv[i]);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view pair = *entry;
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    world.environment.emplace(pair.substr(0, equals), pair.substr(equals + 1));
  }
  std::error_code ignored;
  world.directory = std::filesystem::current_path(ignored);
  world.executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  world.input_is_terminal = isatty(world.input) == 1;
  world.output_is_terminal = isatty(world.output.descriptor()) == 1;
  world.errors_are_terminal = isatty(world.errors.descriptor()) == 1;
  return world;
}

Result<std::string> read_text(int descriptor, std::size_t bytes_max) {
  std::string text;
  char chunk[16384];
  for (;;) {
    const ssize_t got = read(descriptor, chunk, sizeof chunk);
    if (got == 0) return text;
    if (got < 0) {
      if (errno == EINTR) continue;
      return fail(Code::ENVIRONMENT, cat("cannot read the input: ", std::strerror(errno)));
    }
    text.append(chunk, static_cast<std::size_t>(got));
    if (text.size() > bytes_max) {
      return fail(Code::LIMIT_EXCEEDED, cat("the input is larger than ", bytes_max, " bytes"));
    }
  }
}

}  // namespace baton::cli
