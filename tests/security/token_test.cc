// Attacks on single tokens: a valid one with any change is refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/text/bech32m.h"
#include "base/text/text.h"
#include "token_world.h"

namespace baton::security {
namespace {

using run::decode_token;
using run::encode_token;
using run::TokenKind;
using run::UnverifiedToken;

constexpr std::uint64_t seed = 20'250'101;

class token_attacks : public ::testing::Test {
 protected:
  /// How many of the tokens are accepted as they are.
  std::size_t accepted() {
    return static_cast<std::size_t>(std::ranges::count_if(
        world_.issued(), [&](const Issued& issued) { return world_.accepts(issued); }));
  }

  static std::string code_of(std::string_view text) {
    const auto token = decode_token(text);
    return token ? "ok" : std::string(name_of(token.error().code));
  }

  TokenWorld world_{seed};
};

// Without this the refusals below would prove nothing.
TEST_F(token_attacks, hundred_valid_tokens_are_accepted) {
  EXPECT_EQ(world_.issued().size(), 100u);
  EXPECT_EQ(accepted(), 100u);
}

// Enforces: G8
TEST_F(token_attacks, every_flipped_bit_is_refused_even_with_a_good_checksum) {
  std::size_t tried = 0;
  for (const Issued& issued : world_.issued()) {
    const auto decoded = bech32m::decode(issued.text());
    ASSERT_TRUE(decoded);
    for (std::size_t bit = 0; bit < 8 * decoded->bytes.size(); ++bit) {
      auto bytes = decoded->bytes;
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      EXPECT_FALSE(world_.accepts(bech32m::encode(decoded->hrp, bytes), issued)) << bit;
      ++tried;
    }
  }
  EXPECT_EQ(tried, 100u * 144u);
}

// Enforces: G8
TEST_F(token_attacks, every_changed_character_is_found_by_the_checksum) {
  for (const Issued& issued : world_.issued()) {
    const std::string text = issued.text();
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (unsigned c = 0; c < 256; ++c) {
        std::string changed = text;
        changed[at] = static_cast<char>(c);
        if (changed == text) continue;
        ASSERT_EQ(code_of(changed), "TOKEN_INVALID_FORMAT") << at << ' ' << c;
      }
    }
  }
}

// Enforces: G8
TEST_F(token_attacks, every_truncation_is_refused) {
  for (const Issued& issued : world_.issued()) {
    const std::string text = issued.text();
    for (std::size_t begin = 0; begin <= text.size(); ++begin) {
      for (std::size_t size = 0; begin + size <= text.size(); ++size) {
        if (size == text.size()) continue;
        ASSERT_EQ(code_of(text.substr(begin, size)), "TOKEN_INVALID_FORMAT");
      }
    }
    // Cut by bytes with a checksum of its own.
    const auto decoded = bech32m::decode(text);
    ASSERT_TRUE(decoded);
    for (std::size_t size = 0; size < decoded->bytes.size(); ++size) {
      const std::span<const std::uint8_t> cut(decoded->bytes.data(), size);
      EXPECT_EQ(code_of(bech32m::encode(decoded->hrp, cut)), "TOKEN_INVALID_FORMAT");
    }
  }
}

TEST_F(token_attacks, every_lost_doubled_or_swapped_character_is_refused) {
  for (const Issued& issued : world_.issued()) {
    const std::string text = issued.text();
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::string lost = text;
      lost.erase(at, 1);
      EXPECT_EQ(code_of(lost), "TOKEN_INVALID_FORMAT");
      std::string doubled = text;
      doubled.insert(at, 1, text[at]);
      EXPECT_EQ(code_of(doubled), "TOKEN_INVALID_FORMAT");
      std::string swapped = text;
      std::swap(swapped[at], swapped[(at + 1) % text.size()]);
      if (swapped == text) continue;
      EXPECT_EQ(code_of(swapped), "TOKEN_INVALID_FORMAT") << swapped;
    }
  }
}

