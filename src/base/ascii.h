#pragma once
// Small things about text in which only ASCII has a meaning. Bytes of other characters are kept.

#include <string>
#include <string_view>

namespace baton {

/// Without the blanks, tabs and line ends around it.
std::string_view trimmed(std::string_view text);

std::string ascii_lower(std::string_view text);

}  // namespace baton
