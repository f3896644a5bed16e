#pragma once
// The limits of gates, where a run waits for a person. Apart from limits.h because few files need
// them.

#include <cstddef>
#include <cstdint>

namespace baton::limits {

inline constexpr std::size_t gate_question_bytes_max = 4'096;
inline constexpr std::size_t gate_who_bytes_max = 256;
inline constexpr std::int64_t gate_count_max = 16;                 // approvals of one gate
inline constexpr std::int64_t gate_expires_minutes_max = 525'600;  // a year
inline constexpr std::size_t gate_reason_bytes_max = 4'096;        // of a word, or the user's words
inline constexpr std::size_t gate_output_bytes_max = 8'192;        // shown of what a gate is about
inline constexpr std::size_t listed_gates_max = 1'000;             // that wait, in all runs
inline constexpr std::size_t assumption_bytes_max = 1'024;
inline constexpr std::size_t kept_assumptions_max = 256;  // of one branch; the log has all

}  // namespace baton::limits
