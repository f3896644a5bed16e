#pragma once
// What is wrong with a tool in the eyes of the clients there are: some drop a tool, some a whole
// server, over a schema that the protocol allows. Only tests of surfaces include
// this; the fixtures of the conformance suite break these rules on purpose.

#include <string>
#include <vector>

#include "protocol/features/tool.h"

namespace baton::protocol {

inline constexpr std::size_t surface_tool_name_bytes_max = 40;  // clients prefix it, cut at 60

/// One line for each problem; none for a tool that every client takes.
std::vector<std::string> lint(const Tool& tool);

}  // namespace baton::protocol
