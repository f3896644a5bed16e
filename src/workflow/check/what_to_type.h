#pragma once
// What to type instead of words that other systems and languages use. Constant data; pure.

#include <string>
#include <string_view>

namespace baton::workflow {

/// For a key that `what` ("a conditional step") does not have; empty when nothing is known of it.
std::string instead_of_key(std::string_view key, std::string_view what);

/// For a step type that there is not; empty for none.
std::string_view instead_of_type(std::string_view type);

/// For a value of another type than the key takes; empty for none.
std::string_view instead_of_value(std::string_view key);

/// For a word that is no operator of JavaScript; empty for others.
std::string_view instead_of_word(std::string_view word);

}  // namespace baton::workflow
