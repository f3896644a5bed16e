#include "base/core/ids.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton {
namespace {

constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::size_t text_digits = 26;  // 26 x 5 bits hold 128, the first digit only 3

}  // namespace

std::string id_to_text(std::string_view prefix, const IdBytes& bytes) {
  std::string out(prefix);
  out.reserve(prefix.size() + text_digits);
  unsigned pending = 0;
  int bits = 2;  // 130 - 128: two zero bits come before the first byte
  for (const std::uint8_t byte : bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += alphabet[(pending >> bits) & 31];
    }
  }
  return out;
}

Result<IdBytes> id_from_text(std::string_view prefix, std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return fail(Code::INVALID_ID, cat("not an id: ", why),
                cat("an id is ", prefix, " and 26 characters, as in the reply it came from"));
  };
  if (!text.starts_with(prefix)) return wrong(cat("it does not start with ", prefix));
  const std::string_view digits = text.substr(prefix.size());
  if (digits.size() != text_digits) return wrong("it has the wrong length");
  IdBytes bytes{};
  std::size_t next = 0;
  unsigned pending = 0;
  int bits = -2;
  for (const char digit : digits) {
    const std::size_t value = alphabet.find(digit);
    if (value == std::string_view::npos) return wrong("it has a character that ids do not use");
    if (bits == -2 && value > 7) return wrong("it is out of range");
    pending = (pending << 5) | static_cast<unsigned>(value);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[next++] = static_cast<std::uint8_t>(pending >> bits);
    }
  }
  ASSERT(next == bytes.size() && bits == 0);
  return bytes;
}

IdBytes IdMaker::next(WallMs now, const std::array<std::uint8_t, 8>& random) {
  constexpr std::uint32_t counter_max = (1u << 12) - 1;
  // 48 bits continue to the year 10889: what lies between is there to be borrowed.
  const std::int64_t ms = std::clamp<std::int64_t>(now.value, 0, wall_ms_last.value);
  if (ms > last_ms_) {
    last_ms_ = ms;
    counter_ = 0;
  } else if (++counter_ > counter_max) {
    // The instant is full: borrow from the future rather than repeat or go back.
    ++last_ms_;
    counter_ = 0;
  }
  IdBytes bytes{};
  for (std::size_t i = 0; i < 6; ++i) {
    bytes[i] = static_cast<std::uint8_t>(last_ms_ >> (40 - 8 * i));
  }
  bytes[6] = static_cast<std::uint8_t>(0x70 | (counter_ >> 8));
  bytes[7] = static_cast<std::uint8_t>(counter_);
  std::ranges::copy(random, bytes.begin() + 8);
  bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[8] & 0x3F));
  return bytes;
}

}  // namespace baton
