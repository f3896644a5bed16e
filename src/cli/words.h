#pragma once
// Words as people read them in help and errors.

#include <span>
#include <string>
#include <string_view>

namespace baton::cli {

/// "a, b or c".
std::string one_of(std::span<const std::string_view> words);

}  // namespace baton::cli
