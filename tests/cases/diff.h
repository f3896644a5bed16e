#pragma once
// The difference of two lists of lines, as people read it.

#include <string>
#include <vector>

namespace baton::cases {

/// Lines with "-" are in `before` only, with "+" in `after` only, with " " in both; of those,
/// only the two nearest to a change. `first_line` numbers before[0]. Empty when both are equal.
std::string unified_diff(const std::vector<std::string>& before,
                         const std::vector<std::string>& after, std::size_t first_line);

}  // namespace baton::cases
