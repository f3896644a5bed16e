#pragma once
// What the terminal says, in the words of its commands.

#include <string>

#include "base/core/result.h"

namespace baton::cli {

/// A next move, for a person at a terminal.
std::string say(const NextMove& next);

}  // namespace baton::cli
