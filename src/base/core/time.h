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

inline constexpr WallMs wall_ms_first{-62167219200000};  // 0000-01-01T00:00:00.000Z
inline constexpr WallMs wall_ms_last{253402300799999};   // 9999-12-31T23:59:59.999Z

/// RFC 3339 in UTC with milliseconds: 2026-07-28T09:30:00.125Z. What lies outside the years 0 to
/// 9999 is shown as their first or last instant.
std::string to_rfc3339(WallMs instant);

}  // namespace baton
