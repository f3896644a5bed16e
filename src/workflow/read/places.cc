#include "workflow/read/places.h"

#include <algorithm>

namespace baton::workflow {
namespace {

/// How far behind a string's beginning its pieces are looked for, past its own length.
constexpr std::size_t slack_bytes = 4'096;
/// So many pieces of one string are looked for in vain: then it is written in another way.
constexpr std::size_t misses_max = 16;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }

}  // namespace

TextPlaces::File& TextPlaces::file_of(const SourcePlace& place) {
  File& file = files_[place.file];
  if (!file.lines.empty()) return file;
  const std::string& text = sources_[place.file].text;
  file.lines.push_back(0);
  for (std::size_t end = text.find('\n'); end != std::string::npos;
       end = text.find('\n', end + 1)) {
    file.lines.push_back(end + 1);
  }
  return file;
}

std::size_t TextPlaces::offset_of(const SourcePlace& place) {
  const std::string& text = sources_[place.file].text;
  File& file = file_of(place);
  if (place.line > file.lines.size()) return text.size();
  Spot spot{file.lines[place.line - 1], place.line, 1};
  // Strings come in the order of the file, nearly, and a line may be very long.
  if (file.last.line == place.line && file.last.column <= place.column) spot = file.last;
  while (spot.column < place.column && spot.offset < text.size()) {
    ++spot.offset;
    while (spot.offset < text.size() && !begins_character(text[spot.offset])) ++spot.offset;
    ++spot.column;
  }
  file.last = spot;
  return spot.offset;
}

SourcePlace TextPlaces::place_at(const SourcePlace& in, std::size_t offset) {
  const std::string& text = sources_[in.file].text;
  File& file = file_of(in);
  const auto line = std::ranges::upper_bound(file.lines, offset) - 1;
  const auto number = static_cast<std::uint32_t>(line - file.lines.begin()) + 1;
  Spot spot{*line, number, 1};
  if (file.last.line == number && file.last.offset <= offset) spot = file.last;
  for (; spot.offset < offset; ++spot.offset) {
    if (begins_character(text[spot.offset])) ++spot.column;
  }
  file.last = spot;
  SourcePlace out = in;
  out.line = number;
  out.column = spot.column;
  return out;
}

void TextPlaces::look_in(const SyntaxNode& node) {
  if (looked_in_ == &node) return;
  looked_in_ = &node;
  misses_ = 0;
  begin_ = offset_of(node.at);
  next_ = begin_;
}

SourcePlace TextPlaces::find(const SyntaxNode& node, std::string_view piece) {
  if (node.at.file >= sources_.size() || piece.empty()) return node.at;
  look_in(node);
  const std::size_t found = window_of(node).find(piece, begin_);
  return found == std::string_view::npos ? node.at : place_at(node.at, found);
}

SourcePlace TextPlaces::find_next(const SyntaxNode& node, std::string_view piece) {
  if (node.at.file >= sources_.size() || piece.empty()) return node.at;
  look_in(node);
  if (misses_ == misses_max) return node.at;
  const std::size_t found = window_of(node).find(piece, next_);
  if (found == std::string_view::npos) {
    ++misses_;
    return node.at;
  }
  next_ = found + piece.size();
  return place_at(node.at, found);
}

std::string_view TextPlaces::window_of(const SyntaxNode& node) const {
  const std::string_view text = sources_[node.at.file].text;
  return text.substr(0, begin_ + 2 * node.text.size() + slack_bytes);
}

}  // namespace baton::workflow
