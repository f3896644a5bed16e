#include "run/checks/criteria.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/testing/json_generator.h"

namespace baton::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

json::Value parsed(std::string_view text) { return MUST(json::parse(text)); }

bool always(const json::Value&) { return true; }

std::vector<std::string> broken(std::string_view criteria, std::string_view notes) {
  return broken_criteria(parsed(criteria), notes, always);
}

TEST(criteria, contains_looks_for_the_very_text) {
  const std::string_view rule = R"({"and":[{"type":"contains","value":"## Result"}]})";
  EXPECT_THAT(broken(rule, "a\n## Result\nb"), IsEmpty());
  EXPECT_THAT(broken(rule, "## result"),
              ElementsAre("the notes must contain \"## Result\"; they do not"));
}

TEST(criteria, regex_matches_any_part_and_knows_its_flags) {
  EXPECT_THAT(broken(R"({"type":"regex","pattern":"^ok: \\d+$"})", "ok: 12"), IsEmpty());
  EXPECT_THAT(broken(R"({"type":"regex","pattern":"^ok: \\d+$"})", "so\nok: 12\nend"), SizeIs(1));
  EXPECT_THAT(broken(R"({"type":"regex","pattern":"^ok: \\d+$","flags":"gm"})", "so\nok: 12\nend"),
              IsEmpty());
  EXPECT_THAT(broken(R"({"type":"regex","pattern":"OK","flags":"i"})", "ok"), IsEmpty());
  EXPECT_THAT(broken(R"({"type":"regex","pattern":"a.b"})", "a\nb"), SizeIs(1));
  EXPECT_THAT(broken(R"({"type":"regex","pattern":"a.b","flags":"s"})", "a\nb"), IsEmpty());
  EXPECT_THAT(broken(R"({"type":"regex","pattern":"a[.]\\.b","flags":"s"})", "a\n\nb"), SizeIs(1));
  EXPECT_THAT(broken(R"({"type":"regex","pattern":"a[.]\\.b","flags":"s"})", "a..b"), IsEmpty());
}

TEST(criteria, length_counts_characters_on_both_sides) {
  const std::string_view rule = R"({"type":"length","min":2,"max":3})";
  EXPECT_THAT(broken(rule, "\u00e9"),
              ElementsAre("the notes must have 2 to 3 characters; they have 1"));
  EXPECT_THAT(broken(rule, "\u00e9\U0001F600"), IsEmpty());
  EXPECT_THAT(broken(rule, "abc"), IsEmpty());
  EXPECT_THAT(broken(rule, "abcd"), SizeIs(1));
  EXPECT_THAT(broken(R"({"type":"length","min":2})", "a").at(0), HasSubstr("at least 2"));
  EXPECT_THAT(broken(R"({"type":"length","max":2})", "abc").at(0), HasSubstr("at most 2"));
}

TEST(criteria, schema_reads_the_notes_or_their_first_fenced_block) {
  const std::string_view rule =
      R"({"type":"schema","schema":{"type":"object","required":["verdict"]}})";
  EXPECT_THAT(broken(rule, R"({"verdict":1})"), IsEmpty());
  EXPECT_THAT(broken(rule, "So:\n```json\n{\"verdict\":1}\n```\nDone."), IsEmpty());
  EXPECT_THAT(broken(rule, "{}").at(0), HasSubstr("verdict"));
  EXPECT_THAT(broken(rule, "not JSON").at(0), HasSubstr("they are not JSON"));
  EXPECT_THAT(broken(rule, "```json\n{\"verdict\":1}"), SizeIs(1));
}

TEST(criteria, the_authors_message_comes_first) {
  EXPECT_THAT(broken(R"({"type":"contains","value":"x","message":"Say x"})", ""),
              ElementsAre("Say x (the notes must contain \"x\"; they do not)"));
}

