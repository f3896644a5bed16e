#pragma once
// The names of tools and prompts. Private to the protocol room.

#include <algorithm>
#include <string_view>

#include "base/core/limits.h"

namespace baton::protocol {

/// [a-z][a-z0-9_]*, at most limits::tool_name_bytes_max: what every known client accepts.
inline bool is_offered_name(std::string_view name) {
  if (name.empty() || name.size() > limits::tool_name_bytes_max) return false;
  if (name[0] < 'a' || name[0] > 'z') return false;
  return std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

}  // namespace baton::protocol
