#pragma once
// Limits of what is kept and told of the effects of runs. Few files include this, so that a change
// compiles few of them.

#include <cstddef>
#include <cstdint>

namespace baton::limits {

inline constexpr std::size_t effect_what_bytes_max = 400;  // of what was done, in one receipt
inline constexpr std::int64_t undos_per_run_max = 256;
inline constexpr std::size_t cached_effects_max = 16;  // runs that have forked

}  // namespace baton::limits