// Enforces: G8
TEST_F(token_attacks, field_taken_from_another_valid_token_is_refused) {
  using Take = void (*)(UnverifiedToken&, const UnverifiedToken&);
  constexpr Take fields[] = {
      [](UnverifiedToken& to, const UnverifiedToken& from) { to.kind = from.kind; },
      [](UnverifiedToken& to, const UnverifiedToken& from) { to.key_slot = from.key_slot; },
      [](UnverifiedToken& to, const UnverifiedToken& from) { to.node = from.node; },
      [](UnverifiedToken& to, const UnverifiedToken& from) { to.ordinal = from.ordinal; },
      [](UnverifiedToken& to, const UnverifiedToken& from) { to.count = from.count; },
      [](UnverifiedToken& to, const UnverifiedToken& from) { to.life_minutes = from.life_minutes; },
      [](UnverifiedToken& to, const UnverifiedToken& from) { to.mac = from.mac; },
  };
  std::size_t tried = 0;
  for (const Issued& to : world_.issued()) {
    for (const Issued& from : world_.issued()) {
      for (const Take take : fields) {
        UnverifiedToken mixed = to.token;
        take(mixed, from.token);
        if (mixed == to.token) continue;
        ++tried;
        ASSERT_FALSE(world_.accepts(encode_token(mixed), to));
      }
    }
  }
  EXPECT_GT(tried, 40'000u);
}

// Enforces: G8
TEST_F(token_attacks, token_serves_no_other_kind_of_call) {
  for (const Issued& issued : world_.issued()) {
    const WallMs now = world_.node(issued.token.node).created;
    for (const TokenKind needed :
         {TokenKind::state, TokenKind::ack, TokenKind::checkpoint, TokenKind::step}) {
      EXPECT_EQ(world_.accepts(issued.text(), needed, issued.principal, now),
                needed == issued.token.kind);
    }
  }
}

// Enforces: G8
TEST_F(token_attacks, token_serves_no_other_principal) {
  const std::set<std::string> others = {"",      "local",  "ann@issuer.example",
                                        "Local", "local ", "bob@issuer.example"};
  for (const Issued& issued : world_.issued()) {
    for (const std::string& other : others) {
      EXPECT_EQ(world_.accepts({issued.token, other}), other == issued.principal);
    }
  }
}

// Enforces: G8
TEST_F(token_attacks, token_serves_no_other_node_under_the_same_number) {
  for (const Issued& issued : world_.issued()) {
    Node& node = world_.node(issued.token.node);
    for (std::size_t bit = 0; bit < 128; ++bit) {
      node.id.bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      EXPECT_FALSE(world_.accepts(issued));
      node.id.bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    }
    EXPECT_TRUE(world_.accepts(issued));
  }
}

// Enforces: G8
TEST_F(token_attacks, token_serves_no_other_step_under_the_same_ordinal) {
  for (const Issued& issued : world_.issued()) {
    std::string& step = world_.node(issued.token.node).steps[issued.token.ordinal];
    const std::string right = step;
    for (const std::string& other : {cat(right, " "), std::string(), cat("x", right)}) {
      step = other;
      EXPECT_FALSE(world_.accepts(issued));
    }
    step = right;
  }
}

// Enforces: G8
TEST_F(token_attacks, another_store_refuses_every_token) {
  TokenWorld other(seed + 1);
  for (const Issued& issued : world_.issued()) EXPECT_FALSE(other.accepts(issued));
}

// Enforces: G8
TEST_F(token_attacks, previous_key_is_good_until_it_is_retired) {
  EXPECT_EQ(world_.keys().rotate(world_.entropy()).value(), 3);
  EXPECT_EQ(accepted(), 100u);
  ASSERT_TRUE(world_.keys().retire(2));
  for (const Issued& issued : world_.issued()) {
    EXPECT_EQ(world_.accepts(issued), issued.token.key_slot != 2);
  }
  // A new key in the same slot does not bring them back.
  EXPECT_EQ(world_.keys().rotate(world_.entropy()).value(), 2);
  for (const Issued& issued : world_.issued()) {
    EXPECT_EQ(world_.accepts(issued), issued.token.key_slot != 2);
  }
}

// Enforces: G8
TEST_F(token_attacks, another_version_is_refused_even_when_its_mac_is_right) {
  for (const Issued& issued : world_.issued()) {
    const auto decoded = bech32m::decode(issued.text());
    ASSERT_TRUE(decoded);
    for (unsigned version = 0; version < 16; ++version) {
      auto bytes = decoded->bytes;
      // As if the same key had signed this version's body.
      std::string signed_text = world_.preimage(issued.token, issued.principal);
      const std::size_t version_at = 4 + decoded->hrp.size() + 4;
      std::copy_n(signed_text.begin() + static_cast<std::ptrdiff_t>(version_at), 10, bytes.begin());
      bytes[0] = static_cast<std::uint8_t>(version << 4 | (bytes[0] & 15u));
      signed_text[version_at] = static_cast<char>(bytes[0]);
      const auto mac = world_.signer().sign(issued.token.key_slot, signed_text).value();
      std::ranges::copy(mac, bytes.begin() + 10);
      // The text of version 2 has other bytes, and what is signed is of version 1.
      const std::string text = bech32m::encode(decoded->hrp, bytes);
      EXPECT_EQ(code_of(text), version == 1 || version == 2 ? "ok" : "TOKEN_UNSUPPORTED_VERSION");
      if (version != 2) continue;
      EXPECT_NE(decode_token(text).value(), issued.token);
    }
  }
}

/// Five-bit groups as text with their checksum; `constant` is Bech32m's or another's.
std::string from_groups(std::string_view hrp, const std::vector<unsigned>& groups,
                        std::uint32_t constant = 0x2bc830a3) {
  constexpr std::string_view alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
  constexpr std::uint32_t generator[] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                         0x2a1462b3};
  std::uint32_t sum = 1;
  const auto feed = [&](unsigned group) {
    const std::uint32_t top = sum >> 25;
    sum = (sum & 0x1ffffff) << 5 ^ group;
    for (unsigned i = 0; i < 5; ++i) sum ^= (top >> i & 1) != 0 ? generator[i] : 0;
  };
  for (const char c : hrp) feed(static_cast<unsigned>(c) >> 5);
  feed(0);
  for (const char c : hrp) feed(static_cast<unsigned>(c) & 31);
  std::string out = cat(hrp, '1');
  for (const unsigned group : groups) {
    feed(group);
    out += alphabet[group];
  }
  for (int i = 0; i < 6; ++i) feed(0);
  sum ^= constant;
  for (unsigned i = 0; i < 6; ++i) out += alphabet[sum >> (25 - 5 * i) & 31];
  return out;
}

