#include "run/checks/assessments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/checks/artifacts.h"
#include "run/checks/slots.h"
#include "workflow/testing/step_fields.h"

namespace baton::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

json::Value parsed(std::string_view text) { return MUST(json::parse(text)); }

workflow::CompiledWorkflow judged_workflow() {
  workflow::CompiledWorkflow workflow;
  workflow.declared.set("assessments", parsed(R"([
    {"id":"quality","purpose":"How good it is","dimensions":[
      {"id":"depth","purpose":"How deep","levels":["low","high"]},
      {"id":"style","purpose":"How neat","levels":["low","high"],"required":false}]},
    {"id":"risk","purpose":"What may break","dimensions":[
      {"id":"harm","purpose":"How bad","levels":["low","high"]}]}])"));
  return workflow;
}

workflow::Step judged_step(std::string_view refs, std::string_view consequences = {}) {
  workflow::Step step = workflow::prompt_step("a", "A", "Do it.");
  workflow::testing::set_field(step, "assessmentRefs", parsed(refs));
  if (!consequences.empty()) {
    workflow::testing::set_field(step, "assessmentConsequences", parsed(consequences));
  }
  return step;
}

Assessment quality(std::string depth) { return {"quality", {{"depth", depth, ""}}, "", {}}; }

constexpr std::string_view look_again =
    R"([{"when":{"anyEqualsLevel":"low"},"effect":{"kind":"require_followup",
         "guidance":"Look again."}}])";

TEST(assessments, a_step_without_any_asks_for_nothing) {
  const workflow::Step step = workflow::prompt_step("a", "A", "Do it.");
  const AssessmentCheck checked = check_assessments(judged_workflow(), step, {quality("low")}, {});
  EXPECT_THAT(checked.findings, IsEmpty());
  EXPECT_THAT(checked.judged, IsEmpty());
  EXPECT_THAT(describe_assessments(judged_workflow(), step), IsEmpty());
  EXPECT_THAT(example_assessments(judged_workflow(), step), IsEmpty());
}

TEST(assessments, each_that_the_step_names_is_required) {
  const AssessmentCheck checked = check_assessments(
      judged_workflow(), judged_step(R"(["quality","risk"])"), {quality("high")}, {});
  ASSERT_THAT(checked.findings, SizeIs(1));
  EXPECT_EQ(checked.findings[0].reason, Reason::missing_required_output);
  EXPECT_EQ(checked.findings[0].pointer, (Pointer{PointerKind::output_contract, "assessment"}));
  EXPECT_THAT(checked.findings[0].message, HasSubstr("\"risk\""));
  EXPECT_THAT(checked.judged, ElementsAre(quality("high")));
}

TEST(assessments, dimensions_and_levels_are_those_declared) {
  const AssessmentCheck checked = check_assessments(
      judged_workflow(), judged_step(R"(["quality"])"),
      {{"quality", {{"width", "high", ""}, {"style", "middling", ""}}, "", {}}}, {});
  ASSERT_THAT(checked.findings, SizeIs(1));
  const Finding& found = checked.findings[0];
  EXPECT_EQ(found.reason, Reason::invalid_required_output);
  EXPECT_THAT(found.message, HasSubstr("there is no dimension \"width\""));
  EXPECT_THAT(found.message,
              HasSubstr("the level \"middling\" of \"style\" is not one of low, high"));
  EXPECT_THAT(found.message, HasSubstr("the dimension \"depth\" is missing"));
  EXPECT_THAT(checked.judged, IsEmpty());
}

TEST(assessments, the_last_one_of_an_id_counts) {
  EXPECT_THAT(check_assessments(judged_workflow(), judged_step(R"(["quality"])"),
                                {quality("low"), quality("high")}, {})
                  .judged,
              ElementsAre(quality("high")));
}

TEST(assessments, a_level_with_a_consequence_asks_for_the_follow_up_once) {
  const workflow::Step step = judged_step(R"(["quality"])", look_again);
  const AssessmentCheck first = check_assessments(judged_workflow(), step, {quality("low")}, {});
  ASSERT_THAT(first.findings, SizeIs(1));
  EXPECT_THAT(first.findings[0].message, HasSubstr("Look again."));
  ASSERT_THAT(first.judged, SizeIs(1));
  EXPECT_THAT(first.judged[0].guidance, ElementsAre("Look again."));
  EXPECT_THAT(first.gaps, IsEmpty());

  const AssessmentCheck again =
      check_assessments(judged_workflow(), step, {quality("low")}, first.judged);
  EXPECT_THAT(again.findings, IsEmpty());
  EXPECT_THAT(again.judged, ElementsAre(quality("low")));
  ASSERT_THAT(again.gaps, SizeIs(1));
  EXPECT_EQ(again.gaps[0].severity, GapSeverity::warning);

  const AssessmentCheck better =
      check_assessments(judged_workflow(), step, {quality("high")}, first.judged);
  EXPECT_THAT(better.findings, IsEmpty());
  EXPECT_THAT(better.gaps, IsEmpty());
}

TEST(assessments, a_consequence_may_be_of_one_assessment_only) {
  const workflow::Step step =
      judged_step(R"(["quality","risk"])",
                  R"([{"when":{"anyEqualsLevel":"high","forAssessment":"risk"},
           "effect":{"kind":"require_followup","guidance":"Lower it."}}])");
  const Assessment calm{"risk", {{"harm", "low", ""}}, "", {}};
  const Assessment wild{"risk", {{"harm", "high", ""}}, "", {}};
  EXPECT_THAT(check_assessments(judged_workflow(), step, {quality("high"), calm}, {}).findings,
              IsEmpty());
  EXPECT_THAT(check_assessments(judged_workflow(), step, {quality("high"), wild}, {}).findings,
              SizeIs(1));
}

TEST(assessments, prompt_lists_dimensions_and_the_example_would_pass) {
  const workflow::Step step = judged_step(R"(["quality","risk"])");
  EXPECT_THAT(
      describe_assessments(judged_workflow(), step),
      ElementsAre("An artifact of kind baton.assessment with assessmentId quality: How good "
                  "it is\n  - depth (low, high): How deep\n  - style (low, high; "
                  "optional): How neat",
                  "An artifact of kind baton.assessment with assessmentId risk: What may "
                  "break\n  - harm (low, high): How bad"));
  const Signals signals =
      read_artifacts(*filled(example_assessments(judged_workflow(), step)).if_array());
  EXPECT_THAT(signals.bad, IsEmpty());
  EXPECT_THAT(check_assessments(judged_workflow(), step, signals.assessments, {}).findings,
              IsEmpty());
}

}  // namespace
}  // namespace baton::run
