#include "run/log/token.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/core/limits.h"
#include "base/json/fields.h"
#include "base/text/bech32m.h"
#include "base/text/text.h"

namespace baton::run {
namespace {

constexpr std::array<std::string_view, 4> prefixes = {"st", "ack", "chk", "step"};

constexpr std::size_t body_bytes = 10;  // all but the MAC
constexpr std::size_t token_bytes = body_bytes + token_mac_bytes;
constexpr std::int64_t node_no_max = (std::int64_t{1} << 40) - 1;  // five bytes
constexpr std::int64_t key_slot_max = 15;                          // four bits
constexpr std::int64_t ordinal_max = limits::open_steps_max - 1;
constexpr std::int64_t life_max = 0xFFFF;
constexpr unsigned count_bits = 10;

static_assert(bech32m::encoded_chars(4, token_bytes) == token_text_max);
static_assert(limits::open_steps_max == 1 << (16 - count_bits));
static_assert(limits::attempts_per_step_max == (1 << count_bits) - 1);

using Body = std::array<std::uint8_t, body_bytes>;

std::optional<TokenKind> kind_of(std::string_view prefix) {
  const auto found = std::ranges::find(prefixes, prefix);
  if (found == prefixes.end()) return std::nullopt;
  return static_cast<TokenKind>(found - prefixes.begin());
}

/// The low byte of a number that may have more.
constexpr std::uint8_t low_byte(std::uint64_t number) {
  return static_cast<std::uint8_t>(number & 0xFF);
}

/// The first ten bytes: version and slot, node, attempt, life; all big-endian.
Body body_of(const UnverifiedToken& token) {
  ASSERT(token.key_slot <= key_slot_max);
  ASSERT(token.node.value >= 0 && token.node.value <= node_no_max);
  ASSERT(token.ordinal <= ordinal_max && token.count <= limits::attempts_per_step_max);
  Body body{};
  body[0] = low_byte((unsigned{token_version} << 4) | token.key_slot);
  const auto node = static_cast<std::uint64_t>(token.node.value);
  for (std::size_t i = 0; i < 5; ++i) body[1 + i] = low_byte(node >> (8 * (4 - i)));
  const unsigned attempt = (unsigned{token.ordinal} << count_bits) | token.count;
  body[6] = low_byte(attempt >> 8);
  body[7] = low_byte(attempt);
  body[8] = low_byte(unsigned{token.life_minutes} >> 8);
  body[9] = low_byte(token.life_minutes);
  return body;
}

/// The inverse of body_of, with the MAC behind it. REQUIRES: the version is ours.
UnverifiedToken from_bytes(TokenKind kind, std::span<const std::uint8_t, token_bytes> bytes) {
  UnverifiedToken token;
  token.kind = kind;
  token.key_slot = bytes[0] & 0x0F;
  for (const std::uint8_t byte : bytes.subspan<1, 5>()) {
    token.node.value = (token.node.value << 8) | byte;
  }
  const unsigned attempt = (unsigned{bytes[6]} << 8) | bytes[7];
  token.ordinal = low_byte(attempt >> count_bits);
  token.count = static_cast<std::uint16_t>(attempt & ((1u << count_bits) - 1));
  token.life_minutes = static_cast<std::uint16_t>((unsigned{bytes[8]} << 8) | bytes[9]);
  std::ranges::copy(bytes.subspan<body_bytes>(), token.mac.begin());
  return token;
}

// The text of a token. Version 2 hides the zeros that most fields have: runs of one letter are
// copied wrong. What is signed is the same in both.
constexpr std::uint8_t plain_text = 1;
constexpr std::uint8_t masked_text = 2;

/// Puts the MAC over the fields, or takes it away again.
void mask_fields(std::span<std::uint8_t, token_bytes> bytes) {
  for (std::size_t i = 1; i < body_bytes; ++i) {
    const std::uint8_t over = bytes[body_bytes + (i - 1) % token_mac_bytes];
    bytes[i] ^= i <= token_mac_bytes ? over : static_cast<std::uint8_t>(over ^ 0x5A);
  }
}

/// Without what agents put around a token.
std::string_view clean(std::string_view text) {
  constexpr std::string_view around = " \t\r\n'\"`";
  constexpr std::string_view behind = " \t\r\n'\"`.,";
  const std::size_t begin = text.find_first_not_of(around);
  if (begin == std::string_view::npos) return {};
  const std::size_t last = text.find_last_not_of(behind);
  if (last == std::string_view::npos || last < begin) return {};
  return text.substr(begin, last - begin + 1);
}

/// Never repeats the text: a token that is nearly right is nearly a secret.
std::unexpected<Error> copied_wrong(std::string_view how) {
  return fail(Code::TOKEN_INVALID_FORMAT,
              cat("The token was not copied correctly: ", how,
                  ". Copy it again exactly; tokens start with st1, ack1, chk1 or step1."),
              "Take it from the reply that gave it: lower case, at most 40 characters, nothing "
              "left out, nothing added.");
}

std::string_view describe(bech32m::DecodeProblem problem) {
  using enum bech32m::DecodeProblem;
  switch (problem) {
    case too_long: return "it is too long";
    case upper_case: return "it has capital letters";
    case bad_character: return "it has a character that tokens do not use";
    case bad_shape: return "it is not of a token's form";
    case bad_checksum: return "a character is wrong, missing or added";
    case bad_padding: return "it ends in the wrong place";
  }
  return "it is not of a token's form";
}

void append_field(std::string& out, std::string_view bytes) {
  const auto size = static_cast<std::uint64_t>(bytes.size());
  ASSERT(size <= 0xFFFF'FFFF);
  for (unsigned shift = 32; shift > 0; shift -= 8) {
    out += static_cast<char>(low_byte(size >> (shift - 8)));
  }
  out += bytes;
}

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<std::int64_t> number(json::Fields& fields, std::string_view key, std::int64_t max) {
  const std::int64_t value = TRY(fields.integer(key));
  if (value < 0 || value > max) return fields.wrong(key, cat("from 0 to ", max));
  return value;
}

}  // namespace

std::string_view prefix_of(TokenKind kind) { return prefixes[std::to_underlying(kind)]; }

json::Value to_json(const TokenClaim& claim) {
  return json::Object{{"kind", prefix_of(claim.kind)},     {"node", claim.node.text()},
                      {"ordinal", claim.ordinal},          {"count", claim.count},
                      {"lifeMinutes", claim.life_minutes}, {"keySlot", claim.key_slot}};
}

Result<TokenClaim> claim_from_json(const json::Value& value) {
  json::Fields fields(value, "token claim", Code::STORE_CORRUPT);
  TokenClaim claim;
  const auto kind = kind_of(TRY(fields.string("kind")));
  if (!kind) return fields.wrong("kind", "st, ack, chk or step");
  claim.kind = *kind;
  claim.node = TRY(fields.id<NodeId>("node"));
  claim.ordinal = static_cast<std::uint8_t>(TRY(number(fields, "ordinal", ordinal_max)));
  claim.count =
      static_cast<std::uint16_t>(TRY(number(fields, "count", limits::attempts_per_step_max)));
  claim.life_minutes = static_cast<std::uint16_t>(TRY(number(fields, "lifeMinutes", life_max)));
  claim.key_slot = static_cast<std::uint8_t>(TRY(number(fields, "keySlot", key_slot_max)));
  TRY(fields.done());
  return claim;
}

std::string encode_token(const UnverifiedToken& token) {
  std::array<std::uint8_t, token_bytes> bytes{};
  std::ranges::copy(token.mac, std::ranges::copy(body_of(token), bytes.begin()).out);
  bytes[0] = low_byte((unsigned{masked_text} << 4) | token.key_slot);
  mask_fields(bytes);
  std::string text = bech32m::encode(prefix_of(token.kind), bytes);
  ASSERT(text.size() <= token_text_max);
  return text;
}

Result<UnverifiedToken> decode_token(std::string_view text) {
  const std::string_view cleaned = clean(text);
  if (cleaned.empty()) return copied_wrong("it is empty");
  auto decoded = bech32m::decode(cleaned);
  if (!decoded) return copied_wrong(describe(decoded.error()));
  const auto kind = kind_of(decoded->hrp);
  if (!kind) return copied_wrong("it does not start like a token");
  // The checksum is right, so another version is another release's token, of any length.
  const int version = decoded->bytes.empty() ? plain_text : decoded->bytes[0] >> 4;
  if (version != plain_text && version != masked_text) {
    return fail(Code::TOKEN_UNSUPPORTED_VERSION,
                cat("The token has version ", version, "; this release reads versions ", plain_text,
                    " and ", masked_text, '.'),
                "Get a new token, or use the release that issued this one.");
  }
  if (decoded->bytes.size() != token_bytes) return copied_wrong("it has the wrong length");
  const std::span<std::uint8_t, token_bytes> bytes(decoded->bytes);
  if (version == masked_text) mask_fields(bytes);
  return from_bytes(*kind, bytes);
}

std::string mac_preimage(const UnverifiedToken& token, const NodeId& node,
                         std::string_view step_key, std::string_view principal) {
  std::string out;
  out.reserve(5 * 4 + 4 + body_bytes + 16 + step_key.size() + principal.size());
  append_field(out, prefix_of(token.kind));
  append_field(out, as_text(body_of(token)));
  append_field(out, as_text(node.bytes));
  append_field(out, step_key);
  append_field(out, principal);
  return out;
}

bool is_expired(const UnverifiedToken& token, WallMs node_created, WallMs now) {
  if (token.life_minutes == 0 || now < node_created) return false;
  constexpr std::uint64_t minute_ms = 60'000;
  // Unsigned, because the distance of two instants may not fit a signed number.
  const std::uint64_t age_ms =
      static_cast<std::uint64_t>(now.value) - static_cast<std::uint64_t>(node_created.value);
  return age_ms >= token.life_minutes * minute_ms;
}

}  // namespace baton::run
