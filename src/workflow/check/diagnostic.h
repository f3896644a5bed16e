#pragma once
// Diagnostic: one mistake in a workflow file, with its place and the next move. A compilation
// collects all of them; nothing stops at the first. Values; no thread rule.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "workflow/read/source.h"

namespace baton::workflow {

enum class Severity : std::uint8_t { error, warning };

std::string_view name_of(Severity severity);

struct Diagnostic {
  Code code = Code::WORKFLOW_INVALID;
  Severity severity = Severity::error;
  SourcePlace at;
  std::string message;
  std::string hint;  // empty for none
  bool operator==(const Diagnostic&) const = default;
};

class Diagnostics {
 public:
  void error(Code code, const SourcePlace& at, std::string message, std::string hint = {});
  void warning(Code code, const SourcePlace& at, std::string message, std::string hint = {});

  /// Which system's words the file with that index speaks; until it is said, Baton's own.
  void set_dialect(std::uint32_t file, Dialect dialect);
  Dialect dialect_at(const SourcePlace& at) const;

  /// An error, but a warning in a file of the system that tolerates it.
  void error_unless(Dialect tolerant, Code code, const SourcePlace& at, std::string message,
                    std::string hint = {});

  bool has_errors() const { return errors_ > 0; }

  /// Whether further ones are only counted: their texts need not be made.
  bool is_full() const;

  /// By file, line and column; at most limits::workflow_diagnostics_max of them.
  std::vector<Diagnostic> sorted() const;

  /// How many there were beyond those kept.
  std::size_t left_out() const { return left_out_; }

 private:
  void add(Diagnostic diagnostic);

  std::vector<Diagnostic> all_;
  std::vector<Dialect> dialects_;  // by file
  std::size_t errors_ = 0;
  std::size_t left_out_ = 0;
};

/// `did you mean "near"?` when one of the candidates is near, else nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// `"a", "b" or "c"`, for messages.
std::string either_of(std::span<const std::string_view> words);

}  // namespace baton::workflow
