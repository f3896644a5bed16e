#pragma once
// Asking for a passphrase: on a terminal with echo off, or from a descriptor that the caller names.
// Never from a command line or the environment, which other programs can read.

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "cli/verb.h"

namespace baton::cli {

/// Wiped when it goes.
class Passphrase {
 public:
  Passphrase() = default;
  Passphrase(Passphrase&& other) noexcept;
  Passphrase& operator=(Passphrase&&) = delete;
  ~Passphrase() { wipe(); }

  std::string_view view() const { return text_; }
  void add(char byte);
  void drop_last();
  void wipe();

 private:
  std::string text_;
};

/// The option --passphrase-fd, for the verbs that ask.
inline constexpr Option passphrase_option = {
    "--passphrase-fd", "N", "Read the passphrase, a line, from this open descriptor"};

class PassphraseReader {
 public:
  /// USAGE: --passphrase-fd names no descriptor. ENVIRONMENT: there is neither that nor a terminal.
  static Result<PassphraseReader> of(const VerbCall& call);

  /// One passphrase. `question` is shown on a terminal. INVALID_INPUT: it was cancelled.
  Result<Passphrase> ask(std::string_view question) const;

  /// The same, and on a terminal once more: a mistake in a new one would lose its key.
  Result<Passphrase> ask_new(std::string_view question) const;

 private:
  PassphraseReader(const World& world, int descriptor, bool is_terminal)
      : world_(world), descriptor_(descriptor), is_terminal_(is_terminal) {}

  const World& world_;
  int descriptor_;
  bool is_terminal_;
};

}  // namespace baton::cli
