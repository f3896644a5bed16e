#include "state/answers.h"

#include <gtest/gtest.h>

namespace baton::state {
namespace {

Evaluation evaluation(std::string source, std::string scope = "{}") {
  Evaluation out;
  out.script = {.source = std::move(source), .names = {"a"}};
  out.scope = std::move(scope);
  return out;
}

TEST(answers, what_is_not_known_is_asked_for_once_and_in_order) {
  ScriptAnswers answers;
  EXPECT_EQ(answers.find(evaluation("a + 1")), nullptr);
  EXPECT_EQ(answers.find(evaluation("a + 2")), nullptr);
  EXPECT_EQ(answers.find(evaluation("a + 1")), nullptr);
  ASSERT_EQ(answers.asked().size(), 2u);
  EXPECT_EQ(answers.asked()[0].script.source, "a + 1");
  EXPECT_EQ(answers.asked()[1].script.source, "a + 2");
}

TEST(answers, what_was_supplied_belongs_to_the_evaluation_that_asked) {
  ScriptAnswers answers;
  answers.find(evaluation("b"));
  answers.find(evaluation("a"));
  answers.supply({{json::Value(1), 5}, {json::Value(2), 7}});
  EXPECT_FALSE(answers.is_lacking());
  ASSERT_NE(answers.find(evaluation("b")), nullptr);
  EXPECT_EQ(*answers.find(evaluation("b"))->result, json::Value(1));
  EXPECT_EQ(answers.find(evaluation("a"))->elapsed_us, 7);
}

TEST(answers, another_scope_draw_or_form_is_another_evaluation) {
  ScriptAnswers answers;
  answers.find(evaluation("a"));
  answers.supply({{json::Value(1), 0}});
  EXPECT_EQ(answers.find(evaluation("a", R"({"a":1})")), nullptr);
  Evaluation later = evaluation("a");
  later.draw.seed = 1;
  EXPECT_EQ(answers.find(later), nullptr);
  Evaluation other = evaluation("a");
  other.script.form = ScriptForm::transform;
  EXPECT_EQ(answers.find(other), nullptr);
}

TEST(answers, what_is_forgotten_is_asked_for_again) {
  ScriptAnswers answers;
  answers.find(evaluation("a"));
  answers.supply({{json::Value(1), 0}});
  answers.forget();
  EXPECT_EQ(answers.find(evaluation("a")), nullptr);
  EXPECT_TRUE(answers.is_lacking());
}

}  // namespace
}  // namespace baton::state
