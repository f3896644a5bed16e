#pragma once
// Instants as strong types. WallMs may jump either way, so it never orders anything; MonoMs only
// measures spans within one process.

#include <compare>
#include <cstdint>
#include <string>

namespace baton {

/// Milliseconds since 1970-01-01 UTC.
struct WallMs {
  std::int64_t value = 0;
  auto operator<=>(const WallMs&) const = default;
};

/// Milliseconds of a clock that never goes back.
struct MonoMs {
  std::int64_t value = 0;
  auto operator<=>(const MonoMs&) const = default;
};

/// RFC 3339 in UTC with milliseconds: 2026-07-28T09:30:00.125Z. Years outside 0..9999 are clamped.
std::string to_rfc3339(WallMs instant);

}  // namespace baton
