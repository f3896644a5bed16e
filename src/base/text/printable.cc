#include "base/text/printable.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// In order. Controls, what Unicode calls default-ignorable, format characters that are not drawn,
// and noncharacters of the first plane; those of the others are recognised by their last digits.
constexpr Range escaped[] = {
    {0x00, 0x1f},       {0x7f, 0x9f},        // controls
    {0xad, 0xad},                            // soft hyphen
    {0x34f, 0x34f},                          // combining grapheme joiner
    {0x61c, 0x61c},                          // Arabic letter mark
    {0x115f, 0x1160},                        // Hangul fillers
    {0x17b4, 0x17b5},                        // Khmer inherent vowels
    {0x180b, 0x180f},                        // Mongolian selectors and vowel separator
    {0x200b, 0x200f},                        // zero width, left-to-right and right-to-left marks
    {0x2028, 0x202e},                        // separators of lines and paragraphs, bidi embeddings
    {0x2060, 0x206f},                        // invisible operators, bidi isolates
    {0x3164, 0x3164},                        // Hangul filler
    {0xfdd0, 0xfdef},                        // noncharacters
    {0xfe00, 0xfe0f},                        // variation selectors
    {0xfeff, 0xfeff},                        // byte order mark
    {0xffa0, 0xffa0},                        // halfwidth Hangul filler
    {0xfff0, 0xfffb},                        // interlinear annotation
    {0x13430, 0x1343f},                      // Egyptian format controls
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},  // shorthand and musical format controls
    {0xe0000, 0xe0fff},                      // tags and further variation selectors
};

constexpr char32_t joiner = 0x200d;

bool is_within(char32_t code, const Range* begin, const Range* end) {
  const Range* found =
      std::ranges::lower_bound(begin, end, code, {}, [](const Range& range) { return range.last; });
  return found != end && code >= found->first;
}

bool is_escaped(char32_t code) {
  return (code & 0xfffe) == 0xfffe || is_within(code, std::begin(escaped), std::end(escaped));
}

// What variation selectors and joiners make an emoji of. In order.
constexpr Range pictographs[] = {{0xa9, 0xa9},     {0xae, 0xae},      {0x203c, 0x203c},
                                 {0x2049, 0x2049}, {0x2122, 0x2122},  {0x2139, 0x2139},
                                 {0x2194, 0x2bff}, {0x3030, 0x3030},  {0x303d, 0x303d},
                                 {0x3297, 0x3299}, {0x1f000, 0x1faff}};

bool is_pictograph(char32_t code) {
  return is_within(code, std::begin(pictographs), std::end(pictographs));
}

void append_unit(std::string& out, std::uint32_t unit) {
  const std::uint8_t bytes[] = {static_cast<std::uint8_t>(unit >> 8),
                                static_cast<std::uint8_t>(unit)};
  out += cat("\\u", to_hex(bytes));
}

void append_escape(std::string& out, char32_t code) {
  switch (code) {
    case '\b': out += "\\b"; return;
    case '\t': out += "\\t"; return;
    case '\n': out += "\\n"; return;
    case '\f': out += "\\f"; return;
    case '\r': out += "\\r"; return;
    default: break;
  }
  if (code < 0x10000) {
    append_unit(out, code);
  } else {
    append_unit(out, 0xd800 + ((code - 0x10000) >> 10));
    append_unit(out, 0xdc00 + ((code - 0x10000) & 0x3ff));
  }
}

/// Takes the first character off. REQUIRES: the text is UTF-8 and not empty.
char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  char32_t code = size == 1 ? byte(0) : byte(0) & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) code = (code << 6) | (byte(i) & 0x3fu);
  text.remove_prefix(size);
  return code;
}

bool begins_with_pictograph(std::string_view text) {
  return !text.empty() && is_pictograph(take_character(text));
}

enum class Layout : std::uint8_t { lines, line };

/// REQUIRES: `text` is UTF-8.
void append_valid(std::string& out, std::string_view text, Layout layout) {
  enum class Emoji : std::uint8_t { none, begun, selected } emoji = Emoji::none;
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t code = take_character(text);
    bool stays = !is_escaped(code);
    if (code == '\n' || code == '\t') {
      stays = layout == Layout::lines;
    } else if (code == 0xfe0e || code == 0xfe0f) {
      stays = emoji == Emoji::begun;
      emoji = stays ? Emoji::selected : Emoji::none;
    } else if (code == joiner) {
      stays = emoji != Emoji::none && begins_with_pictograph(text);
    } else {
      emoji = is_pictograph(code) ? Emoji::begun : Emoji::none;
    }
    if (stays) {
      out += before.substr(0, before.size() - text.size());
    } else {
      append_escape(out, code);
    }
  }
}

std::string escape(std::string_view bytes, Layout layout) {
  std::string out;
  out.reserve(bytes.size());
  while (const auto bad = utf8::first_invalid(bytes)) {
    append_valid(out, bytes.substr(0, *bad), layout);
    append_escape(out, U'\uFFFD');
    bytes.remove_prefix(*bad + 1);
  }
  append_valid(out, bytes, layout);
  return out;
}

}  // namespace

std::string printable(std::string_view bytes) { return escape(bytes, Layout::lines); }

std::string printable_line(std::string_view bytes) { return escape(bytes, Layout::line); }

}  // namespace baton
