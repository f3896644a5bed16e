#include "base/text/bech32m.h"

#include <algorithm>
#include <array>

#include "base/core/limits.h"
#include "base/core/result.h"

namespace baton::bech32m {
namespace {

constexpr std::string_view alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::size_t checksum_chars = 6;
constexpr std::uint32_t checksum_constant = 0x2bc830a3;

/// The checksum's remainder: a polynomial over GF(32), fed five bits at a time.
class Remainder {
 public:
  void feed(unsigned five_bits) {
    constexpr std::array<std::uint32_t, 5> generator = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa,
                                                        0x3d4233dd, 0x2a1462b3};
    const std::uint32_t top = value_ >> 25;
    value_ = ((value_ & 0x1ffffff) << 5) ^ five_bits;
    for (std::size_t i = 0; i < generator.size(); ++i) {
      if (((top >> i) & 1) != 0) value_ ^= generator[i];
    }
  }

  /// The high bits of every character, a zero, then the low bits, as BIP-173 expands it.
  void feed_hrp(std::string_view hrp) {
    for (const char c : hrp) feed(static_cast<unsigned char>(c) >> 5);
    feed(0);
    for (const char c : hrp) feed(static_cast<unsigned char>(c) & 31);
  }

  std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 1;
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_printable(char c) { return c > ' ' && c < 0x7F; }

/// Whole bytes from five-bit groups; what is left over must be fewer than five zero bits.
std::expected<std::vector<std::uint8_t>, DecodeProblem> bytes_of(std::string_view data) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(data.size() * 5 / 8);
  unsigned pending = 0;
  unsigned bits = 0;
  for (const char c : data) {
    pending = ((pending << 5) | static_cast<unsigned>(alphabet.find(c))) & 0xFFF;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<std::uint8_t>(pending >> bits));
    }
  }
  if (bits >= 5 || (pending & ((1u << bits) - 1)) != 0) {
    return std::unexpected(DecodeProblem::bad_padding);
  }
  return bytes;
}

}  // namespace

std::string_view name_of(DecodeProblem problem) {
  switch (problem) {
    case DecodeProblem::too_long: return "too_long";
    case DecodeProblem::upper_case: return "upper_case";
    case DecodeProblem::bad_character: return "bad_character";
    case DecodeProblem::bad_shape: return "bad_shape";
    case DecodeProblem::bad_checksum: return "bad_checksum";
    case DecodeProblem::bad_padding: return "bad_padding";
  }
  return "bad_shape";
}

std::string encode(std::string_view hrp, std::span<const std::uint8_t> bytes) {
  const std::size_t chars = encoded_chars(hrp.size(), bytes.size());
  ASSERT(!hrp.empty() && chars <= limits::bech32m_chars_max);
  ASSERT(std::ranges::all_of(hrp, [](char c) { return is_printable(c) && !is_upper(c); }));
  Remainder remainder;
  remainder.feed_hrp(hrp);
  std::string out(hrp);
  out.reserve(chars);
  out += '1';
  const auto put = [&](unsigned five_bits) {
    remainder.feed(five_bits);
    out += alphabet[five_bits];
  };
  unsigned pending = 0;
  unsigned bits = 0;
  for (const std::uint8_t byte : bytes) {
    pending = ((pending << 8) | byte) & 0xFFF;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      put((pending >> bits) & 31);
    }
  }
  if (bits > 0) put((pending << (5 - bits)) & 31);
  for (std::size_t i = 0; i < checksum_chars; ++i) remainder.feed(0);
  const std::uint32_t checksum = remainder.value() ^ checksum_constant;
  for (std::size_t i = 0; i < checksum_chars; ++i) {
    out += alphabet[(checksum >> (5 * (checksum_chars - 1 - i))) & 31];
  }
  ASSERT(out.size() == chars);
  return out;
}

std::expected<Decoded, DecodeProblem> decode(std::string_view text) {
  if (text.size() > limits::bech32m_chars_max) return std::unexpected(DecodeProblem::too_long);
  if (std::ranges::any_of(text, is_upper)) return std::unexpected(DecodeProblem::upper_case);
  if (!std::ranges::all_of(text, is_printable))
    return std::unexpected(DecodeProblem::bad_character);
  const std::size_t separator = text.rfind('1');
  if (separator == std::string_view::npos || separator == 0) {
    return std::unexpected(DecodeProblem::bad_shape);
  }
  const std::string_view hrp = text.substr(0, separator);
  const std::string_view data = text.substr(separator + 1);
  if (data.find_first_not_of(alphabet) != std::string_view::npos) {
    return std::unexpected(DecodeProblem::bad_character);
  }
  if (data.size() < checksum_chars) return std::unexpected(DecodeProblem::bad_shape);
  Remainder remainder;
  remainder.feed_hrp(hrp);
  for (const char c : data) remainder.feed(static_cast<unsigned>(alphabet.find(c)));
  if (remainder.value() != checksum_constant) return std::unexpected(DecodeProblem::bad_checksum);
  auto bytes = bytes_of(data.substr(0, data.size() - checksum_chars));
  if (!bytes) return std::unexpected(bytes.error());
  return Decoded{std::string(hrp), *std::move(bytes)};
}

}  // namespace baton::bech32m
