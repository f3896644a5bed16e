#pragma once
// Words as people read them in help and errors.

#include <span>
#include <string>
#include <string_view>

namespace baton::cli {

/// "a, b or c".
std::string one_of(std::span<const std::string_view> words);

/// Any bytes as one line that steers no terminal: what is no UTF-8 shows as U+FFFD.
std::string clean_line(std::string_view bytes);

/// The same, but lines stay lines.
std::string clean_lines(std::string_view bytes);

}  // namespace baton::cli
