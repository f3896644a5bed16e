#pragma once
// Which names a piece of JavaScript may read from its scope: every identifier but names of
// properties and keys of object literals, those inside of template literals included. More than it
// reads, when it declares some of them itself; never less. Pure.

#include <string_view>
#include <vector>

namespace baton::state {

struct Mention {
  std::string_view name;
  std::string_view property;  // of `name.property`; empty when more of it may be read
};

/// In order; views point into the code.
std::vector<Mention> mentions_of(std::string_view code);

}  // namespace baton::state
