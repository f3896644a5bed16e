// Origin: 004-21, 004-30

#include "run/log/token.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/core/limits.h"
#include "base/core/sha256.h"
#include "base/text/bech32m.h"
#include "base/text/text.h"

namespace baton::run {
namespace {

constexpr TokenKind all_kinds[] = {TokenKind::state, TokenKind::ack, TokenKind::checkpoint,
                                   TokenKind::step};

UnverifiedToken sample() {
  return {.kind = TokenKind::ack,
          .key_slot = 2,
          .node = {0x0123456789},
          .ordinal = 5,
          .count = 3,
          .life_minutes = 600,
          .mac = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7}};
}

UnverifiedToken largest(TokenKind kind) {
  return {.kind = kind,
          .key_slot = 15,
          .node = {(std::int64_t{1} << 40) - 1},
          .ordinal = 63,
          .count = 1023,
          .life_minutes = 65'535,
          .mac = {255, 255, 255, 255, 255, 255, 255, 255}};
}

NodeId sample_node() {
  NodeId node;
  for (std::size_t i = 0; i < node.bytes.size(); ++i) node.bytes[i] = static_cast<std::uint8_t>(i);
  return node;
}

std::string hex_of(std::string_view bytes) {
  return to_hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::string code_of(std::string_view text) {
  const auto token = decode_token(text);
  return token ? "ok" : std::string(name_of(token.error().code));
}

rc::Gen<UnverifiedToken> any_token() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(0, 4), rc::gen::inRange(0, 16),
                     rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40),
                     rc::gen::inRange(0, 64), rc::gen::inRange(0, 1024),
                     rc::gen::arbitrary<std::uint16_t>(), rc::gen::arbitrary<TokenMac>()),
      [](const auto& parts) {
        const auto& [kind, slot, node, ordinal, count, life, mac] = parts;
        return UnverifiedToken{.kind = all_kinds[kind],
                               .key_slot = static_cast<std::uint8_t>(slot),
                               .node = {node},
                               .ordinal = static_cast<std::uint8_t>(ordinal),
                               .count = static_cast<std::uint16_t>(count),
                               .life_minutes = life,
                               .mac = mac};
      });
}

TEST(token, bytes_are_version_and_slot_node_attempt_life_and_mac) {
  const auto decoded = bech32m::decode(encode_token(sample()));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->hrp, "ack");
  EXPECT_EQ(to_hex(decoded->bytes),
            "22"          // version 2, slot 2
            "a182e7c42d"  // node, under the MAC like the next two
            "b1a5"        // 5 << 10 | 3
            "a5a2"        // 600 minutes
            "a0a1a2a3a4a5a6a7");
}

TEST(token, text_of_version_1_has_its_fields_as_they_are_and_is_read_as_ever) {
  const std::vector<std::uint8_t> bytes = {0x12, 0x01, 0x23, 0x45, 0x67, 0x89, 0x14, 0x03, 0x02,
                                           0x58, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7};
  EXPECT_EQ(decode_token(bech32m::encode("ack", bytes)).value(), sample());
}

TEST(token, text_has_no_run_of_one_letter_where_the_fields_are_zero) {
  for (std::int64_t node = 0; node < 200; ++node) {
    UnverifiedToken token{.kind = TokenKind::ack, .node = {node}, .mac = {}};
    const Sha256 digest = sha256(cat("mac ", node));
    std::copy_n(digest.bytes.begin(), token.mac.size(), token.mac.begin());
    const std::string text = encode_token(token);
    std::size_t longest = 0;
    std::size_t run = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      run = i > 0 && text[i] == text[i - 1] ? run + 1 : 1;
      longest = std::max(longest, run);
    }
    EXPECT_LT(longest, 5U) << text;
  }
}

TEST(token, kind_shows_in_the_prefix) {
  std::set<std::string_view> seen;
  for (const TokenKind kind : all_kinds) {
    UnverifiedToken token = sample();
    token.kind = kind;
    EXPECT_TRUE(encode_token(token).starts_with(cat(prefix_of(kind), '1')));
    seen.insert(prefix_of(kind));
  }
  EXPECT_EQ(seen, (std::set<std::string_view>{"st", "ack", "chk", "step"}));
}

TEST(token, text_has_at_most_40_characters) {
  for (const TokenKind kind : all_kinds) {
    EXPECT_EQ(encode_token(largest(kind)).size(), 36 + prefix_of(kind).size());
    EXPECT_LE(encode_token(largest(kind)).size(), token_text_max);
  }
}

