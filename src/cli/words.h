#pragma once
// What the terminal says, in the words of its commands.

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace baton::cli {

/// "a, b or c".
std::string one_of(std::span<const std::string_view> words);

/// A next move, for a person at a terminal.
std::string say(const NextMove& next);

}  // namespace baton::cli
