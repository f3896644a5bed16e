#include "cli/stream.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/printable.h"
#include "base/text.h"

namespace baton::cli {
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