// Enforces: G8
TEST_F(token_attacks, bytes_have_one_spelling) {
  constexpr std::string_view alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
  for (const Issued& issued : world_.issued()) {
    const std::string text = issued.text();
    const std::string_view hrp = run::prefix_of(issued.token.kind);
    std::vector<unsigned> groups;
    for (const char c : text.substr(hrp.size() + 1, 29)) {
      groups.push_back(static_cast<unsigned>(alphabet.find(c)));
    }
    ASSERT_EQ(from_groups(hrp, groups), text);

    auto padded_with_one = groups;
    padded_with_one.back() |= 1;
    EXPECT_EQ(code_of(from_groups(hrp, padded_with_one)), "TOKEN_INVALID_FORMAT");
    auto padded_longer = groups;
    padded_longer.push_back(0);
    EXPECT_EQ(code_of(from_groups(hrp, padded_longer)), "TOKEN_INVALID_FORMAT");
    EXPECT_EQ(code_of(from_groups(hrp, groups, 1)), "TOKEN_INVALID_FORMAT");  // Bech32, not m

    std::string upper = text;
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    EXPECT_EQ(code_of(upper), "TOKEN_INVALID_FORMAT");
    EXPECT_EQ(code_of(cat(upper.substr(0, hrp.size()), text.substr(hrp.size()))),
              "TOKEN_INVALID_FORMAT");
    EXPECT_EQ(code_of(cat(hrp, upper.substr(hrp.size()))), "TOKEN_INVALID_FORMAT");
  }
}

// Enforces: G8
TEST_F(token_attacks, token_is_refused_from_the_minute_its_life_ends) {
  for (const Issued& issued : world_.issued()) {
    const std::int64_t life_ms = issued.token.life_minutes * minute_ms;
    const std::int64_t end = world_.node(issued.token.node).created.value + life_ms;
    const bool endless = life_ms == 0;
    const auto accepted_at = [&](std::int64_t now_ms) {
      return world_.accepts(issued.text(), issued.token.kind, issued.principal, {now_ms});
    };
    EXPECT_TRUE(accepted_at(end - minute_ms));
    EXPECT_TRUE(accepted_at(end - 1));
    EXPECT_EQ(accepted_at(end), endless);
    EXPECT_EQ(accepted_at(end + minute_ms), endless);
  }
}

}  // namespace
}  // namespace baton::security
