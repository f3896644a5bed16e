#pragma once
// UTF-8: checking, writing, and cutting to a budget without breaking a character.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace baton::utf8 {

/// What a cut text ends with; it counts against the budget.
inline constexpr std::string_view truncation_mark = "\n\n[TRUNCATED]";

/// The offset of the first byte that is not well-formed UTF-8 (no surrogates, no overlong forms,
/// nothing past U+10FFFF), or nothing.
std::optional<std::size_t> first_invalid(std::string_view text);

inline bool is_valid(std::string_view text) { return !first_invalid(text).has_value(); }

/// How many code points there are. REQUIRES: `text` is UTF-8.
std::size_t length(std::string_view text);

/// Appends one code point. REQUIRES: a Unicode scalar value.
void append(std::string& out, char32_t code);

/// The longest prefix of at most `bytes_max` bytes that cuts no code point.
/// REQUIRES: `text` is UTF-8.
std::string_view prefix(std::string_view text, std::size_t bytes_max);

/// `text` itself when it fits; else its longest prefix that leaves room for the truncation mark,
/// and the mark. A budget smaller than the mark gives a bare prefix. Never exceeds `bytes_max`.
/// REQUIRES: `text` is UTF-8.
std::string truncate(std::string_view text, std::size_t bytes_max);

/// `text` as one line that steers no terminal: every control character becomes a space.
/// REQUIRES: `text` is UTF-8.
std::string as_line(std::string_view text);

}  // namespace baton::utf8
