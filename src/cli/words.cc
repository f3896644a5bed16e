#include "cli/words.h"

#include "base/text.h"
#include "base/utf8.h"

namespace baton::cli {

std::string one_of(std::span<const std::string_view> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += cat(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  }
  return out;
}

std::string clean_line(std::string_view bytes) {
  std::string text;
  while (const auto bad = utf8::first_invalid(bytes)) {
    text += bytes.substr(0, *bad);
    utf8::append(text, U'\uFFFD');
    bytes.remove_prefix(*bad + 1);
  }
  text += bytes;
  return utf8::as_line(text);
}

std::string clean_lines(std::string_view bytes) {
  std::string out;
  for (;;) {
    const std::size_t end = bytes.find('\n');
    out += clean_line(bytes.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace baton::cli
