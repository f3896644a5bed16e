#pragma once
// The page about a surface in docs/, made from its tools.

#include <string>
#include <string_view>
#include <vector>

#include "protocol/features/tool.h"

namespace baton::surface {

/// `opening` comes first: a heading, and what holds for all of the tools.
std::string reference(std::string_view opening, const std::vector<protocol::Tool>& tools);

}  // namespace baton::surface
