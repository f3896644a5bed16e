#pragma once
// Bech32m (BIP-350): bytes as lower-case text with a readable prefix and a checksum that finds
// every error of up to four characters. Pure functions.
//
// Stricter than the BIP in one point: only lower-case text is read, so that bytes have one
// spelling.

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace baton::bech32m {

struct Decoded {
  std::string hrp;  // the human-readable part, before the last '1'
  std::vector<std::uint8_t> bytes;

  bool operator==(const Decoded&) const = default;
};

/// Why a text cannot be decoded, in the order of the checks: bad_padding says that the checksum
/// held.
enum class DecodeProblem : std::uint8_t {
  too_long,       // more than limits::bech32m_chars_max characters
  upper_case,     // all or some letters are capitals
  bad_character,  // outside the alphabet, or no printable ASCII in the human-readable part
  bad_shape,      // no '1', nothing before it, or too little after it
  bad_checksum,   // copied wrong, or not Bech32m
  bad_padding,    // the bits do not make whole bytes and zeros
};

std::string_view name_of(DecodeProblem problem);

/// REQUIRES: `hrp` is 1 or more printable ASCII characters, none of them a capital, and the result
/// has at most limits::bech32m_chars_max characters.
std::string encode(std::string_view hrp, std::span<const std::uint8_t> bytes);

std::expected<Decoded, DecodeProblem> decode(std::string_view text);

/// The number of characters that encode() gives.
constexpr std::size_t encoded_chars(std::size_t hrp_chars, std::size_t bytes) {
  return hrp_chars + 1 + (bytes * 8 + 4) / 5 + 6;
}

}  // namespace baton::bech32m
