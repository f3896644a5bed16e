#include "run/checks/artifacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/gate_limits.h"
#include "base/testing/json_generator.h"
#include "run/checks/slots.h"
#include "workflow/check/closed_sets.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

json::Value parsed(std::string_view text) { return MUST(json::parse(text)); }

Signals read_one(std::string_view text, std::string_view expected = {}) {
  return read_artifacts(Array{parsed(text)}, expected);
}

TEST(artifacts, loop_control_is_read_in_both_spellings) {
  for (const std::string_view text :
       {R"({"kind":"baton.loop_control","decision":"continue","loopId":"outer"})",
        R"({"kind":"wr.loop_control","decision":"continue","loopId":"outer","metadata":{}})"}) {
    const Signals signals = read_one(text);
    ASSERT_THAT(signals.loop_controls, SizeIs(1)) << text;
    EXPECT_EQ(signals.loop_controls[0], (LoopControl{"outer", LoopDecision::go_on}));
  }
  EXPECT_EQ(read_one(R"({"kind":"wr.loop_control","decision":"stop"})").loop_controls.at(0),
            (LoopControl{"", LoopDecision::stop}));
}

TEST(artifacts, every_capability_status_and_provenance_is_read) {
  for (const std::string_view capability : names<Capability>()) {
    for (const std::string_view status : names<CapabilityStatus>()) {
      for (const std::string_view provenance : names<Provenance>()) {
        const Signals signals =
            read_artifacts(Array{Object{{"kind", "baton.capability_observation"},
                                        {"capability", capability},
                                        {"status", status},
                                        {"provenance", provenance},
                                        {"failureCode", "E1"}}});
        ASSERT_THAT(signals.bad, IsEmpty());
        ASSERT_THAT(signals.observations, SizeIs(1));
        EXPECT_EQ(name_of(signals.observations[0].capability), capability);
        EXPECT_EQ(name_of(signals.observations[0].status), status);
        EXPECT_EQ(name_of(signals.observations[0].provenance), provenance);
        EXPECT_EQ(signals.observations[0].failure_code, "E1");
      }
    }
  }
}

TEST(artifacts, a_failed_use_says_how_it_failed) {
  const Signals signals =
      read_one(R"({"kind":"baton.capability_observation","capability":"web_browsing",)"
               R"("status":"unavailable","provenance":"attempted_use"})");
  ASSERT_THAT(signals.bad, SizeIs(1));
  EXPECT_THAT(signals.bad[0].message, HasSubstr("failureCode"));
}

TEST(artifacts, every_divergence_reason_is_read) {
  for (const std::string_view reason : names<DivergenceReason>()) {
    const Signals signals = read_artifacts(Array{Object{{"kind", "wr.divergence"},
                                                        {"reason", reason},
                                                        {"summary", "left out"},
                                                        {"relatedStepId", "b"}}});
    ASSERT_THAT(signals.divergences, SizeIs(1)) << reason;
    EXPECT_EQ(signals.divergences[0],
              (DivergenceRecorded{{}, {}, *from_name<DivergenceReason>(reason), "left out", "b"}));
  }
}

TEST(artifacts, every_need_of_the_user_is_read) {
  for (const std::string_view need : names<Reason>()) {
    // What waits at a gate is asked by the server; no artifact reports it.
    const bool is_users =
        category_of(*from_name<Reason>(need)) == GapCategory::user_only_dependency &&
        !need.starts_with("gate_");
    const Signals signals = read_artifacts(
        Array{Object{{"kind", "baton.user_dependency"}, {"need", need}, {"summary", "the key"}}});
    EXPECT_EQ(signals.dependencies.size(), is_users ? 1U : 0U) << need;
    EXPECT_EQ(signals.bad.size(), is_users ? 0U : 1U) << need;
  }
}

TEST(artifacts, resolutions_and_assessments_are_read) {
  EXPECT_EQ(read_one(R"({"kind":"baton.gap_resolution","gapId":"gap1","summary":"found it"})")
                .resolutions.at(0),
            (GapResolved{{}, {}, "gap1", "found it"}));
  EXPECT_EQ(read_one(R"({"kind":"baton.assessment","assessmentId":"q","summary":"fair",)"
                     R"("dimensions":[{"id":"depth","level":"low","rationale":"thin"}]})")
                .assessments.at(0),
            (Assessment{"q", {{"depth", "low", "thin"}}, "fair", {}}));
}

TEST(artifacts, other_kinds_and_things_without_a_kind_are_left_alone) {
  for (const std::string_view text :
       {R"({"kind":"report"})", R"({"kind":"wr.review_verdict"})", R"({"kind":7})", R"({"a":1})",
        R"("text")", "null", R"({"kind":"loop_control"})", R"({"kind":"assessment"})"}) {
    EXPECT_EQ(read_one(text), Signals{}) << text;
  }
}

TEST(artifacts, the_expected_contract_may_leave_its_namespace_out) {
  const std::string_view text = R"({"kind":"loop_control","decision":"stop"})";
  EXPECT_THAT(read_one(text).loop_controls, IsEmpty());
  EXPECT_THAT(read_one(text, "loop_control").loop_controls, SizeIs(1));
  EXPECT_THAT(read_one(text, "assessment").loop_controls, IsEmpty());
}

