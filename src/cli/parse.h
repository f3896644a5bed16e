#pragma once
// Reads the words after a verb.

#include <span>
#include <string>

#include "base/core/result.h"
#include "cli/verb.h"

namespace baton::cli {

/// USAGE, with the nearest valid flag, when the words do not fit the verb.
Result<Arguments> parse_arguments(const Verb& verb, std::span<const std::string> words);

}  // namespace baton::cli
