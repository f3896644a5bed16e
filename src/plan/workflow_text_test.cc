#include "plan/workflow_text.h"

#include <gtest/gtest.h>

#include "plan/parse.h"

namespace baton::plan {
namespace {

constexpr std::string_view sample =
    "feat: Keep it\n\nWhy.\n\n- Never: lose text\n\n"
    "- [ ]: Read\n  - [x]: Lines\n  - [ ]: Blocks\n- [ ]: Write\n";

Plan document(std::string_view text = sample) { return parse(text).document; }

json::Value workflow(std::string_view text = sample) {
  return *json::parse(*workflow_text(document(text), "plan-1"));
}

TEST(plan_workflow, has_a_step_for_each_open_task_without_tasks_below_it) {
  const json::Value flow = workflow();
  const json::Array& steps = *flow.find("steps")->if_array();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(*steps[0].find("title"), "Blocks");
  EXPECT_EQ(*steps[1].find("title"), "Write");
  EXPECT_TRUE(steps[0].find("id")->if_string()->starts_with("task-1-2-"));
}

TEST(plan_workflow, puts_the_constraints_into_every_prompt_and_the_details_into_the_first) {
  const json::Value flow = workflow();
  const json::Array& steps = *flow.find("steps")->if_array();
  for (const json::Value& step : steps) {
    EXPECT_TRUE(step.find("prompt")->if_string()->contains("- Never: lose text"));
  }
  EXPECT_TRUE(steps[0].find("prompt")->if_string()->contains("It is part of: Read\n"));
  EXPECT_TRUE(steps[0].find("prompt")->if_string()->contains("Why."));
  EXPECT_FALSE(steps[1].find("prompt")->if_string()->contains("Why."));
}

TEST(plan_workflow, needs_an_open_task) {
  EXPECT_EQ(workflow_text(document("feat: x\n\n- [x]: A"), "p").error().code, Code::NO_TASKS_FOUND);
  EXPECT_EQ(workflow_text({}, "p").error().code, Code::NO_TASKS_FOUND);
}

TEST(plan_workflow, finds_a_task_again_after_others_were_added_before_it) {
  const std::string id = step_id({1}, document().tasks[1]);
  const Plan moved = document("feat: x\n\n- [ ]: New\n- [ ]: Other\n- [ ]: Write\n");
  EXPECT_EQ(tasks_of_steps(moved.tasks, {id}), (std::vector<TaskPath>{{2}}));
}

TEST(plan_workflow, finds_no_task_whose_text_was_changed_or_that_is_done) {
  const std::string id = step_id({1}, document().tasks[1]);
  EXPECT_TRUE(
      tasks_of_steps(document("feat: x\n\n- [ ]: A\n- [ ]: Write it\n").tasks, {id}).empty());
  EXPECT_TRUE(tasks_of_steps(document("feat: x\n\n- [ ]: A\n- [x]: Write\n").tasks, {id}).empty());
}

TEST(plan_workflow, tells_tasks_of_one_text_apart_by_their_number) {
  const Plan twins = document("feat: x\n\n- [ ]: A\n- [ ]: A\n");
  EXPECT_EQ(tasks_of_steps(twins.tasks, {step_id({1}, twins.tasks[1])}),
            (std::vector<TaskPath>{{1}}));
}

TEST(plan_workflow, takes_no_text_of_a_plan_for_an_expression) {
  const Plan plan = document(
      "feat: Show {{ x }}\n\nWhy {{1+1}}.\n\n- Never: use {{{a}}}\n\n- [ ]: Fix {{ in text\n");
  const std::string text = *workflow_text(plan, "p");
  for (std::size_t at = text.find("{{"); at != std::string::npos; at = text.find("{{", at + 1)) {
    EXPECT_TRUE(text.substr(at).starts_with("{{ plan_open_braces }}")) << text.substr(at);
  }
  EXPECT_EQ(*workflow_context(text).find("plan_open_braces"), "{{");
  EXPECT_TRUE(workflow_context(*workflow_text(document(), "p")).empty());
}

}  // namespace
}  // namespace baton::plan
