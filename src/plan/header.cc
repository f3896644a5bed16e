#include "plan/header.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "plan/line.h"

namespace baton::plan {
namespace {

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_small(c) || (c >= 'A' && c <= 'Z'); }

/// What prose hardly ever begins with: a word, perhaps something in brackets or marks, a colon.
bool looks_like_header(std::string_view line) {
  const auto skip_spaces = [&line] {
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
  };
  if (line.empty() || !is_letter(line[0])) return false;
  while (!line.empty() && (is_letter(line[0]) || line[0] == '-')) line.remove_prefix(1);
  skip_spaces();
  if (line.starts_with('(')) {
    const std::size_t end = line.find(')');
    if (end == std::string_view::npos) return line.contains(':');
    line.remove_prefix(end + 1);
  }
  skip_spaces();
  while (line.starts_with('!')) line.remove_prefix(1);
  skip_spaces();
  return line.starts_with(':');
}

/// Reads what follows the prefix. Columns count from 1 within `line`.
HeaderLine read_plain(std::string_view line, const Config& config) {
  const auto stop = [](std::size_t at, std::string expected) {
    return HeaderLine{.expected = std::move(expected), .column = at + 1};
  };
  std::size_t at = 0;
  while (at < line.size() && is_small(line[at])) ++at;
  if (at == 0) return stop(0, "a type in small letters");
  Header header{.type = std::string(line.substr(0, at))};
  if (at < line.size() && line[at] == '(') {
    const std::size_t start = ++at;
    while (at < line.size() && line[at] != ')' && line[at] != ' ' && line[at] != '\t') ++at;
    if (at == start) return stop(at, "a scope between the brackets");
    if (at == line.size() || line[at] != ')') return stop(at, "')' after a scope without spaces");
    header.scope = line.substr(start, at - start);
    ++at;
  }
  if (at < line.size() && line[at] == '!') {
    header.breaking = true;
    ++at;
  }
  if (at == line.size() || line[at] != ':') return stop(at, "':' after the type");
  const std::string_view title = trimmed(line.substr(at + 1));
  if (title.empty()) return {.header = std::move(header)};
  header.title = title;
  const std::size_t column = static_cast<std::size_t>(title.data() - line.data()) + 1;
  HeaderLine out{.header = std::move(header)};
  if (const std::size_t chars = utf8::length(title); chars > config.title_chars_max) {
    out.column = column;
    out.expected = cat("a title of at most ", config.title_chars_max, " characters, not ", chars);
  }
  return out;
}

}  // namespace

HeaderLine read_header(std::string_view line, const Config& config) {
  std::vector<std::string_view> prefixes(config.header_prefixes.begin(),
                                         config.header_prefixes.end());
  // The longest that fits: "title: feat: x" is a feat, though "title" could be a type.
  std::ranges::sort(prefixes, std::ranges::greater{}, &std::string_view::size);
  std::optional<HeaderLine> failed;
  for (const std::string_view prefix : prefixes) {
    if (!line.starts_with(prefix)) continue;
    HeaderLine read = read_plain(line.substr(prefix.size()), config);
    read.column += prefix.size();
    if (read.header) return read;
    if (!failed) failed = std::move(read);
  }
  const bool near = std::ranges::any_of(prefixes, [&](std::string_view prefix) {
    return line.starts_with(prefix) && looks_like_header(line.substr(prefix.size()));
  });
  if (!near) return {.expected = "a header: type(scope): title", .foreign = true};
  return *failed;
}

std::string write_header(const Header& header, const Config& config) {
  std::string out = cat(config.header_prefixes.front(), header.type);
  if (header.scope) out += cat('(', *header.scope, ')');
  if (header.breaking) out += '!';
  out += ':';
  if (header.title) out += cat(' ', *header.title);
  return out;
}

}  // namespace baton::plan
