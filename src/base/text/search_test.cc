#include "base/text/search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"
#include "base/testing/json_generator.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton {
namespace {

std::string joined(const std::vector<std::string>& tokens) {
  std::string out;
  for (const std::string& token : tokens) out += cat(out.empty() ? "" : " ", token);
  return out;
}

std::string words(std::string_view text) { return joined(search_tokens(text)); }

TEST(search, words_are_runs_of_letters_and_digits) {
  EXPECT_EQ(words("Fix the login-page, step_2 (v1.0)!"), "fix the login page step 2 v1 0");
  EXPECT_EQ(words(""), "");
  EXPECT_EQ(words(" \t\n.,;"), "");
  EXPECT_EQ(words("again again"), "again again");
}

TEST(search, case_does_not_count) {
  EXPECT_EQ(words("STRASSE Stra\u00dfe stra\u1e9ee"), "strasse strasse strasse");
  EXPECT_EQ(words("\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2"),
            words("\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c3"));
  EXPECT_EQ(words("\u00c9T\u00c9"), "\u00e9t\u00e9");
}

TEST(search, compatibility_forms_and_composition_do_not_count) {
  EXPECT_EQ(words("e\u0301"), "\u00e9");
  EXPECT_EQ(words("\ufb01le \uff26\uff35\uff2c\uff2c"), "file full");
  EXPECT_EQ(words("x\u00b2 \u2167 \u00bd"), "x2 viii 1 2") << "the fraction bar separates";
  EXPECT_EQ(words("so\u00adft \u200bzero"), "soft zero") << "invisible characters vanish";
}

TEST(search, words_of_other_scripts_stay_whole) {
  EXPECT_EQ(words("\u0928\u092e\u0938\u094d\u0924\u0947!"), "\u0928\u092e\u0938\u094d\u0924\u0947");
  EXPECT_EQ(words("\u4f60\u597d\uff0c\u4e16\u754c"), "\u4f60\u597d \u4e16\u754c");
  EXPECT_EQ(words("\u041f\u0440\u0438\u0432\u0435\u0442 \u0434\u0432\u0430"),
            "\u043f\u0440\u0438\u0432\u0435\u0442 \u0434\u0432\u0430");
}

TEST(search, bytes_that_are_not_utf8_separate_words) {
  EXPECT_EQ(words("one\xFFtwo\xC3three\xED\xA0\x80"), "one two three");
  EXPECT_EQ(words("\x80\x80\x80"), "");
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(words("nul\0byte"sv), "nul byte");
}

// Enforces: G9
TEST(search, the_limit_of_a_word_holds_on_both_sides) {
  const std::string longest(limits::search_token_bytes_max, 'a');
  EXPECT_EQ(words(longest), longest);
  EXPECT_EQ(words(longest + 'a'), longest);
  EXPECT_EQ(words(std::string(10'000, 'a') + " b"), longest + " b");
  // A three-byte character that does not fit whole is left out.
  EXPECT_EQ(words(longest.substr(0, 63) + "\u4f60"), longest.substr(0, 63));
  EXPECT_EQ(words(longest.substr(0, 61) + "\u4f60"), longest.substr(0, 61) + "\u4f60");
}

// Enforces: G9
TEST(search, the_limit_of_words_holds_on_both_sides) {
  std::string text;
  for (std::size_t i = 0; i < limits::search_tokens_max; ++i) text += "a ";
  EXPECT_EQ(search_tokens(text).size(), limits::search_tokens_max);
  EXPECT_EQ(search_tokens(text + "last").size(), limits::search_tokens_max);
  text.pop_back();
  EXPECT_EQ(search_tokens(text).size(), limits::search_tokens_max);
  EXPECT_EQ(search_tokens(text.substr(2)).size(), limits::search_tokens_max - 1);
}

// Enforces: G9
TEST(search, the_limit_of_a_text_holds_on_both_sides) {
  const std::string spaces(limits::search_text_bytes_max - 3, ' ');
  EXPECT_EQ(words(spaces + "end"), "end");
  EXPECT_EQ(words(spaces + " end"), "en");
  EXPECT_EQ(words(spaces + " \u4f60x"), "") << "the limit would cut the character";
  EXPECT_EQ(words(spaces + "\u4f60x"), "\u4f60");
}

TEST(search, text_that_grows_most_when_folded_stays_bounded) {
  std::string text;
  while (text.size() < limits::search_text_bytes_max) text += "\ufdfa";  // 18 code points each
  for (const std::string& token : search_tokens(text)) {
    ASSERT_LE(token.size(), limits::search_token_bytes_max);
  }
  EXPECT_LE(search_tokens(text).size(), limits::search_tokens_max);
}

TEST(search, the_words_of_any_one_character_are_in_their_final_form) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code == 0xD800) code = 0xE000;
    std::string text;
    utf8::append(text, code);
    const std::string once = words(text);
    ASSERT_EQ(words(once), once) << std::uint32_t{code};
  }
}

RC_GTEST_PROP(search, words_are_valid_bounded_and_in_their_final_form, ()) {
  json::testing::ShrinkingChoices choose;
  std::string text;
  for (int i = 0; i < 6; ++i) text += json::testing::any_string(choose);
  text = json::testing::damaged(text, choose);
  const auto tokens = search_tokens(text);
  for (const std::string& token : tokens) {
    RC_ASSERT(!token.empty());
    RC_ASSERT(token.size() <= limits::search_token_bytes_max);
    RC_ASSERT(utf8::is_valid(token));
  }
  RC_ASSERT(search_tokens(joined(tokens)) == tokens);
}

TEST(lower_case, changes_letters_of_every_script_and_nothing_else) {
  EXPECT_EQ(lower_case(""), "");
  EXPECT_EQ(lower_case("Yes, 3 TIMES!"), "yes, 3 times!");
  EXPECT_EQ(lower_case("\u00C9T\u00C9 \u0394\u0399\u0391 \u041C\u0418\u0420"),
            "\u00E9t\u00E9 \u03B4\u03B9\u03B1 \u043C\u0438\u0440");
  EXPECT_EQ(lower_case("\u65E5\u672C \U0001F600"), "\u65E5\u672C \U0001F600");
}

}  // namespace
}  // namespace baton
