#pragma once
// The limits of budgets and breakers, which keep a run from going on without an end. Apart from
// limits.h because few files need them.

#include <cstddef>
#include <cstdint>

namespace baton::limits {

inline constexpr std::int64_t budget_steps_max = 1'000'000;
inline constexpr std::int64_t budget_minutes_max = 525'600;  // a year
inline constexpr std::int64_t budget_attempts_max = 1'000'000;
inline constexpr std::int64_t budget_bytes_max = 1'000'000'000'000;
inline constexpr std::int64_t budget_tokens_max = 1'000'000'000'000;
inline constexpr std::int64_t reported_tokens_max = 1'000'000'000;  // of one call

// Breakers.
inline constexpr std::int64_t failed_tries_max = 25;     // of one step, in a row
inline constexpr std::int64_t repeated_rounds_max = 50;  // of a loop, a step with the same output
inline constexpr std::size_t watched_steps_max = 32;     // of loops, whose outputs are compared

}  // namespace baton::limits
