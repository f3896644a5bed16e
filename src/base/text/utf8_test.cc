#include "base/text/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/testing/json_generator.h"
#include "base/text/text.h"

namespace baton::utf8 {
namespace {

std::string encoded(char32_t code) {
  std::string out;
  append(out, code);
  return out;
}

TEST(utf8, length_counts_code_points) {
  EXPECT_EQ(length(""), 0u);
  EXPECT_EQ(length("a\xC3\x84\xE2\x82\xAC\xF0\x9F\x98\x80"), 4u);
}

TEST(utf8, every_code_point_is_written_as_valid_text_of_the_right_length) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code == 0xD800) code = 0xE000;
    const std::string text = encoded(code);
    ASSERT_TRUE(is_valid(text)) << std::uint32_t{code};
    ASSERT_EQ(text.size(), code < 0x80 ? 1u : code < 0x800 ? 2u : code < 0x10000 ? 3u : 4u);
  }
}

TEST(utf8, surrogates_and_numbers_past_the_last_code_point_are_never_written) {
  EXPECT_DEATH(encoded(0xD800), "0xD800");
  EXPECT_DEATH(encoded(0xDFFF), "0xDFFF");
  EXPECT_DEATH(encoded(0x110000), "0x10FFFF");
}

/// What the Unicode standard's table 3-7 allows, written as the table is.
bool is_well_formed(const std::string& s) {
  const auto in = [&](std::size_t i, int low, int high) {
    const int byte = static_cast<unsigned char>(s[i]);
    return byte >= low && byte <= high;
  };
  switch (s.size()) {
    case 1: return in(0, 0x00, 0x7F);
    case 2: return in(0, 0xC2, 0xDF) && in(1, 0x80, 0xBF);
    case 3:
      return in(2, 0x80, 0xBF) &&
             ((in(0, 0xE0, 0xE0) && in(1, 0xA0, 0xBF)) ||
              (in(0, 0xE1, 0xEC) && in(1, 0x80, 0xBF)) ||
              (in(0, 0xED, 0xED) && in(1, 0x80, 0x9F)) || (in(0, 0xEE, 0xEF) && in(1, 0x80, 0xBF)));
    default: return false;
  }
}

TEST(utf8, all_sequences_of_one_to_three_bytes_are_judged_as_the_standard_does) {
  // An ill-formed sequence may still be several well-formed ones in a row.
  const auto splits = [](const std::string& s) {
    if (is_well_formed(s)) return true;
    for (std::size_t first = 1; first < s.size(); ++first) {
      const std::string head = s.substr(0, first);
      const std::string tail = s.substr(first);
      if (!is_well_formed(head)) continue;
      if (is_well_formed(tail)) return true;
      if (tail.size() == 2 && is_well_formed(tail.substr(0, 1)) && is_well_formed(tail.substr(1))) {
        return true;
      }
    }
    return false;
  };
  // Bytes within one class behave alike: the borders of all classes are enough.
  std::vector<char> bytes;
  for (const int byte : {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2,
                         0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF}) {
    bytes.push_back(static_cast<char>(byte));
  }
  for (const char a : bytes) {
    ASSERT_EQ(is_valid(cat(a)), splits(cat(a)));
    for (const char b : bytes) {
      ASSERT_EQ(is_valid(cat(a, b)), splits(cat(a, b)));
      for (const char c : bytes) {
        ASSERT_EQ(is_valid(cat(a, b, c)), splits(cat(a, b, c))) << to_hex(
            std::vector<std::uint8_t>{static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b),
                                      static_cast<std::uint8_t>(c)});
      }
    }
  }
}

TEST(utf8, four_byte_sequences_hold_their_borders) {
  EXPECT_TRUE(is_valid("\xF0\x90\x80\x80"));
  EXPECT_TRUE(is_valid("\xF4\x8F\xBF\xBF"));
  EXPECT_FALSE(is_valid("\xF0\x8F\xBF\xBF")) << "overlong";
  EXPECT_FALSE(is_valid("\xF4\x90\x80\x80")) << "past U+10FFFF";
  EXPECT_FALSE(is_valid("\xF5\x80\x80\x80"));
  EXPECT_FALSE(is_valid("\xF0\x90\x80"));
  EXPECT_FALSE(is_valid("\xF0\x90\x80\x41"));
  EXPECT_FALSE(is_valid("\xF0\x90\x41\x80"));
}

