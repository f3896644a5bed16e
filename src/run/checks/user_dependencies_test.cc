#include "run/checks/user_dependencies.h"
#include "workflow/testing/step_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace baton::run {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

workflow::Step step_with(std::string_view choice) {
  workflow::Step step = workflow::prompt_step("a", "A", "Do it.");
  if (!choice.empty()) workflow::testing::set_field(step, "nonAssumableChoice", choice);
  return step;
}

TEST(user_dependencies, every_open_need_is_found_at_its_step) {
  for (const std::string_view name : names<Reason>()) {
    const Reason need = *from_name<Reason>(name);
    if (category_of(need) != GapCategory::user_only_dependency) continue;
    const auto found =
        open_user_needs(step_with("scope_boundary"), "loop@1::a",
                        {{Reason::needs_user_choice, "which", "that one"}, {need, "the key", ""}});
    ASSERT_THAT(found, SizeIs(1)) << name;
    EXPECT_EQ(found[0].reason, need);
    EXPECT_EQ(found[0].pointer, (Pointer{PointerKind::workflow_step, "loop@1::a"}));
    EXPECT_THAT(found[0].message, HasSubstr("the key"));
  }
}

TEST(user_dependencies, an_answer_closes_a_need) {
  EXPECT_THAT(open_user_needs(step_with(""), "a",
                              {{Reason::needs_user_secret_or_token, "the key", "it is in .env"}}),
              IsEmpty());
}

TEST(user_dependencies, every_choice_left_to_the_user_needs_an_answer) {
  for (const std::string_view choice : names<UserChoice>()) {
    const workflow::Step step = step_with(choice);
    EXPECT_EQ(choice_of(step), from_name<UserChoice>(choice));
    const auto found = open_user_needs(step, "a", {});
    ASSERT_THAT(found, SizeIs(1)) << choice;
    EXPECT_EQ(found[0].reason, Reason::needs_user_choice);
    EXPECT_THAT(found[0].message, HasSubstr(std::string(choice)));
    const Signals signals = read_artifacts({example_answer(step)});
    EXPECT_THAT(signals.bad, IsEmpty());
    EXPECT_THAT(open_user_needs(step, "a", signals.dependencies), IsEmpty());
  }
}

TEST(user_dependencies, asking_openly_is_one_finding_and_not_two) {
  EXPECT_THAT(open_user_needs(step_with("scope_boundary"), "a",
                              {{Reason::needs_user_choice, "how far", ""}}),
              SizeIs(1));
}

TEST(user_dependencies, only_marked_choices_may_be_asked_for) {
  const std::vector<UserDependency> asking = {{Reason::needs_user_choice, "tabs or spaces", ""}};
  EXPECT_TRUE(check_user_needs(step_with("preference_tradeoff"), asking));
  const auto refused = check_user_needs(step_with(""), asking);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::INVALID_INPUT);
  EXPECT_THAT(refused.error().next.text(), HasSubstr("what you assumed"));
  EXPECT_TRUE(check_user_needs(step_with(""), {{Reason::needs_user_choice, "which", "tabs"}}));
  EXPECT_TRUE(check_user_needs(step_with(""), {{Reason::needs_user_approval, "may I", ""}}));
}

TEST(user_dependencies, the_prompt_says_what_the_mode_does_with_the_choice) {
  const workflow::Step step = step_with("irreversible_action");
  EXPECT_THAT(describe_user_choice(step, {}), HasSubstr("Ask the user; do not assume the answer"));
  EXPECT_THAT(describe_user_choice(step, {Autonomy::full_auto_stop_on_user_deps, {}}),
              HasSubstr("Ask the user; do not assume the answer"));
  EXPECT_THAT(describe_user_choice(step, {Autonomy::full_auto_never_stop, {}}),
              HasSubstr("In this mode the user is not asked"));
  EXPECT_EQ(describe_user_choice(step_with(""), {}), "");
}

}  // namespace
}  // namespace baton::run
