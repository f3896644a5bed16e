#include "run/supported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace baton::run {
namespace {

using testing::HasSubstr;

workflow::CompiledWorkflow plain() {
  workflow::CompiledWorkflow workflow;
  workflow.id = "w";
  workflow.steps = {workflow::prompt_step("a", "A", "Do it."),
                    workflow::prompt_step("b", "B", "And that.", true, "reviewer")};
  return workflow;
}

TEST(check_supported, plain_prompts_are_run) { EXPECT_TRUE(check_supported(plain())); }

TEST(check_supported, every_other_step_type_is_refused_by_name) {
  for (int kind = 1; kind <= static_cast<int>(workflow::StepKind::wait_step); ++kind) {
    workflow::CompiledWorkflow workflow = plain();
    workflow.steps[1].kind = static_cast<workflow::StepKind>(kind);
    const auto checked = check_supported(workflow);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, Code::WORKFLOW_NOT_SUPPORTED);
    EXPECT_THAT(checked.error().message, HasSubstr("the step \"b\" of type "));
    EXPECT_THAT(checked.error().message,
                HasSubstr(std::string(workflow::name_of(workflow.steps[1].kind))));
  }
}

TEST(check_supported, fields_that_would_be_ignored_are_refused_by_name) {
  for (const std::string_view field :
       {"dependencies", "evidence", "outputContract", "validationCriteria", "runCondition",
        "confirmation", "fragments", "updates", "timeout_ms", "tools", "assessmentRefs"}) {
    workflow::CompiledWorkflow workflow = plain();
    workflow.steps[0].fields.set(field, json::Array{1});
    const auto checked = check_supported(workflow);
    ASSERT_FALSE(checked) << field;
    EXPECT_THAT(checked.error().message, HasSubstr(std::string(field)));
  }
  for (const std::string_view field : {"inputs", "state", "tasks", "error_handling", "config",
                                       "on_resume", "capabilities", "assessments"}) {
    workflow::CompiledWorkflow workflow = plain();
    workflow.fields.set(field, json::Object{{"x", 1}});
    EXPECT_FALSE(check_supported(workflow)) << field;
  }
}

TEST(check_supported, what_is_text_for_the_agent_is_run) {
  workflow::CompiledWorkflow workflow = plain();
  workflow.steps[0].fields.set("tags", json::Array{"x"});
  workflow.steps[0].fields.set("agent", "reviewer");
  workflow.fields.set("metaGuidance", json::Array{"be kind"});
  workflow.fields.set("kind", "routine");
  EXPECT_TRUE(check_supported(workflow));
}

TEST(check_supported, expressions_in_prompts_are_refused) {
  workflow::CompiledWorkflow workflow = plain();
  workflow.steps[1].prompt = "Look at {{ file }}.";
  EXPECT_THAT(check_supported(workflow).error().message, HasSubstr("{{ file }}"));
}

}  // namespace
}  // namespace baton::run
