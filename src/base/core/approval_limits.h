#pragma once
// The limits of approval keys, of what they sign, and of waiting for other processes. Apart from
// limits.h because few files need them.

#include <cstddef>
#include <cstdint>

namespace baton::limits {

inline constexpr std::size_t approval_key_file_bytes_max = 4'096;
inline constexpr std::size_t passphrase_bytes_min = 8;
inline constexpr std::size_t passphrase_bytes_max = 1'024;
inline constexpr std::int64_t passphrase_tries_max = 3;  // of one process
inline constexpr std::int64_t scrypt_memory_bytes_max = 256 << 20;
inline constexpr std::int64_t approval_key_changes_max = 256;    // of one store
inline constexpr std::size_t policy_text_bytes_max = 64u << 10;  // that is signed

inline constexpr std::int64_t unsignalled_poll_ms = 1'000;  // where no signal tells of commits

}  // namespace baton::limits
