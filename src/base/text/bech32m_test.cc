#include "base/text/bech32m.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::bech32m {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::string_view alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// The hexadecimal bytes, or the name of the problem.
std::string decoded(std::string_view text) {
  const auto result = decode(text);
  return result ? cat(result->hrp, ' ', to_hex(result->bytes))
                : std::string(name_of(result.error()));
}

TEST(bech32m, the_valid_strings_of_bip_350_are_read) {
  EXPECT_EQ(decoded("a1lqfn3a"), "a ");
  EXPECT_EQ(decoded("?1v759aa"), "? ");
  EXPECT_EQ(decoded("an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioand"
                    "number11sg7hg6"),
            "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber1 ");
  EXPECT_EQ(decoded("abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx"),
            "abcdef ffbbcdeb38bdab49ca307b9ac5a928398a418820");
  EXPECT_EQ(decoded("split1checkupstagehandshakeupstreamerranterredcaperredlc445v"),
            "split c5f38b70305f519bf66d85fb6cf03058f3dde463ecd7918f2dc743918f2d");
}

TEST(bech32m, a_valid_string_of_bip_350_without_whole_bytes_passes_all_but_the_padding) {
  EXPECT_EQ(decoded(cat("11", std::string(82, 'l'), "ludsr8")), "bad_padding");
}

TEST(bech32m, the_invalid_strings_of_bip_350_are_refused_with_their_reason) {
  EXPECT_EQ(decoded(" 1xj0phk"), "bad_character");
  EXPECT_EQ(decoded("\x7f"
                    "1g6xzxy"),
            "bad_character");
  EXPECT_EQ(decoded("\x80"
                    "1vctc34"),
            "bad_character");
  EXPECT_EQ(decoded("an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioand"
                    "number11d6pts4"),
            "too_long");
  EXPECT_EQ(decoded("qyrz8wqd2c9m"), "bad_shape");
  EXPECT_EQ(decoded("1qyrz8wqd2c9m"), "bad_shape");
  EXPECT_EQ(decoded("y1b0jsk6g"), "bad_character");
  EXPECT_EQ(decoded("lt1igcx5c0"), "bad_character");
  EXPECT_EQ(decoded("in1muywd"), "bad_shape");
  EXPECT_EQ(decoded("mm1crxm3i"), "bad_character");
  EXPECT_EQ(decoded("au1s5cgom"), "bad_character");
  EXPECT_EQ(decoded("m1vuxwez"), "bad_checksum");
  EXPECT_EQ(decoded("16plkw9"), "bad_shape");
  EXPECT_EQ(decoded("1p2gdwpf"), "bad_shape");
}

TEST(bech32m, the_checksum_of_bech32_is_not_accepted) {
  EXPECT_EQ(decoded("a12uel5l"), "bad_checksum");
  EXPECT_EQ(decoded("?1ezyfcl"), "bad_checksum");
}

TEST(bech32m, one_case_only_is_read) {
  EXPECT_EQ(decoded("A1LQFN3A"), "upper_case");
  EXPECT_EQ(decoded("A1lqfn3a"), "upper_case");
  EXPECT_EQ(decoded("a1lqfn3A"), "upper_case");
}

TEST(bech32m, empty_and_cut_texts_have_no_shape) {
  EXPECT_EQ(decoded(""), "bad_shape");
  EXPECT_EQ(decoded("1"), "bad_shape");
  EXPECT_EQ(decoded("a1"), "bad_shape");
  EXPECT_EQ(decoded("a1lqfn3"), "bad_shape");
}

// Enforces: G9
TEST(bech32m, the_length_limit_holds_on_both_sides) {
  const Bytes bytes(50, 0xA5);  // 80 characters, 6 of checksum and the separator
  const std::string longest = encode("abc", bytes);
  ASSERT_EQ(longest.size(), limits::bech32m_chars_max);
  EXPECT_EQ(decode(longest), (Decoded{"abc", bytes}));
  EXPECT_EQ(decoded(cat('a', longest)), "too_long");
  EXPECT_DEATH(encode("abcd", bytes), "bech32m_chars_max");
}

TEST(bech32m, a_human_readable_part_that_cannot_be_read_back_is_never_written) {
  EXPECT_DEATH(encode("", Bytes{}), "hrp");
  EXPECT_DEATH(encode("Ack", Bytes{}), "hrp");
  EXPECT_DEATH(encode("a k", Bytes{}), "hrp");
}

