#pragma once
#include <cstddef>
#include <cstdint>
namespace baton::limits {
inline constexpr std::size_t cached_outlines_max = 4'096;          // commits without their bodies
inline constexpr std::size_t cached_commit_bytes_max = 32u << 10;  // of one that is kept decoded
inline constexpr std::size_t cached_followed_max = 16;             // sessions
inline constexpr std::size_t reseals_max = 16;  // snapshots that wait to be stored again

// How far a log is read to see that nothing which happened since a node is left out of the rows.
inline constexpr std::int64_t followed_commits_max = 8'192;

}
