#include "run/walk/condition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"
#include "run/testing/event_generator.h"
#include "run/testing/play.h"
#include "workflow/check/closed_sets.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using json::Value;

const Object context{{"yes", true},
                     {"no", false},
                     {"n", 3},
                     {"half", 0.5},
                     {"zero", 0},
                     {"text", "  Large Hat "},
                     {"empty", ""},
                     {"numeral", "3"},
                     {"word", "YES"},
                     {"list", Array{"red", 3, true}},
                     {"none", nullptr},
                     {"object", Object{{"k", Array{1}}}},
                     {"greek", "\u0394ELTA"}};

Result<bool> played(const Value& condition, const testing::Play& play) {
  return testing::ask_until_known(play, [&](state::ScriptAnswers& answers) {
    Scripts scripts(answers, {});
    return holds(condition, RunScope(context, {}), scripts);
  });
}

bool is_true(const Value& condition) { return MUST(played(condition, testing::no_script)); }

bool is_true(std::string_view var, std::string_view op, Value value) {
  return is_true(Object{{"var", var}, {"op", op}, {"value", std::move(value)}});
}

TEST(condition, bare_variable_is_true_or_false_as_in_javascript) {
  for (const std::string_view name : {"yes", "n", "half", "text", "numeral", "list", "object"}) {
    EXPECT_TRUE(is_true(Object{{"var", name}})) << name;
    EXPECT_TRUE(is_true(Object{{"js", name}})) << name;
  }
  for (const std::string_view name : {"no", "zero", "empty", "none", "missing", "object.x"}) {
    EXPECT_FALSE(is_true(Object{{"var", name}})) << name;
    EXPECT_FALSE(is_true(Object{{"js", name}})) << name;
  }
  EXPECT_TRUE(is_true(Object{{"js", "true"}}));
  EXPECT_FALSE(is_true(Object{{"js", "false"}}));
}

TEST(condition, equality_is_lenient) {
  EXPECT_TRUE(is_true("text", "equals", "large hat"));
  EXPECT_TRUE(is_true("greek", "equals", " \u03B4elta"));
  EXPECT_TRUE(is_true("numeral", "equals", 3));
  EXPECT_TRUE(is_true("n", "equals", " 3.0 "));
  EXPECT_TRUE(is_true("word", "equals", true));
  EXPECT_TRUE(is_true("yes", "equals", "1"));
  EXPECT_TRUE(is_true("no", "equals", "No"));
  EXPECT_TRUE(is_true("missing", "equals", nullptr));
  EXPECT_TRUE(is_true("none", "equals", nullptr));
  EXPECT_TRUE(is_true("object", "equals", Object{{"k", Array{1}}}));
  EXPECT_FALSE(is_true("n", "equals", "3 hats"));
  EXPECT_FALSE(is_true("word", "equals", false));
  EXPECT_FALSE(is_true("zero", "equals", nullptr));
  EXPECT_FALSE(is_true("empty", "equals", 0));
  EXPECT_FALSE(is_true("yes", "equals", 1));
  EXPECT_FALSE(is_true("missing", "equals", ""));
  EXPECT_TRUE(is_true("missing", "not_equals", 3));
  EXPECT_FALSE(is_true("numeral", "not_equals", 3));
}

TEST(condition, comparisons_are_of_numbers_only) {
  EXPECT_TRUE(is_true("n", "gt", 2));
  EXPECT_FALSE(is_true("n", "gt", 3));
  EXPECT_TRUE(is_true("n", "gte", 3));
  EXPECT_FALSE(is_true("n", "gte", 3.5));
  EXPECT_TRUE(is_true("half", "lt", 1));
  EXPECT_FALSE(is_true("half", "lt", 0.5));
  EXPECT_TRUE(is_true("half", "lte", 0.5));
  EXPECT_FALSE(is_true("n", "lte", 2));
  for (const std::string_view op : {"gt", "gte", "lt", "lte"}) {
    EXPECT_FALSE(is_true("numeral", op, 1)) << op;
    EXPECT_FALSE(is_true("missing", op, 1)) << op;
  }
}

TEST(condition, texts_are_searched_without_regard_to_case) {
  EXPECT_TRUE(is_true("text", "contains", "GE H"));
  EXPECT_TRUE(is_true("text", "startsWith", "large"));
  EXPECT_TRUE(is_true("text", "endsWith", "hat"));
  EXPECT_TRUE(is_true("text", "matches", "^l.*T$"));
  EXPECT_FALSE(is_true("text", "contains", "cap"));
  EXPECT_FALSE(is_true("text", "startsWith", "hat"));
  EXPECT_FALSE(is_true("text", "endsWith", "large"));
  EXPECT_FALSE(is_true("text", "matches", "^hat"));
  EXPECT_FALSE(is_true("text", "matches", "("));
  EXPECT_TRUE(is_true("n", "startsWith", "3"));
  EXPECT_FALSE(is_true("object", "contains", "k"));
  EXPECT_FALSE(is_true("missing", "contains", "x"));
}

