#include "cli/world.h"

#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/text/printable.h"
#include "base/text/text.h"

extern char** environ;

namespace baton::cli {

std::string_view World::variable(std::string_view name) const {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

namespace {

std::filesystem::path home_of_account() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> texts;  // what an entry takes, with much to spare
  if (getpwuid_r(geteuid(), &entry, texts.data(), texts.size(), &found) != 0) return {};
  return found == nullptr || found->pw_dir == nullptr ? "" : found->pw_dir;
}

}  // namespace

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
  world.account_home = home_of_account();
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

namespace {

constexpr std::string_view no_colour = "\033[0m";
constexpr std::string_view rest_of_line_cleared = "\033[K";

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::none: return {};
    case Colour::red: return "\033[1;31m";
    case Colour::dim: return "\033[2m";
    case Colour::cyan: return "\033[36m";
    case Colour::green: return "\033[32m";
    case Colour::yellow: return "\033[33m";
  }
  return {};
}

}  // namespace

std::string paint(std::span<const Painted> pieces, bool colours) {
  std::string out;
  for (const Painted& piece : pieces) {
    const std::string_view code = colours ? code_of(piece.colour) : std::string_view();
    out += cat(code, printable(piece.text), code.empty() ? std::string_view() : no_colour);
  }
  return out;
}

Result<void> write_text(const Stream& stream, std::string_view text) {
  return write_bytes(stream.descriptor(), printable(text));
}

Result<void> write_painted(const Stream& stream, std::span<const Painted> pieces, bool colours) {
  return write_bytes(stream.descriptor(), paint(pieces, colours));
}

Result<void> write_progress(const Stream& stream, std::string_view line) {
  return write_bytes(stream.descriptor(), cat('\r', printable_line(line), rest_of_line_cleared));
}

Result<void> write_data(const Stream& stream, bool is_terminal, std::string_view data) {
  return is_terminal ? write_text(stream, data) : write_bytes(stream.descriptor(), data);
}

Result<void> write_bytes(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail(Code::ENVIRONMENT, cat("cannot write the output: ", std::strerror(errno)));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace baton::cli
