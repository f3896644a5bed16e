#pragma once
// Every limit of Baton, with its unit in its name. Each is tested on both sides.

#include <cstddef>
#include <cstdint>

namespace baton::limits {

// One JSON text: a message, a file, an argument.
inline constexpr std::size_t message_bytes_max = 4u << 20;
inline constexpr std::size_t json_depth_max = 64;

// Words longer than this get no spelling suggestion.
inline constexpr std::size_t nearest_word_bytes_max = 64;

// Past this length Bech32m no longer finds every error of four characters.
inline constexpr std::size_t bech32m_chars_max = 90;

}  // namespace baton::limits
