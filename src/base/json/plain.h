#pragma once
// Finding the end of what a JSON string may hold as it is. Private to the JSON reader and printer.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace baton::json {

/// Whether a byte stands for itself between quotes.
inline bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

/// The plain bytes at the start of a text.
struct PlainRun {
  std::size_t length = 0;
  bool is_ascii = true;
};

/// Eight bytes at a time: texts are mostly plain.
inline PlainRun plain_run(std::string_view text) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t ones = 0x0101010101010101u;
  constexpr std::uint64_t tops = ones * 0x80;
  std::size_t at = 0;
  std::uint64_t seen = 0;
  while (at + sizeof(std::uint64_t) <= text.size()) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, sizeof eight);
    // A byte is below n when subtracting n borrows from its top bit, which it did not have itself.
    // A borrow also reaches the bytes behind, so only the first that is found is certain.
    const std::uint64_t quotes = eight ^ (ones * '"');
    const std::uint64_t slashes = eight ^ (ones * '\\');
    const std::uint64_t special = (((eight - ones * 0x20) & ~eight) | ((quotes - ones) & ~quotes) |
                                   ((slashes - ones) & ~slashes)) &
                                  tops;
    if (special != 0) {
      const int bits = std::countr_zero(special) & ~7;
      seen |= eight & ((std::uint64_t{1} << bits) - 1);
      return {at + static_cast<std::size_t>(bits / 8), (seen & tops) == 0};
    }
    seen |= eight;
    at += sizeof eight;
  }
  for (; at < text.size() && is_plain(text[at]); ++at) {
    seen |= static_cast<unsigned char>(text[at]);
  }
  return {at, (seen & tops) == 0};
}

}  // namespace baton::json
