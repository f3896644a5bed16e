#include "base/text/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"

namespace baton {
namespace {

TEST(text, pieces_are_joined) {
  EXPECT_EQ(cat(), "");
  EXPECT_EQ(cat("line ", 3, ':', std::string("x"), std::string_view("y"), -7LL), "line 3:xy-7");
  EXPECT_EQ(cat(INT64_MIN, ' ', UINT64_MAX), "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(cat(std::uint8_t{65}), "65");
}

template <class T>
concept Appendable = requires(std::string& out, T piece) { append_piece(out, piece); };

TEST(text, booleans_and_doubles_are_not_joined_by_accident) {
  static_assert(Appendable<int> && Appendable<const char*> && Appendable<char>);
  static_assert(!Appendable<bool>);
  static_assert(!Appendable<double>);
  static_assert(!Appendable<float>);
}

TEST(text, hexadecimal_is_lower_case_and_strict) {
  EXPECT_EQ(to_hex(std::vector<std::uint8_t>{0x00, 0x9f, 0xff}), "009fff");
  EXPECT_EQ(to_hex({}), "");
  EXPECT_EQ(from_hex("009fff"), (std::vector<std::uint8_t>{0x00, 0x9f, 0xff}));
  EXPECT_EQ(from_hex(""), std::vector<std::uint8_t>{});
  for (const char* text : {"0", "0G", "g0", "AB", "aB", " 0", "0x", "-1", "00 ", "0\n"}) {
    EXPECT_EQ(from_hex(text), std::nullopt) << text;
  }
}

RC_GTEST_PROP(text, hexadecimal_reads_back, (const std::vector<std::uint8_t>& bytes)) {
  RC_ASSERT((from_hex(to_hex(bytes)) == bytes));
}

TEST(text, whole_decimal_numbers_are_parsed_and_nothing_else) {
  EXPECT_EQ(parse_int("0"), 0);
  EXPECT_EQ(parse_int("-12"), -12);
  EXPECT_EQ(parse_int("007"), 7);
  EXPECT_EQ(parse_int("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_int("-9223372036854775808"), INT64_MIN);
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "--1", "12a",
                           "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_EQ(parse_int(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_int({}), std::nullopt);
}

std::string_view nearest_of(std::string_view word) {
  static constexpr std::string_view names[] = {
      "start_workflow", "continue_workflow", "list", "last", "id", "x"};
  return nearest(word, names).value_or("none");
}

TEST(text, a_misspelt_word_finds_its_neighbour) {
  EXPECT_EQ(nearest_of("start_workfolw"), "start_workflow");
  EXPECT_EQ(nearest_of("contine_workflow"), "continue_workflow");
  EXPECT_EQ(nearest_of("lists"), "list");
  EXPECT_EQ(nearest_of("list"), "list");
  EXPECT_EQ(nearest_of("lst"), "list") << "the first of equals";
  EXPECT_EQ(nearest_of("di"), "id") << "a swap is one edit";
}

TEST(text, a_word_that_is_near_to_nothing_finds_nothing) {
  EXPECT_EQ(nearest_of("banana"), "none");
  EXPECT_EQ(nearest_of(""), "none");
  EXPECT_EQ(nearest_of("y"), "none") << "one letter has nothing in common with another";
  EXPECT_EQ(nearest("abc", {}), std::nullopt);
}

TEST(text, words_over_the_limit_get_no_suggestion) {
  const std::string longest(limits::nearest_word_bytes_max, 'a');
  const std::string too_long = longest + 'a';
  const std::string_view one[] = {longest};
  const std::string_view other[] = {too_long};
  EXPECT_EQ(nearest(longest, one), longest);
  EXPECT_EQ(nearest(too_long, one), std::nullopt);
  EXPECT_EQ(nearest(longest, other), std::nullopt);
}

}  // namespace

namespace {

TEST(ascii, what_is_around_a_text_is_taken_off_and_nothing_inside) {
  EXPECT_EQ(trimmed(" \t\r\na b\n "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\xC2\xA0x"), "\xC2\xA0x");  // a no-break space is not a blank here
}

TEST(ascii, only_ascii_letters_become_small) {
  EXPECT_EQ(ascii_lower("A-Z @[`{ \xC3\x84"), "a-z @[`{ \xC3\x84");
}

}  // namespace
}  // namespace baton