TEST(utf8, the_first_invalid_byte_is_found_at_every_offset) {
  for (std::size_t before = 0; before < 40; ++before) {
    const std::string text = cat(std::string(before, 'a'), "\x80", std::string(20, 'b'));
    EXPECT_EQ(first_invalid(text), before);
    const std::string wide = cat(std::string(before, 'a'), "\u20ac\xE2\x82");
    EXPECT_EQ(first_invalid(wide), before + 3);
  }
  EXPECT_EQ(first_invalid(""), std::nullopt);
}

// Enforces: G9
TEST(utf8, truncation_holds_its_budget_at_every_length_and_cuts_no_character) {
  for (const char32_t code : {U'a', U'\u00e9', U'\u20ac', U'\U0001F600'}) {
    const std::string character = encoded(code);
    std::string text;
    for (int i = 0; i < 40; ++i) text += character;
    for (std::size_t budget = 0; budget <= text.size() + 4; ++budget) {
      const std::string cut = truncate(text, budget);
      ASSERT_LE(cut.size(), budget);
      ASSERT_TRUE(is_valid(cut));
      if (budget >= text.size()) {
        ASSERT_EQ(cut, text);
        continue;
      }
      std::string_view kept = cut;
      std::size_t room = budget;
      if (budget >= truncation_mark.size()) {
        ASSERT_TRUE(kept.ends_with(truncation_mark));
        kept.remove_suffix(truncation_mark.size());
        room -= truncation_mark.size();
      }
      ASSERT_TRUE(text.starts_with(kept));
      ASSERT_EQ(kept.size() % character.size(), 0u);
      ASSERT_GT(kept.size() + character.size(), room) << "one more character would have fitted";
    }
  }
}

TEST(utf8, the_mark_alone_fills_a_budget_of_its_size) {
  const std::string text(100, 'a');
  EXPECT_EQ(truncate(text, truncation_mark.size()), truncation_mark);
  EXPECT_EQ(truncate(text, truncation_mark.size() - 1), text.substr(0, truncation_mark.size() - 1));
  EXPECT_EQ(truncate(text, 0), "");
  EXPECT_EQ(truncate("", 0), "");
}

TEST(utf8, a_prefix_of_text_that_is_not_utf8_still_keeps_its_budget) {
  const std::string continuations(20, '\x80');
  EXPECT_EQ(prefix(continuations, 10), "");
  EXPECT_EQ(prefix(continuations, 20), continuations);
}

RC_GTEST_PROP(utf8, a_cut_text_is_a_prefix_within_its_budget, ()) {
  json::testing::ShrinkingChoices choose;
  std::string text;
  for (int i = 0; i < 8; ++i) text += json::testing::any_string(choose);
  const std::size_t budget = choose(text.size() + 2);
  const std::string_view kept = prefix(text, budget);
  RC_ASSERT(kept.size() <= budget);
  RC_ASSERT(text.starts_with(kept));
  RC_ASSERT(is_valid(kept));
  RC_ASSERT(kept.size() + 4 > std::min(budget, text.size()));
  const std::string cut = truncate(text, budget);
  RC_ASSERT(cut.size() <= budget);
  RC_ASSERT(is_valid(cut));
}

TEST(utf8, a_line_steers_no_terminal) {
  EXPECT_EQ(as_line("a\nb\tc\x1B[31m\x7F\xC2\x9B"
                    "d"),
            "a b c [31m  d");
  EXPECT_EQ(as_line("na\xC3\xAFve \xC2\xA0 \xE2\x82\xAC"), "na\xC3\xAFve \xC2\xA0 \xE2\x82\xAC");
  EXPECT_EQ(as_line(""), "");
}

}  // namespace
}  // namespace baton::utf8
