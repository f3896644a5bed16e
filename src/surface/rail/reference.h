#pragma once
// docs/rail.md, made from the tools themselves.

#include <string>
#include <vector>

#include "protocol/tool.h"

namespace baton::surface::rail {

std::string reference(const std::vector<protocol::Tool>& tools);

}  // namespace baton::surface::rail
