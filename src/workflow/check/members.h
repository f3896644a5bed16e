#pragma once
// What values of a declared type have: `names.length`, `text.trim()`. Constant data; pure.

#include <span>
#include <string_view>

namespace baton::workflow {

/// The members of a type of the state; empty for a type whose members no declaration tells.
std::span<const std::string_view> members_of_type(std::string_view type);

/// The names of `a.b.c` as it stands at the beginning of the code, at most three.
struct NameChain {
  std::string_view names[3];
  std::size_t count = 0;
};
NameChain chain_at(std::string_view code);

/// Where a condition assigns in place of comparing; npos when it does not.
std::size_t assignment_in(std::string_view code);

}  // namespace baton::workflow
