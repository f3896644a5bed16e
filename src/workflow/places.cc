#include "workflow/places.h"

#include <algorithm>

namespace baton::workflow {
namespace {

/// How far behind a string's beginning its pieces are looked for, past its own length.
constexpr std::size_t slack_bytes = 4'096;

}  // namespace

std::size_t TextPlaces::offset_of(const Place& place) {
  const std::string& text = sources_[place.file].text;
  std::vector<std::size_t>& starts = lines_[place.file];
  if (starts.empty()) {
    starts.push_back(0);
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', end + 1)) {
      starts.push_back(end + 1);
    }
  }
  if (place.line > starts.size()) return text.size();
  std::size_t at = starts[place.line - 1];
  for (std::uint32_t column = 1; column < place.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) ++at;
  }
  return at;
}

Place TextPlaces::find(const Node& node, std::string_view piece) {
  if (node.at.file >= sources_.size() || piece.empty()) return node.at;
  const std::string_view text = sources_[node.at.file].text;
  const std::size_t from = offset_of(node.at);
  const std::string_view window =
      text.substr(std::min(from, text.size()), 2 * node.text.size() + slack_bytes);
  const std::size_t found = window.find(piece);
  if (found == std::string_view::npos) return node.at;
  const std::vector<std::size_t>& starts = lines_[node.at.file];
  const std::size_t offset = from + found;
  const auto line = std::ranges::upper_bound(starts, offset) - 1;
  Place out = node.at;
  out.line = static_cast<std::uint32_t>(line - starts.begin()) + 1;
  out.column = 1;
  for (std::size_t i = *line; i < offset; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0u) != 0x80u) ++out.column;
  }
  return out;
}

}  // namespace baton::workflow