TEST(token, smallest_and_largest_fields_are_read_back) {
  for (const TokenKind kind : all_kinds) {
    const UnverifiedToken smallest{.kind = kind, .node = {0}, .mac = {}};
    EXPECT_EQ(decode_token(encode_token(smallest)).value(), smallest);
    EXPECT_EQ(decode_token(encode_token(largest(kind))).value(), largest(kind));
  }
}

RC_GTEST_PROP(token, decode_is_the_inverse_of_encode, ()) {
  const UnverifiedToken token = *any_token();
  const std::string text = encode_token(token);
  RC_ASSERT(text.size() <= token_text_max);
  RC_ASSERT(decode_token(text).value() == token);
}

RC_GTEST_PROP(token, any_bytes_that_decode_have_one_text_of_version_2, ()) {
  const auto bytes =
      *rc::gen::container<std::vector<std::uint8_t>>(18, rc::gen::arbitrary<std::uint8_t>());
  const std::string text = bech32m::encode(prefix_of(*rc::gen::elementOf(std::vector<TokenKind>(
                                               std::begin(all_kinds), std::end(all_kinds)))),
                                           bytes);
  const auto token = decode_token(text);
  const int version = bytes[0] >> 4;
  RC_ASSERT(token.has_value() == (version == 1 || version == 2));
  if (!token) return;
  const std::string again = encode_token(*token);
  RC_ASSERT((again == text) == (version == 2));
  RC_ASSERT(decode_token(again).value() == *token);
}

TEST(token, what_agents_put_around_a_token_is_cleaned) {
  const std::string text = encode_token(sample());
  for (const auto& [before, after] :
       std::vector<std::pair<std::string, std::string>>{{" ", " "},
                                                        {"\n", "\r\n"},
                                                        {"\t", ""},
                                                        {"'", "'"},
                                                        {"\"", "\""},
                                                        {"`", "`"},
                                                        {"", "."},
                                                        {"", ","},
                                                        {"\"", "\","},
                                                        {" `", "`. "},
                                                        {"```\n", "\n```"}}) {
    EXPECT_EQ(decode_token(cat(before, text, after)).value(), sample()) << before << after;
  }
}

TEST(token, nothing_else_is_cleaned) {
  const std::string text = encode_token(sample());
  for (const std::string& wrong :
       {cat(".", text), cat(text, ";"), cat(text, "!"), cat("(", text, ")"), cat(text, " and"),
        cat(text, std::string(1, '\0')), cat(text.substr(0, 9), " ", text.substr(9)),
        cat(text.substr(0, 9), "\n", text.substr(9)), cat(text, text)}) {
    EXPECT_EQ(code_of(wrong), "TOKEN_INVALID_FORMAT") << wrong;
  }
}

