#include "base/schema/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/schema/schema.h"
#include "base/text/text.h"

namespace baton::schema {
namespace {

using ::testing::HasSubstr;

bool matches(std::string_view pattern, std::string_view text) {
  return MUST(Pattern::compile(pattern)).matches(text);  // where one is refused, refusal() is used
}

std::string refusal(std::string_view pattern) {
  const Result<Pattern> result = Pattern::compile(pattern);
  if (result) return "accepted";
  EXPECT_EQ(result.error().code, Code::INVALID_SCHEMA);
  return result.error().message;
}

TEST(schema_pattern, matches_anywhere_unless_anchored) {
  EXPECT_TRUE(matches("b+", "abc"));
  EXPECT_FALSE(matches("^b+$", "abc"));
  EXPECT_FALSE(matches("^abc$", "abc\n"));
  EXPECT_FALSE(matches("^b", "a\nb"));
}

TEST(schema_pattern, named_groups_are_translated) {
  EXPECT_TRUE(matches("^(?<year>\\d{4})-(?<month>\\d\\d)$", "2024-07"));
  EXPECT_TRUE(matches("^(?P<year>\\d{4})$", "2024"));
}

TEST(schema_pattern, classes_have_the_meaning_of_ecma) {
  EXPECT_TRUE(matches("^\\s$", "\xC2\xA0"));
  EXPECT_TRUE(matches("^[x\\s]$", "\xE3\x80\x80"));
  EXPECT_TRUE(matches("^\\s$", "\xEF\xBB\xBF"));
  EXPECT_FALSE(matches("^\\S$", "\xE2\x80\x83"));
  EXPECT_FALSE(matches("^[\\S]$", "\xE2\x80\xA8"));
  EXPECT_TRUE(matches("^[\\S]$", "\xE2\x82\xAC"));
  EXPECT_FALSE(matches("^\\d$", "\xD9\xA3"));
  EXPECT_FALSE(matches("^\\w$", "\xC3\xA9"));
  EXPECT_TRUE(matches("^\\W$", "\xC3\xA9"));
}

TEST(schema_pattern, every_space_is_in_exactly_one_of_the_two_classes) {
  for (const char* spelling :
       {"\\u0009", "\\u000b", "\\u000d", "\\u0020", "\\u00a0", "\\u1680", "\\u2000", "\\u200a",
        "\\u2028", "\\u2029", "\\u202f", "\\u205f", "\\u3000", "\\ufeff"}) {
    const json::Value space = MUST(json::parse(cat('"', spelling, '"')));  // it is JSON
    EXPECT_TRUE(matches("^\\s$", *space.if_string())) << spelling;
    EXPECT_FALSE(matches("\\S", *space.if_string())) << spelling;
    EXPECT_FALSE(matches("[\\S]", *space.if_string())) << spelling;
  }
  for (const char* spelling : {"\\u0008", "\\u001f", "\\u0021", "\\u009f", "\\u180e", "\\u200b",
                               "\\u2027", "\\u2060", "\\ufefe", "\\uff00", "\\ud83d\\ude00"}) {
    const json::Value other = MUST(json::parse(cat('"', spelling, '"')));  // it is JSON
    EXPECT_FALSE(matches("\\s", *other.if_string())) << spelling;
    EXPECT_TRUE(matches("^\\S$", *other.if_string())) << spelling;
    EXPECT_TRUE(matches("^[\\S]$", *other.if_string())) << spelling;
  }
}

TEST(schema_pattern, dot_stops_at_every_line_end) {
  EXPECT_TRUE(matches("^.$", "\xF0\x9F\x98\x80"));
  EXPECT_FALSE(matches("^.$", "\r"));
  EXPECT_FALSE(matches("^.$", "\xE2\x80\xA8"));
  EXPECT_TRUE(matches("^[.]$", "."));
  EXPECT_FALSE(matches("^[.]$", "a"));
}

TEST(schema_pattern, escapes_are_those_of_ecma) {
  EXPECT_TRUE(matches("^\\u20ac\\u{1F600}\\uD83D\\uDE00\\x41\\cA\\0$",
                      std::string_view("\xE2\x82\xAC\xF0\x9F\x98\x80\xF0\x9F\x98\x80"
                                       "A\x01\x00",
                                       14)));
  EXPECT_TRUE(matches("^[\\b]$", "\b"));
  EXPECT_TRUE(matches("\\bfoo\\b", "a foo b"));
  EXPECT_FALSE(matches("\\Bfoo", "a foo b"));
  EXPECT_TRUE(matches("^\\/\\-\\_\\.\\\"$", "/-_.\""));
  EXPECT_TRUE(matches("^\\\xE2\x82\xAC$", "\xE2\x82\xAC"));
}

TEST(schema_pattern, brackets_inside_a_class_are_plain) {
  EXPECT_TRUE(matches("^[[:alpha:]]$", ":]"));
  EXPECT_FALSE(matches("^[[:alpha:]]$", "b"));
  EXPECT_TRUE(matches("^[[]$", "["));
  EXPECT_FALSE(matches("[]", "a"));
  EXPECT_TRUE(matches("^[^]$", "\n"));
  EXPECT_TRUE(matches("^[\\w-.]+$", "a-b.c"));
}

TEST(schema_pattern, unicode_properties_have_long_names) {
  EXPECT_TRUE(matches("^\\p{Letter}+$", "\xC3\xA9t\xC3\xA9"));
  EXPECT_TRUE(matches("^\\p{L}\\p{gc=Decimal_Number}$", "a1"));
  EXPECT_TRUE(matches("^\\p{Script=Greek}$", "\xCE\xB1"));
  EXPECT_TRUE(matches("^[\\P{Lu}]$", "a"));
  EXPECT_NE(refusal("\\p{Alphabetic}"), "accepted");
  EXPECT_NE(refusal("\\p{Age=1}"), "accepted");
}

TEST(schema_pattern, case_can_be_ignored_inline) {
  EXPECT_TRUE(matches("(?i)^abc$", "ABC"));
  EXPECT_TRUE(matches("^(?i:a)b$", "Ab"));
  EXPECT_NE(refusal("(?s)."), "accepted");
}

TEST(schema_pattern, what_cannot_be_told_in_linear_time_is_refused_by_name) {
  EXPECT_EQ(refusal("a(?=b)"),
            "the pattern a(?=b) cannot be used: at character 4: look-ahead and look-behind are not "
            "supported");
  EXPECT_THAT(refusal("(?<!a)b"), HasSubstr("look-ahead"));
  EXPECT_THAT(refusal("(a)\\1"), HasSubstr("back-references"));
  EXPECT_THAT(refusal("(?<n>a)\\k<n>"), HasSubstr("back-references"));
}

TEST(schema_pattern, malformed_patterns_are_refused) {
  for (const std::string_view bad : {"(",
                                     "[a",
                                     "\\",
                                     "a**",
                                     "\\a",
                                     "\\z",
                                     "\\u12",
                                     "\\u{110000}",
                                     "\\uD800",
                                     "\\uDC00",
                                     "\\uD800\\u0041",
                                     "\\x4",
                                     "\\c1",
                                     "\\p",
                                     "\\pL",
                                     "\\p{L",
                                     "\\01",
                                     "x{2,1}",
                                     "(?x)",
                                     "(?"}) {
    EXPECT_NE(refusal(bad), "accepted") << bad;
  }
}

TEST(schema_pattern, patterns_are_bounded_in_length) {
  const std::string at_bound(limits::schema_pattern_bytes_max, 'a');
  EXPECT_TRUE(Pattern::compile(at_bound));
  const Result<Pattern> refused = Pattern::compile(at_bound + "a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
}

TEST(schema_pattern, patterns_are_bounded_in_memory) {
  EXPECT_TRUE(Pattern::compile("^(?:abcdefgh){200}$"));
  const Result<Pattern> refused = Pattern::compile("^(?:\\p{L}{30}){30}$");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
  EXPECT_NE(refused.error().message.find(cat(limits::schema_pattern_memory_bytes_max)),
            std::string::npos);
}

TEST(schema_pattern, patterns_are_bounded_in_number) {
  json::Object rules;
  for (std::size_t i = 0; i < limits::schema_patterns_max; ++i) rules.append_new(cat('a', i), true);
  EXPECT_TRUE(Schema::compile(json::Object{{"patternProperties", rules}}, {}));
  const auto refused =
      Schema::compile(json::Object{{"patternProperties", rules}, {"pattern", "x"}}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
}

TEST(schema_pattern, matching_counts_as_work) {
  const auto schema = Schema::compile(json::Object{{"pattern", "^[ab]*$"}}, {});
  ASSERT_TRUE(schema);
  const json::Value text = std::string(100'000, 'a');
  EXPECT_TRUE(schema->validate(text, {.steps_max = 1'000'000}).empty());
  EXPECT_EQ(schema->validate(text, {.steps_max = 1'000}).at(0).code, Code::LIMIT_EXCEEDED);
}

}  // namespace
}  // namespace baton::schema
