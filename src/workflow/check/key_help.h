#pragma once
// What the keys of files mean, for those whose shape does not say it. Constant data.

#include <string_view>

namespace baton::workflow {

struct Key;

/// In a few words, of every key that the language has.
std::string_view help_of(const Key& key);

}  // namespace baton::workflow