TEST(token, text_that_is_not_a_token_is_refused_as_copied_wrong) {
  for (const std::string_view text :
       {"", " ", "\"\"", ".", "st1", "ack", "1", "st1qqqqqq", "run_01k7v3m2p8e6t9q4w5x0y1z2a3"}) {
    EXPECT_EQ(code_of(text), "TOKEN_INVALID_FORMAT") << text;
  }
  EXPECT_EQ(code_of(std::string(100'000, 'q')), "TOKEN_INVALID_FORMAT");
}

TEST(token, capital_letters_are_refused) {
  std::string text = encode_token(sample());
  std::string one_capital = text;
  one_capital[0] = 'A';
  EXPECT_EQ(code_of(one_capital), "TOKEN_INVALID_FORMAT");
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  EXPECT_EQ(code_of(text), "TOKEN_INVALID_FORMAT");
}

TEST(token, other_lengths_and_prefixes_are_refused_even_with_a_good_checksum) {
  std::vector<std::uint8_t> bytes(18, 0x11);
  EXPECT_EQ(code_of(bech32m::encode("ack", bytes)), "ok");
  for (const std::string_view prefix : {"a", "sta", "bc", "acks", "chk1", "stt"}) {
    EXPECT_EQ(code_of(bech32m::encode(prefix, bytes)), "TOKEN_INVALID_FORMAT") << prefix;
  }
  for (const std::size_t size : {0u, 1u, 17u, 19u, 40u}) {
    bytes.assign(size, 0x11);
    EXPECT_EQ(code_of(bech32m::encode("ack", bytes)), "TOKEN_INVALID_FORMAT") << size;
  }
}

// Enforces: G8
TEST(token, every_other_version_is_refused) {
  std::vector<std::uint8_t> bytes(18, 0x22);
  for (unsigned version = 0; version < 16; ++version) {
    bytes[0] = static_cast<std::uint8_t>(version << 4);
    EXPECT_EQ(code_of(bech32m::encode("st", bytes)),
              version == 1 || version == 2 ? "ok" : "TOKEN_UNSUPPORTED_VERSION");
  }
  bytes.assign(20, 0x33);
  EXPECT_EQ(code_of(bech32m::encode("st", bytes)), "TOKEN_UNSUPPORTED_VERSION");
}

TEST(token, error_says_to_copy_again_and_does_not_repeat_the_text) {
  std::string text = encode_token(sample());
  text[20] = text[20] == 'q' ? 'p' : 'q';
  const auto token = decode_token(text);
  ASSERT_FALSE(token);
  EXPECT_NE(token.error().message.find("was not copied correctly"), std::string::npos);
  EXPECT_NE(token.error().message.find("Copy it again exactly"), std::string::npos);
  EXPECT_NE(token.error().message.find("st1, ack1, chk1 or step1"), std::string::npos);
  EXPECT_EQ(cat(token.error().message, token.error().next.text()).find(text.substr(5, 8)),
            std::string::npos);
  EXPECT_EQ(token.error().retry.kind, RetryKind::retry_with_changes);
}

// The same bytes are in docs/formats/token.md.
TEST(token, mac_is_made_over_five_fields_with_their_lengths) {
  EXPECT_EQ(hex_of(mac_preimage(sample(), sample_node(), "review", "local")),
            "00000003"
            "61636b"
            "0000000a"
            "12012345678914030258"
            "00000010"
            "000102030405060708090a0b0c0d0e0f"
            "00000006"
            "726576696577"
            "00000005"
            "6c6f63616c");
}

// Enforces: G8
TEST(token, mac_covers_everything_a_token_is_bound_to) {
  std::set<std::string> seen;
  const auto add = [&](auto change, NodeId node, std::string_view step, std::string_view who) {
    UnverifiedToken token = sample();
    change(token);
    seen.insert(mac_preimage(token, node, step, who));
  };
  const auto same = [](UnverifiedToken&) {};
  NodeId other_node = sample_node();
  other_node.bytes[15] ^= 1;
  add(same, sample_node(), "review", "local");
  add([](UnverifiedToken& t) { t.kind = TokenKind::step; }, sample_node(), "review", "local");
  add([](UnverifiedToken& t) { t.key_slot ^= 1; }, sample_node(), "review", "local");
  add([](UnverifiedToken& t) { t.node.value ^= 1; }, sample_node(), "review", "local");
  add([](UnverifiedToken& t) { t.ordinal ^= 1; }, sample_node(), "review", "local");
  add([](UnverifiedToken& t) { t.count ^= 1; }, sample_node(), "review", "local");
  add([](UnverifiedToken& t) { t.life_minutes = 0; }, sample_node(), "review", "local");
  add(same, other_node, "review", "local");
  add(same, sample_node(), "reviewl", "ocal");
  add(same, sample_node(), "review", "sub@iss");
  add(same, sample_node(), "", "reviewlocal");
  EXPECT_EQ(seen.size(), 11u);
  // The MAC itself is not part of what it is made over.
  add([](UnverifiedToken& t) { t.mac = {}; }, sample_node(), "review", "local");
  EXPECT_EQ(seen.size(), 11u);
}

// Enforces: G8
TEST(token, life_ends_at_its_last_minute) {
  constexpr std::int64_t minute_ms = 60'000;
  const WallMs created{1'700'000'000'123};
  UnverifiedToken token = sample();
  for (const int life : {1, 10, 65'535}) {
    token.life_minutes = static_cast<std::uint16_t>(life);
    const std::int64_t end = created.value + life * minute_ms;
    EXPECT_FALSE(is_expired(token, created, {end - minute_ms}));
    EXPECT_FALSE(is_expired(token, created, {end - 1}));
    EXPECT_TRUE(is_expired(token, created, {end}));
    EXPECT_TRUE(is_expired(token, created, {end + 1}));
    EXPECT_TRUE(is_expired(token, created, {end + minute_ms}));
  }
}

TEST(token, life_of_zero_never_ends) {
  UnverifiedToken token = sample();
  token.life_minutes = 0;
  EXPECT_FALSE(is_expired(token, {0}, {std::numeric_limits<std::int64_t>::max()}));
}

TEST(token, clock_before_the_creation_ends_no_life) {
  const UnverifiedToken token = sample();
  EXPECT_FALSE(is_expired(token, {1'000}, {999}));
  EXPECT_FALSE(is_expired(token, {std::numeric_limits<std::int64_t>::max()},
                          {std::numeric_limits<std::int64_t>::min()}));
  EXPECT_TRUE(is_expired(token, {std::numeric_limits<std::int64_t>::min()},
                         {std::numeric_limits<std::int64_t>::max()}));
}

TokenClaim sample_claim() {
  return {.kind = TokenKind::checkpoint,
          .node = sample_node(),
          .ordinal = 63,
          .count = 1023,
          .life_minutes = 65'535,
          .key_slot = 15};
}

TEST(token_claim, has_a_fixed_json_form) {
  EXPECT_EQ(json::print(to_json(sample_claim())),
            cat(R"({"kind":"chk","node":")", sample_node().text(),
                R"(","ordinal":63,"count":1023,"lifeMinutes":65535,"keySlot":15})"));
}

RC_GTEST_PROP(token_claim, is_read_back_as_it_was, ()) {
  const UnverifiedToken token = *any_token();
  const TokenClaim claim{.kind = token.kind,
                         .node = {*rc::gen::arbitrary<IdBytes>()},
                         .ordinal = token.ordinal,
                         .count = token.count,
                         .life_minutes = token.life_minutes,
                         .key_slot = token.key_slot};
  RC_ASSERT(claim_from_json(to_json(claim)).value() == claim);
}

TEST(token_claim, wrong_fields_are_corruption) {
  const auto code_with = [](std::string_view key, json::Value value) {
    json::Value changed = to_json(sample_claim());
    changed.if_object()->set(key, std::move(value));
    const auto claim = claim_from_json(changed);
    return claim ? "ok" : std::string(name_of(claim.error().code));
  };
  EXPECT_EQ(code_with("ordinal", 63), "ok");
  for (const auto& [key, value] :
       std::vector<std::pair<std::string_view, json::Value>>{{"kind", "ck"},
                                                             {"kind", 1},
                                                             {"node", "node_"},
                                                             {"node", "run_x"},
                                                             {"ordinal", -1},
                                                             {"ordinal", 64},
                                                             {"ordinal", 1.5},
                                                             {"count", -1},
                                                             {"count", 1024},
                                                             {"lifeMinutes", -1},
                                                             {"lifeMinutes", 65'536},
                                                             {"keySlot", -1},
                                                             {"keySlot", 16},
                                                             {"keySlot", "1"},
                                                             {"mac", "00"}}) {
    EXPECT_EQ(code_with(key, value), "STORE_CORRUPT") << key;
  }
}

TEST(token_claim, missing_fields_and_other_values_are_corruption) {
  for (const std::string_view key :
       {"kind", "node", "ordinal", "count", "lifeMinutes", "keySlot"}) {
    json::Value changed = to_json(sample_claim());
    changed.if_object()->erase(key);
    EXPECT_EQ(claim_from_json(changed).error().code, Code::STORE_CORRUPT) << key;
  }
  EXPECT_EQ(claim_from_json(json::Array{}).error().code, Code::STORE_CORRUPT);
}

TEST(token_death, field_past_its_bits_is_a_defect) {
  const auto encode_with = [](auto change) {
    UnverifiedToken token = sample();
    change(token);
    return encode_token(token);
  };
  const auto slot = [](UnverifiedToken& t) { t.key_slot = 16; };
  const auto ordinal = [](UnverifiedToken& t) { t.ordinal = 64; };
  const auto count = [](UnverifiedToken& t) { t.count = 1024; };
  const auto node = [](UnverifiedToken& t) { t.node.value = std::int64_t{1} << 40; };
  const auto negative = [](UnverifiedToken& t) { t.node.value = -1; };
  EXPECT_DEATH(encode_with(slot), "key_slot");
  EXPECT_DEATH(encode_with(ordinal), "ordinal");
  EXPECT_DEATH(encode_with(count), "count");
  EXPECT_DEATH(encode_with(node), "node");
  EXPECT_DEATH(encode_with(negative), "node");
}

}  // namespace
}  // namespace baton::run
