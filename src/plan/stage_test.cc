#include "plan/stage.h"

#include <gtest/gtest.h>

namespace baton::plan {
namespace {

int stage(std::string_view text) { return stage_of(parse(text).document); }

TEST(plan_stage, a_stage_follows_from_the_fields_that_are_there) {
  EXPECT_EQ(stage(""), 0);
  EXPECT_EQ(stage("prose"), 0);
  EXPECT_EQ(stage("feat:"), 1);
  EXPECT_EQ(stage("feat(a): T"), 1);
  EXPECT_EQ(stage("feat:\n\nDetails"), 2);
  EXPECT_EQ(stage("feat: T\n\nDetails"), 3);
  EXPECT_EQ(stage("feat: T\n\nDetails\n\n- Never: stop"), 4);
  EXPECT_EQ(stage("feat: T\n\n- Never: stop"), 4);
  EXPECT_EQ(stage("feat: T\n\n- [ ]: a"), 5);
  EXPECT_EQ(stage("feat: T\n\nDetails\n\n~~~ EXECUTE ~~~"), 5);
  EXPECT_EQ(stage("feat: T\n\n- [x]: a\n\n~~~ COMPLETE ~~~"), 6);
}

TEST(plan_stage, every_stage_says_what_to_do_and_with_which_tool) {
  int stage = 0;
  for (const std::string_view text :
       {"", "feat(a): T", "feat:\n\nDetails", "feat: T\n\nDetails", "feat: T\n\n- Never: stop",
        "feat: T\n\n- [ ]: a", "feat: T\n\n- [x]: a\n\n~~~ COMPLETE ~~~"}) {
    const StageGuide& guide = guide_to(parse(text).document);
    EXPECT_EQ(guide.stage, stage++);
    EXPECT_FALSE(guide.name.empty());
    EXPECT_GT(guide.guidance.size(), 80u);
    EXPECT_FALSE(guide.tools.empty());
  }
}

TEST(plan_stage, a_plan_without_open_tasks_is_to_be_finished) {
  const StageGuide& guide = guide_to(parse("feat: T\n\n- [x]: a\n  - [x]: b").document);
  EXPECT_EQ(guide.stage, 5);
  EXPECT_EQ(guide.tools.front(), "finish_job");
  EXPECT_EQ(guide_to(parse("feat: T\n\n- [x]: a\n- [ ]: b").document).tools.front(), "mark_task");
}

TEST(plan_stage, a_text_that_cannot_be_read_is_to_be_mended_first) {
  EXPECT_NE(guidance(parse("feat: T\n\nDetails\n\n- [ ]: a\noops\n")).find("line 6"),
            std::string::npos);
  EXPECT_NE(guidance(parse("prose")).find("set_overarching_goal"), std::string::npos);
}

}  // namespace
}  // namespace baton::plan
