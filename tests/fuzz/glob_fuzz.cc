// Links: base
// Path patterns: the first line of the input is a pattern, the rest a path. Any text, escaped,
// matches itself; a pattern in braces matches what it matches without them.

#include "base/text/glob.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("*?[]{},\\!^-").contains(c)) out += '\\';
    out += c;
  }
  return out;
}

void check_escaped(std::string_view path) {
  const std::string pattern = escaped(path);
  if (path.empty() || pattern.size() > limits::glob_bytes_max || !utf8::is_valid(path)) return;
  // Every special character is escaped and the limits hold, so the pattern can be read.
  ASSERT(MUST(Glob::compile(pattern)).matches(path));
}

void check_in_braces(const Glob& glob, std::string_view path) {
  const auto grouped = Glob::compile(cat('{', glob.pattern(), '}'));
  if (!grouped) return;  // a limit, or commas that were plain text before
  if (glob.pattern().contains(',')) return;
  ASSERT(grouped->matches(path) == glob.matches(path));
  const auto twice = Glob::compile(cat('{', glob.pattern(), ',', glob.pattern(), '}'));
  if (twice) ASSERT(twice->matches(path) == glob.matches(path));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(input.find('\n'), input.size());
  const std::string_view pattern = input.substr(0, line);
  const std::string_view path = input.substr(std::min(line + 1, input.size()));
  check_escaped(path);
  const auto glob = Glob::compile(pattern);
  if (!glob) {
    ASSERT(glob.error().code == Code::INVALID_GLOB);
    ASSERT(utf8::is_valid(glob.error().message));
    return 0;
  }
  ASSERT(glob->pattern() == pattern);
  if (glob->matches(path)) ASSERT(utf8::is_valid(path));
  check_in_braces(*glob, path);
  return 0;
}

}  // namespace baton
