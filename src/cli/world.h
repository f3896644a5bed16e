#pragma once
// Where a command prints. Code gets the descriptor of a Stream only by asking for it by name, so
// that text reaches a terminal in one way only: through write_text and write_painted, which make
// it printable (base/text/printable.h). tests/architecture/bans.py lists who may go round them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace baton::cli {

/// A descriptor that people or programs read. Not its owner.
class Stream {
 public:
  // Not explicit: a descriptor becomes safe by this, never the other way round.
  constexpr Stream(int descriptor) : descriptor_(descriptor) {}

  /// For what is not printed: a transport, the log.
  constexpr int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// The program's own colours: no text can have one in it.
enum class Colour : std::uint8_t { none, red, dim, cyan, green, yellow };

struct Painted {
  std::string text;
  Colour colour = Colour::none;
};

/// The printable form of the pieces, one behind the other, each in its colour if there are any.
std::string paint(std::span<const Painted> pieces, bool colours);

/// Prints all of `text` in its printable form; ENVIRONMENT when the descriptor refuses it.
Result<void> write_text(const Stream& stream, std::string_view text);

Result<void> write_painted(const Stream& stream, std::span<const Painted> pieces, bool colours);

/// Shows `line`, in its printable form, in place of the line that the cursor is in: for progress on
/// a terminal. An empty one clears it.
Result<void> write_progress(const Stream& stream, std::string_view line);

/// Writes data that a program reads back byte by byte: as it is to a file or a pipe, and in its
/// printable form to a terminal, where a person reads it.
Result<void> write_data(const Stream& stream, bool is_terminal, std::string_view data);

/// Writes all of `bytes` as they are. For files and pipes of our own, never for a terminal.
Result<void> write_bytes(int descriptor, std::string_view bytes);

// World: what a command may touch of the process it runs in, as a value, so that a test gives it
// buffers, an environment and a directory of its own. Only world.cc reads the real ones.
// Not thread-safe to change; read from any thread.

struct World {
  std::vector<std::string> arguments;  // without the program's name
  std::map<std::string, std::string, std::less<>> environment;
  std::filesystem::path directory;   // absolute; relative paths start here
  std::filesystem::path executable;  // absolute
  // The home of the user that runs this, by the system's list of users and not by HOME; may be
  // empty.
  std::filesystem::path account_home = {};

  // File descriptors, owned by the creator of the world.
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
