// Origin: 003-37, 003-38, 003-39, 003-54, 003-67
#include "plan/stage.h"

#include <gtest/gtest.h>

#include "plan/parse.h"

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

}  // namespace
}  // namespace baton::plan
