#pragma once
// Where a command prints. Code gets the descriptor of a Stream only by asking for it by name, so
// that text reaches a terminal in one way only: through write_text and write_painted, which make
// it printable (base/printable.h). tests/architecture/bans.py lists who may go round them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

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

}  // namespace baton::cli
