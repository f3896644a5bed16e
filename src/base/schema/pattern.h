#pragma once
// ECMA-262 regular expressions on RE2, which matches in linear time. schema.h says what is
// translated and what is refused. A Pattern is immutable; any number of threads may use one.

#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace re2 {
class RE2;
}

namespace baton::schema {

class Pattern {
 public:
  /// INVALID_SCHEMA with the reason, or LIMIT_EXCEEDED past schema_pattern_bytes_max or
  /// schema_pattern_memory_bytes_max.
  static Result<Pattern> compile(std::string_view ecma);

  /// Whether any part of `text` matches. REQUIRES: `text` is UTF-8.
  bool matches(std::string_view text) const;

  /// An upper bound of the work to match a text of this size, in validation steps.
  std::size_t steps(std::size_t text_bytes) const;

  const std::string& source() const { return source_; }

 private:
  Pattern(std::string_view source, std::shared_ptr<const re2::RE2> automaton,
          std::size_t work_per_byte);

  std::string source_;
  std::shared_ptr<const re2::RE2> automaton_;
  // In 1/64 of a step. RE2 is at its slowest when its automaton does not fit in memory; then each
  // byte costs as many looks as there are live positions, of which the size with one-byte
  // characters is a measure, and a little for each branch of a large class of characters.
  std::size_t work_per_byte_;
};

/// The RE2 text that means what `ecma` means, or INVALID_SCHEMA.
Result<std::string> translate_pattern(std::string_view ecma);

}  // namespace baton::schema
