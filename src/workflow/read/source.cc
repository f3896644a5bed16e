#include "workflow/read/source.h"

#include <algorithm>

namespace baton::workflow {

std::string_view line_of(std::string_view text, std::uint32_t line) {
  for (std::uint32_t at = 1; at < line; ++at) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

SourcePlace PlaceCursor::at(std::size_t offset) {
  const std::size_t end = std::min(offset, text_.size());
  for (; offset_ < end; ++offset_) {
    const auto byte = static_cast<unsigned char>(text_[offset_]);
    if (byte == '\n') {
      ++place_.line;
      place_.column = 1;
    } else if ((byte & 0xC0u) != 0x80u) {
      ++place_.column;
    }
  }
  return place_;
}

}  // namespace baton::workflow
