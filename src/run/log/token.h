#pragma once
// Tokens: short, tamper-evident references to a node and one of its open steps. A token is
// bech32m text of 18 bytes with a prefix that shows its kind, at most 40 characters.
// docs/formats/token.md has the byte layout. Making the MAC is the Signer's; this is the
// rest.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/json/json.h"
#include "run/log/types.h"

namespace baton::run {

enum class TokenKind : std::uint8_t { state, ack, checkpoint, step };

/// "st", "ack", "chk", "step": the prefix before the 1 of a token's text.
std::string_view prefix_of(TokenKind kind);

inline constexpr std::uint8_t token_version = 1;
inline constexpr std::size_t token_mac_bytes = 8;
inline constexpr std::size_t token_text_max = 40;

using TokenMac = std::array<std::uint8_t, token_mac_bytes>;

/// What a token says, without the node's number: that is the store's. This is what a recorded
/// reply keeps, so that a replay signs the same token again.
struct TokenClaim {
  TokenKind kind = TokenKind::state;
  NodeId node;
  std::uint8_t ordinal = 0;
  std::uint16_t count = 0;
  std::uint16_t life_minutes = 0;  // since the node's creation; 0: no end
  std::uint8_t key_slot = 0;
  bool operator==(const TokenClaim&) const = default;
};

json::Value to_json(const TokenClaim& claim);
Result<TokenClaim> claim_from_json(const json::Value& value);

/// A token's own bytes, as far as they can be read before the store is asked.
struct UnverifiedToken {
  TokenKind kind = TokenKind::state;
  std::uint8_t key_slot = 0;
  NodeNo node;
  std::uint8_t ordinal = 0;
  std::uint16_t count = 0;
  std::uint16_t life_minutes = 0;
  TokenMac mac{};
  bool operator==(const UnverifiedToken&) const = default;
};

std::string encode_token(const UnverifiedToken& token);

/// Cleans what agents add around a token (spaces, quotes, a final full stop), then reads it.
/// TOKEN_INVALID_FORMAT: copied wrong; TOKEN_UNSUPPORTED_VERSION: another release's.
Result<UnverifiedToken> decode_token(std::string_view text);

/// The bytes the MAC is made over: prefix, the token's first ten bytes, the node's id, the step
/// key and the principal, each with its length.
std::string mac_preimage(const UnverifiedToken& token, const NodeId& node,
                         std::string_view step_key, std::string_view principal);

/// Whether the token's life is over. Clock jumps only move the end, never the order of anything.
bool is_expired(const UnverifiedToken& token, WallMs node_created, WallMs now);

}  // namespace baton::run
