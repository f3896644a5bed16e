#include "cli/passphrase.h"

#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "base/core/approval_limits.h"
#include "base/text/text.h"
#include "cli/commands/one_run.h"

namespace baton::cli {
namespace {

constexpr std::string_view fd_option = passphrase_option.name;
constexpr std::int64_t descriptor_max = 1'023;

/// A terminal that shows nothing of what is typed and gives each key as it is pressed, also those
/// that would end the program with the echo still off.
class QuietTerminal {
 public:
  explicit QuietTerminal(int descriptor) : descriptor_(descriptor) {
    is_changed_ = ::tcgetattr(descriptor_, &before_) == 0;
    if (!is_changed_) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | ISIG);
    quiet.c_cc[VMIN] = 1;
    quiet.c_cc[VTIME] = 0;
    is_changed_ = ::tcsetattr(descriptor_, TCSAFLUSH, &quiet) == 0;
  }
  ~QuietTerminal() {
    if (is_changed_) ::tcsetattr(descriptor_, TCSAFLUSH, &before_);
  }
  QuietTerminal(const QuietTerminal&) = delete;
  QuietTerminal& operator=(const QuietTerminal&) = delete;

  bool is_quiet() const { return is_changed_; }

 private:
  int descriptor_;
  bool is_changed_ = false;
  termios before_{};
};

std::unexpected<Error> cancelled() {
  return fail(Code::INVALID_INPUT, "no passphrase was given; nothing was changed",
              "start the command again");
}

/// A line, by single bytes: what follows it is for the next reader.
Result<Passphrase> read_line(int descriptor, bool is_terminal) {
  constexpr char interrupt = 3, end = 4, backspace = 8, erase = 127, kill = 21;
  Passphrase out;
  for (;;) {
    char byte = 0;
    const ssize_t got = ::read(descriptor, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(Code::ENVIRONMENT, "the passphrase cannot be read");
    if (got == 0) {
      if (out.view().empty()) return cancelled();
      return out;
    }
    if (byte == '\n' || (is_terminal && byte == '\r')) return out;
    if (is_terminal && (byte == interrupt || byte == end)) return cancelled();
    if (is_terminal && (byte == backspace || byte == erase)) {
      out.drop_last();
    } else if (is_terminal && byte == kill) {
      out.wipe();
    } else if (out.view().size() > limits::passphrase_bytes_max) {
      return fail(Code::LIMIT_EXCEEDED,
                  cat("a passphrase has at most ", limits::passphrase_bytes_max, " bytes"));
    } else {
      out.add(byte);
    }
  }
}

}  // namespace

Passphrase::Passphrase(Passphrase&& other) noexcept : text_(std::move(other.text_)) {
  other.wipe();
}

void Passphrase::add(char byte) {
  // Growing would leave copies behind.
  if (text_.capacity() < limits::passphrase_bytes_max + 1) {
    text_.reserve(limits::passphrase_bytes_max + 1);
  }
  text_ += byte;
}

void Passphrase::drop_last() {
  // A character of several bytes goes whole.
  while (!text_.empty()) {
    const bool is_rest = (static_cast<unsigned char>(text_.back()) & 0xC0u) == 0x80u;
    text_.pop_back();
    if (!is_rest) return;
  }
}

void Passphrase::wipe() {
  text_.resize(text_.capacity());
  ::explicit_bzero(text_.data(), text_.size());
  text_.clear();
}

Result<PassphraseReader> PassphraseReader::of(const VerbCall& call) {
  const auto given = option_of(call.arguments, fd_option);
  if (given) {
    const auto number = parse_int(*given);
    if (!number || *number < 0 || *number > descriptor_max ||
        (*number != 0 && ::fcntl(static_cast<int>(*number), F_GETFD) < 0)) {
      return fail(Code::USAGE, cat(fd_option, " needs the number of an open descriptor"),
                  "0 is standard input");
    }
    const int descriptor = *number == 0 ? call.world.input : static_cast<int>(*number);
    return PassphraseReader(call.world, descriptor, false);
  }
  if (call.world.input_is_terminal) return PassphraseReader(call.world, call.world.input, true);
  return fail(Code::ENVIRONMENT, "a passphrase is typed at a terminal, and there is none",
              cat("run the command in a terminal of your own, or give ", fd_option));
}

Result<Passphrase> PassphraseReader::ask(std::string_view question) const {
  if (!is_terminal_) return read_line(descriptor_, false);
  // Quiet first: what is typed at once is neither shown nor lost.
  const QuietTerminal quiet(descriptor_);
  if (!quiet.is_quiet()) return fail(Code::ENVIRONMENT, "the terminal cannot hide a passphrase");
  TRY(write_text(world_.errors, cat(question, ": ")));
  Result<Passphrase> out = read_line(descriptor_, true);
  TRY(write_text(world_.errors, "\n"));
  return out;
}

Result<Passphrase> PassphraseReader::ask_new(std::string_view question) const {
  Passphrase first = TRY(ask(question));
  if (!is_terminal_) return first;
  const Passphrase second = TRY(ask("Once more"));
  if (first.view() != second.view()) {
    return fail(Code::INVALID_INPUT, "the two passphrases differ; nothing was changed",
                "start the command again");
  }
  return first;
}

}  // namespace baton::cli
