#pragma once
// What is wrong with a tool in the eyes of the clients there are: some drop a tool, some a whole
// server, over a schema that the protocol allows. For tests of surfaces; the fixtures of the
// conformance suite break these rules on purpose.

#include <string>
#include <vector>

#include "protocol/tool.h"

namespace baton::protocol {

/// One line for each problem; none for a tool that every client takes.
std::vector<std::string> lint(const Tool& tool);

}  // namespace baton::protocol