TEST(condition, lists_are_searched_for_equal_values) {
  EXPECT_TRUE(is_true("list", "contains", "RED"));
  EXPECT_TRUE(is_true("list", "contains", "3"));
  EXPECT_FALSE(is_true("list", "contains", "re"));
  EXPECT_TRUE(is_true("text", "in", Array{"small hat", "large hat"}));
  EXPECT_FALSE(is_true("text", "in", Array{}));
  EXPECT_FALSE(is_true("text", "in", "large hat"));
}

TEST(condition, every_operator_of_the_language_is_known_here) {
  for (const workflow::Builtin& each : workflow::condition_operators()) {
    const bool one = is_true("n", each.id, each.id == "in" ? Value(Array{3}) : Value(3));
    const bool other = is_true("n", each.id, each.id == "in" ? Value(Array{4}) : Value(4));
    const bool third = is_true("n", each.id, each.id == "in" ? Value(Array{2}) : Value(2));
    EXPECT_TRUE(one != other || one != third || each.id == "matches") << each.id;
  }
}

TEST(condition, logic_combines) {
  const Value yes = Object{{"var", "yes"}};
  const Value no = Object{{"var", "no"}};
  EXPECT_TRUE(is_true(Object{{"and", Array{yes, yes}}}));
  EXPECT_FALSE(is_true(Object{{"and", Array{yes, no}}}));
  EXPECT_TRUE(is_true(Object{{"or", Array{no, yes}}}));
  EXPECT_FALSE(is_true(Object{{"or", Array{no, no}}}));
  EXPECT_TRUE(is_true(Object{{"not", no}}));
  EXPECT_FALSE(is_true(Object{{"not", Object{{"or", Array{no, yes}}}}}));
  EXPECT_FALSE(is_true(Object{}));
}

TEST(condition, only_code_beyond_a_path_needs_a_script) {
  EXPECT_TRUE(is_true(Object{{"js", "object.k"}}));
  EXPECT_FALSE(is_true(Object{{"js", "object.k.z"}}));
  EXPECT_TRUE(is_true(Object{{"js", "true"}}));
  std::vector<std::string> asked;
  const testing::Play play = [&](const state::Evaluation& each) -> state::ScriptResult {
    asked.push_back(cat(each.script.source, " with ", each.scope));
    return true;
  };
  EXPECT_TRUE(MUST(played(Object{{"js", "n > 1"}}, play)));
  EXPECT_FALSE(MUST(played(Object{{"not", Object{{"js", "nobody + Math.PI"}}}}, play)));
  EXPECT_EQ(asked, (std::vector<std::string>{"n > 1 with {\"n\":3}", "nobody + Math.PI with {}"}));
}

TEST(condition, all_its_scripts_are_asked_for_at_once_and_only_those_that_decide_can_fail) {
  int batches = 0;
  state::ScriptAnswers answers;
  const Value both = Object{{"and", Array{Object{{"js", "n < 1"}}, Object{{"js", "boom()"}}}}};
  const auto ask = [&] {
    Scripts scripts(answers, {});
    return holds(both, RunScope(context, {}), scripts);
  };
  for (auto is_so = ask();; is_so = ask()) {
    if (!answers.is_lacking()) {
      ASSERT_TRUE(is_so);
      EXPECT_FALSE(*is_so);
      break;
    }
    ++batches;
    ASSERT_EQ(answers.asked().size(), 2u);
    answers.supply({{Value(false), 1}, {std::unexpected(state::ScriptProblem{}), 1}});
  }
  EXPECT_EQ(batches, 1);
  const Value either = Object{{"or", *both.find("and")}};
  const auto failed = played(either, [](const state::Evaluation& each) -> state::ScriptResult {
    if (each.script.source.contains("boom")) {
      return std::unexpected(
          state::ScriptProblem{state::ScriptFault::thrown, "boom is not defined", {}, 1, 1});
    }
    return false;
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::SCRIPT_FAILED);
  EXPECT_EQ(failed.error().message, "boom is not defined at line 1, column 1, in `boom()`");
}

TEST(condition, is_written_for_people) {
  EXPECT_EQ(condition_text(Object{{"var", "a"}, {"op", "equals"}, {"value", "x"}}),
            "a equals \"x\"");
  EXPECT_EQ(condition_text(Object{
                {"or", Array{Object{{"js", "a.b"}}, Object{{"not", Object{{"var", "c"}}}}}}}),
            "(a.b or not c)");
}

RC_GTEST_PROP(loosely_equal, is_the_same_both_ways_and_wider_than_equality, ()) {
  json::testing::ShrinkingChoices choose;
  const Value one = testing::any_exact_value(choose, 1);
  const Value other = testing::any_exact_value(choose, 1);
  RC_ASSERT(loosely_equal(one, one));
  RC_ASSERT(loosely_equal(one, other) == loosely_equal(other, one));
}

}  // namespace
}  // namespace baton::run
