#pragma once
// Limits of what is told when a run starts.

#include <cstddef>

namespace baton::limits {

inline constexpr std::size_t start_warnings_max = 5;  // of a workflow's file and inputs, each told

}  // namespace baton::limits