TEST(criteria, compositions_join_their_rules) {
  const std::string_view any =
      R"({"or":[{"type":"contains","value":"a"},{"type":"contains","value":"b"}]})";
  EXPECT_THAT(broken(any, "b"), IsEmpty());
  EXPECT_THAT(broken(any, "c"), ElementsAre("the notes must contain \"a\"; they do not, or the "
                                            "notes must contain \"b\"; they do not"));
  const std::string_view none = R"({"not":{"type":"contains","value":"LATER"}})";
  EXPECT_THAT(broken(none, "done"), IsEmpty());
  EXPECT_THAT(broken(none, "LATER"), ElementsAre("the notes must not contain \"LATER\""));
  const std::string_view all =
      R"({"and":[{"type":"contains","value":"a"},{"type":"contains","value":"b"},
                 {"not":{"and":[{"type":"contains","value":"c"},{"type":"length","max":9}]}}]})";
  EXPECT_THAT(broken(all, "c"), SizeIs(3));
  EXPECT_THAT(broken(all, "ab"), IsEmpty());
}

TEST(criteria, a_rule_whose_condition_does_not_hold_says_nothing) {
  const json::Value criteria = parsed(
      R"({"and":[{"type":"contains","value":"a","condition":{"var":"x"}},
                 {"or":[{"type":"contains","value":"b","condition":{"var":"x"}}]},
                 {"not":{"type":"contains","value":"c","condition":{"var":"x"}}}]})");
  const auto never = [](const json::Value&) { return false; };
  EXPECT_THAT(broken_criteria(criteria, "c", never), IsEmpty());
  EXPECT_THAT(describe_criteria(criteria, never), IsEmpty());
  EXPECT_THAT(required_texts(criteria, never), IsEmpty());
  EXPECT_THAT(broken_criteria(criteria, "c", always), SizeIs(3));
  EXPECT_THAT(describe_criteria(criteria, always), SizeIs(3));
}

TEST(criteria, rules_are_described_as_sentences) {
  const json::Value criteria = parsed(
      R"({"and":[{"type":"contains","value":"a"},{"type":"regex","pattern":"b+","flags":"i"},
                 {"or":[{"type":"length","min":3},{"not":{"type":"contains","value":"c"}}]},
                 {"type":"schema","schema":{"type":"object"}}]})");
  EXPECT_THAT(describe_criteria(criteria, always),
              ElementsAre("The notes must contain \"a\".",
                          "The notes must match the regular expression /b+/i.",
                          "The notes must (have at least 3 characters or not contain \"c\").",
                          R"(The notes must be JSON that matches the schema {"type":"object"}.)"));
  EXPECT_THAT(required_texts(criteria, always), ElementsAre("a"));
}

/// Criteria of the compiled form with a known answer for given notes.
template <class Choose>
json::Value any_criteria(Choose& choose, std::size_t depth) {
  using json::Object;
  if (depth > 0 && choose(2) == 0) {
    json::Array list;
    for (std::size_t left = 1 + choose(3); left > 0; --left) {
      list.push_back(any_criteria(choose, depth - 1));
    }
    if (choose(3) == 0) return Object{{"not", list.front()}};
    return Object{{choose(2) == 0 ? "and" : "or", std::move(list)}};
  }
  if (choose(2) == 0)
    return Object{{"type", "contains"}, {"value", json::testing::any_string(choose)}};
  return Object{{"type", "length"}, {"max", static_cast<std::int64_t>(choose(4))}};
}

bool meets(const json::Value& criteria, std::string_view notes) {
  if (const json::Value* inner = criteria.find("not")) return !meets(*inner, notes);
  for (const std::string_view word : {"and", "or"}) {
    const json::Value* list = criteria.find(word);
    if (list == nullptr) continue;
    std::size_t met = 0;
    for (const json::Value& each : *list->if_array()) met += meets(each, notes) ? 1 : 0;
    return word == "and" ? met == list->if_array()->size() : met > 0;
  }
  return broken_criteria(criteria, notes, always).empty();
}

RC_GTEST_PROP(criteria, compositions_follow_the_rules_of_logic, ()) {
  json::testing::ShrinkingChoices choose;
  const json::Value criteria = any_criteria(choose, 3);
  const std::string notes = json::testing::any_string(choose);
  RC_ASSERT(broken_criteria(criteria, notes, always).empty() == meets(criteria, notes));
}

}  // namespace
}  // namespace baton::run
