#include "base/text/base64.h"

#include <array>
#include <cstdint>

namespace baton {
namespace {

constexpr std::string_view usual =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view for_urls =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int held = 0;  // bits not written yet, at the low end
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<std::uint8_t>(c);
    for (held += 8; held >= 6; held -= 6) out += alphabet[(bits >> (held - 6)) & 63];
  }
  if (held > 0) out += alphabet[(bits << (6 - held)) & 63];
  return out;
}

constexpr std::uint8_t no_digit = 255;

constexpr std::array<std::uint8_t, 256> values_of(std::string_view alphabet) {
  std::array<std::uint8_t, 256> values{};
  values.fill(no_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

/// `text` without padding.
std::optional<std::string> decode(std::string_view text,
                                  const std::array<std::uint8_t, 256>& values) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::uint8_t value = values[static_cast<std::uint8_t>(c)];
    if (value == no_digit) return std::nullopt;
    bits = (bits << 6) | value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>((bits >> held) & 255);
  }
  if ((bits & ((1u << held) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out = encode(bytes, usual);
  while (out.size() % 4 != 0) out += '=';
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  static constexpr auto values = values_of(usual);
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decode(text, values);
}

std::string to_base64url(std::string_view bytes) { return encode(bytes, for_urls); }

std::optional<std::string> from_base64url(std::string_view text) {
  static constexpr auto values = values_of(for_urls);
  return decode(text, values);
}

}  // namespace baton
