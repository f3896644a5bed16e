#pragma once
// Finding the end of what a JSON string may hold as it is. Private to the JSON reader and printer.

#include <cstdint>
#include <cstring>
#include <string_view>

namespace baton::json {

/// Whether a byte stands for itself between quotes.
inline bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

/// How many bytes at the start of `text` are plain. Eight at a time: texts are mostly that.
inline std::size_t plain_length(std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101u;
  constexpr std::uint64_t tops = ones * 0x80;
  std::size_t at = 0;
  std::uint64_t eight = 0;
  while (at + sizeof eight <= text.size()) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    // A byte is below n when subtracting n borrows from its top bit, which it did not have itself.
    const std::uint64_t quotes = eight ^ (ones * '"');
    const std::uint64_t slashes = eight ^ (ones * '\\');
    const std::uint64_t special = ((eight - ones * 0x20) & ~eight) | ((quotes - ones) & ~quotes) |
                                  ((slashes - ones) & ~slashes);
    if ((special & tops) != 0) break;
    at += sizeof eight;
  }
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

}  // namespace baton::json