/// A text with a right checksum over any five-bit groups, also such as encode() never writes; a
/// second implementation, so that it also checks the first.
std::string with_checksum(std::string_view hrp, const std::vector<unsigned>& groups) {
  const auto polymod = [&](const std::vector<unsigned>& values) {
    std::uint32_t remainder = 1;
    for (const unsigned value : values) {
      const std::uint32_t top = remainder >> 25;
      remainder = ((remainder & 0x1ffffff) << 5) ^ value;
      if ((top & 1) != 0) remainder ^= 0x3b6a57b2;
      if ((top & 2) != 0) remainder ^= 0x26508e6d;
      if ((top & 4) != 0) remainder ^= 0x1ea119fa;
      if ((top & 8) != 0) remainder ^= 0x3d4233dd;
      if ((top & 16) != 0) remainder ^= 0x2a1462b3;
    }
    return remainder;
  };
  std::vector<unsigned> values;
  for (const char c : hrp) values.push_back(static_cast<unsigned>(c) >> 5);
  values.push_back(0);
  for (const char c : hrp) values.push_back(static_cast<unsigned>(c) & 31);
  values.insert(values.end(), groups.begin(), groups.end());
  values.insert(values.end(), 6, 0);
  const std::uint32_t checksum = polymod(values) ^ 0x2bc830a3;
  std::string out = cat(hrp, '1');
  for (const unsigned group : groups) out += alphabet[group];
  for (int shift = 25; shift >= 0; shift -= 5) out += alphabet[(checksum >> shift) & 31];
  return out;
}

TEST(bech32m, padding_that_is_not_zero_or_too_long_is_refused) {
  EXPECT_EQ(decoded(with_checksum("ack", {31, 28})), "ack ff");
  EXPECT_EQ(decoded(with_checksum("ack", {31, 29})), "bad_padding") << "last bit set";
  EXPECT_EQ(decoded(with_checksum("ack", {31, 30})), "bad_padding") << "last but one bit set";
  EXPECT_EQ(decoded(with_checksum("ack", {0})), "bad_padding") << "five bits are no byte";
  EXPECT_EQ(decoded(with_checksum("ack", {31, 28, 0})), "bad_padding") << "a group too many";
}

rc::Gen<std::string> any_hrp() {
  const auto any_char =
      rc::gen::suchThat(rc::gen::inRange('!', '\x7f'), [](int c) { return c < 'A' || c > 'Z'; });
  return rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(any_char)),
                      [](const std::vector<int>& chars) {
                        std::string hrp;
                        for (const int c : chars) hrp += static_cast<char>(c);
                        return hrp.substr(0, 20);
                      });
}

rc::Gen<Bytes> any_bytes() {
  return rc::gen::map(rc::gen::arbitrary<Bytes>(), [](Bytes bytes) {
    if (bytes.size() > 39) bytes.resize(39);
    return bytes;
  });
}

RC_GTEST_PROP(bech32m, what_is_encoded_is_decoded, ()) {
  const std::string hrp = *any_hrp();
  const Bytes bytes = *any_bytes();
  const std::string text = encode(hrp, bytes);
  RC_ASSERT(text.size() == encoded_chars(hrp.size(), bytes.size()));
  RC_ASSERT((decode(text) == Decoded{hrp, bytes}));
}

RC_GTEST_PROP(bech32m, up_to_four_wrong_characters_are_always_found, ()) {
  const std::string text = encode("ack", *any_bytes());
  std::string wrong = text;
  const int errors = *rc::gen::inRange(1, 5);
  for (int i = 0; i < errors; ++i) {
    wrong[*rc::gen::inRange<std::size_t>(4, text.size())] =
        alphabet[*rc::gen::inRange<std::size_t>(0, alphabet.size())];
  }
  RC_PRE(wrong != text);
  RC_ASSERT(decoded(wrong) == "bad_checksum");
}

TEST(bech32m, every_single_character_change_of_a_token_sized_text_is_found) {
  const std::string text = encode("step", Bytes(18, 0x5A));
  ASSERT_EQ(text.size(), 40u);
  for (std::size_t at = 5; at < text.size(); ++at) {
    for (const char c : alphabet) {
      if (c == text[at]) continue;
      std::string wrong = text;
      wrong[at] = c;
      EXPECT_EQ(decoded(wrong), "bad_checksum") << wrong;
    }
  }
}

}  // namespace
}  // namespace baton::bech32m
