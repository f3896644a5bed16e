#pragma once
// Small text helpers that need no library: joining values, decimal numbers, hex.

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

inline void append_piece(std::string& out, std::string_view piece) { out += piece; }
inline void append_piece(std::string& out, char piece) { out += piece; }

template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>)
void append_piece(std::string& out, T number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

// Would otherwise turn into a character without a word.
template <class T>
  requires std::same_as<T, bool> || std::floating_point<T>
void append_piece(std::string& out, T) = delete;

/// Joins text, characters and integers: cat("line ", 3, ':', column).
template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string out;
  (append_piece(out, pieces), ...);
  return out;
}

/// Lower-case hexadecimal.
std::string to_hex(std::span<const std::uint8_t> bytes);

/// The bytes of lower-case hexadecimal text; nothing else is accepted.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);

/// A whole decimal number and nothing else: no sign but '-', no spaces.
std::optional<std::int64_t> parse_int(std::string_view text);

/// The candidate nearest to `word` by edit distance (the first of equals), if near enough to be a
/// likely misspelling: at most one edit, or one for every three characters, and not all of them.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates);

// Small things about text in which only ASCII has a meaning. Bytes of other characters are kept.

/// Without the blanks, tabs and line ends around it.
std::string_view trimmed(std::string_view text);

std::string ascii_lower(std::string_view text);

}  // namespace baton
