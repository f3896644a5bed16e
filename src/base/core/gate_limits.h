#pragma once
// The limits of gates, where a run waits for a person. Apart from limits.h because few files need
// them.

#include <cstddef>
#include <cstdint>

namespace baton::limits {

inline constexpr std::size_t gate_question_bytes_max = 4'096;
inline constexpr std::size_t gate_prompt_bytes_max = 1'024;   // of that, the author's words
inline constexpr std::size_t gate_command_bytes_max = 1'280;  // of that, the command
inline constexpr std::size_t gate_values_bytes_max = 768;     // of that, all its values
inline constexpr std::size_t gate_value_bytes_max = 256;      // of that, one of them
inline constexpr std::size_t gate_who_bytes_max = 256;
inline constexpr std::int64_t gate_count_max = 16;                 // approvals of one gate
inline constexpr std::int64_t gate_expires_minutes_max = 525'600;  // a year
inline constexpr std::size_t gate_reason_bytes_max = 4'096;        // of a word, or the user's words
inline constexpr std::size_t gate_output_bytes_max = 8'192;        // shown of what a gate is about
inline constexpr std::size_t gate_choice_bytes_max = 64;           // of a word
inline constexpr std::size_t gate_form_bytes_max = 2'048;          // shown of it in a form
inline constexpr std::size_t gate_parts_max = 64;                  // of an output, that are listed
inline constexpr std::size_t gate_part_name_bytes_max = 128;
inline constexpr std::size_t listed_gates_max = 1'000;  // that wait, in all runs
inline constexpr std::size_t assumption_bytes_max = 1'024;
inline constexpr std::size_t kept_assumptions_max = 256;  // of one branch; the log has all

}  // namespace baton::limits