TEST(artifacts, of_an_unknown_contract_any_artifact_of_its_kind_is_one) {
  for (const std::string_view kind :
       {"wr.review_verdict", "baton.review_verdict", "review_verdict"}) {
    const json::Array sent{json::Object{{"kind", kind}, {"more", json::Array{1, 2}}}};
    EXPECT_EQ(read_artifacts(sent, "review_verdict").expected_count, 1u) << kind;
    EXPECT_TRUE(read_artifacts(sent, "review_verdict").bad.empty()) << kind;
    EXPECT_EQ(read_artifacts(sent, "loop_control").expected_count, 0u) << kind;
  }
  const json::Array other{json::Object{{"kind", "acme.report"}}};
  EXPECT_EQ(read_artifacts(other, "acme.report").expected_count, 1u);
  EXPECT_EQ(read_artifacts(other, "review_verdict").expected_count, 0u);
  EXPECT_EQ(*example_of("review_verdict").find("kind"), json::Value("wr.review_verdict"));
  EXPECT_EQ(*example_of("acme.report").find("kind"), json::Value("acme.report"));
}

TEST(artifacts, dimensions_of_an_assessment_may_be_named_by_their_ids) {
  const json::Array sent{json::Object{
      {"kind", "wr.assessment"},
      {"assessmentId", "q"},
      {"dimensions",
       json::Object{{"depth", "high"},
                    {"width", json::Object{{"level", "low"}, {"rationale", "it is narrow"}}}}}}};
  const Signals signals = read_artifacts(sent);
  ASSERT_EQ(signals.assessments.size(), 1u);
  ASSERT_EQ(signals.assessments[0].dimensions.size(), 2u);
  EXPECT_EQ(signals.assessments[0].dimensions[0].level, "high");
  EXPECT_EQ(signals.assessments[0].dimensions[1].rationale, "it is narrow");
}

TEST(artifacts, a_misspelled_kind_is_an_error_with_the_right_one) {
  const auto checked = check_artifacts(read_one(R"({"kind":"wr.loop_contrl","decision":"stop"})"));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, Code::INVALID_INPUT);
  EXPECT_THAT(checked.error().message, HasSubstr("did you mean \"wr.loop_control\"?"));
  EXPECT_THAT(check_artifacts(read_one(R"({"kind":"baton.verdict"})")).error().message,
              HasSubstr("Baton's kinds are baton.assessment, "));
}

TEST(artifacts, a_wrong_form_is_an_error_that_names_the_field_and_gives_an_example) {
  const Signals signals = read_artifacts(
      Array{Object{{"kind", "report"}},
            parsed(R"({"kind":"baton.loop_control","decision":"maybe","extra":1})")});
  const auto checked = check_artifacts(signals);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("artifacts[1]: "));
  EXPECT_THAT(checked.error().message, HasSubstr("/decision"));
  EXPECT_THAT(checked.error().message, HasSubstr("extra"));
  EXPECT_THAT(checked.error().next.text(), HasSubstr(R"({"kind":"baton.loop_control")"));
}

TEST(artifacts, the_output_that_a_step_requires_is_judged_and_no_error) {
  const Signals signals = read_one(R"({"kind":"baton.loop_control"})", "loop_control");
  EXPECT_THAT(signals.bad, SizeIs(1));
  EXPECT_TRUE(check_artifacts(signals, "loop_control"));
  EXPECT_FALSE(check_artifacts(signals, "assessment"));
}

TEST(artifacts, every_contract_has_an_example_that_names_its_kind) {
  for (const workflow::Contract& contract : workflow::contracts()) {
    const json::Value example = example_of(contract.id);
    EXPECT_EQ(contract_of_kind(*example.find("kind")->if_string()), contract.id) << contract.id;
  }
}

/// Values that are often of the right form, and often nearly so.
TEST(artifacts, the_choice_of_a_confirmation_is_bounded) {
  const auto bad = [](std::size_t bytes) {
    return read_artifacts({Object{{"kind", confirmation_kind},
                                  {"words", "Yes, do it."},
                                  {"choice", std::string(bytes, 'x')}}})
        .bad.size();
  };
  EXPECT_EQ(bad(limits::gate_choice_bytes_max), 0u);
  EXPECT_EQ(bad(limits::gate_choice_bytes_max + 1), 1u);
}

template <class Choose>
json::Value any_artifact(Choose& choose) {
  const auto contracts = workflow::contracts();
  json::Value artifact = filled(example_of(contracts[choose(contracts.size())].id));
  Object& object = *artifact.if_object();
  if (choose(3) == 0) object.set("kind", choose(2) == 0 ? "wr.loop_control" : "loop_control");
  if (choose(3) == 0) object.set("summary", json::testing::any_value(choose, 1));
  if (choose(3) == 0) object.erase("decision");
  if (choose(3) == 0) object.set(json::testing::any_string(choose), 1);
  return artifact;
}

RC_GTEST_PROP(artifacts, each_artifact_is_read_once_or_bad_or_left_alone, ()) {
  json::testing::ShrinkingChoices choose;
  Array artifacts;
  for (std::size_t left = choose(5); left > 0; --left) artifacts.push_back(any_artifact(choose));
  std::size_t known = 0;
  for (const json::Value& each : artifacts) {
    const json::Value* kind = each.find("kind");
    known += contract_of_kind(*kind->if_string()).empty() ? 0 : 1;
  }
  const Signals signals = read_artifacts(artifacts);
  const std::size_t read = signals.loop_controls.size() + signals.observations.size() +
                           signals.divergences.size() + signals.resolutions.size() +
                           signals.assessments.size() + signals.dependencies.size();
  RC_ASSERT(read + signals.bad.size() == known);
  RC_ASSERT(check_artifacts(signals).has_value() == signals.bad.empty());
}

}  // namespace
}  // namespace baton::run
