#include "run/checks/output_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/checks/slots.h"
#include "workflow/check/closed_sets.h"
#include "workflow/testing/step_fields.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

bool always(const json::Value&) { return true; }

workflow::Step step_with(Object fields) {
  return workflow::testing::with_fields(workflow::prompt_step("a", "A", "Do it."), fields);
}

Object contract(std::string_view name, bool required = true) {
  return {{"outputContract", Object{{"contract", name}, {"required", required}}}};
}

OutputCheck check(const workflow::Step& step, const Array& artifacts,
                  const std::optional<std::string>& notes = std::nullopt) {
  const OutputRules rules = output_rules(step);
  return check_output(rules, read_artifacts(artifacts, rules.contract), notes, always);
}

/// An artifact of that contract that is of its form.
json::Value good_artifact(std::string_view name) { return filled(example_of(name)); }

TEST(output_check, a_step_that_requires_nothing_is_not_checked) {
  const OutputCheck checked = check(step_with({}), {}, "anything");
  EXPECT_FALSE(checked.was_checked);
  EXPECT_THAT(checked.findings, IsEmpty());
}

TEST(output_check, every_contract_takes_its_artifact_and_misses_it) {
  for (const workflow::Contract& each : workflow::contracts()) {
    const workflow::Step step = step_with(contract(each.id));
    const OutputCheck good = check(step, Array{good_artifact(each.id)});
    EXPECT_TRUE(good.was_checked);
    EXPECT_EQ(good.contract, each.id);
    EXPECT_THAT(good.findings, IsEmpty()) << each.id;

    const OutputCheck missing = check(step, {}, "notes are no artifact");
    ASSERT_THAT(missing.findings, SizeIs(1)) << each.id;
    EXPECT_EQ(missing.findings[0].reason, Reason::missing_required_output);
    EXPECT_EQ(missing.findings[0].pointer,
              (Pointer{PointerKind::output_contract, std::string(each.id)}));
    EXPECT_THAT(missing.findings[0].fix, HasSubstr(R"({"kind":"baton.)"));
  }
}

TEST(output_check, a_wrong_form_of_the_required_artifact_is_found_with_its_field) {
  const OutputCheck checked =
      check(step_with(contract("loop_control")),
            Array{Object{{"kind", "baton.loop_control"}, {"decision", "perhaps"}}});
  ASSERT_THAT(checked.findings, SizeIs(1));
  EXPECT_EQ(checked.findings[0].reason, Reason::invalid_required_output);
  EXPECT_THAT(checked.findings[0].message, HasSubstr("artifacts[0]"));
  EXPECT_THAT(checked.findings[0].message, HasSubstr("/decision"));
  EXPECT_THAT(checked.findings[0].fix, HasSubstr("continue or stop"));
}

TEST(output_check, a_probe_wants_its_own_capability) {
  const workflow::Step step =
      step_with({{"outputContract", Object{{"contract", "capability_observation"},
                                           {"required", true},
                                           {"capability", "web_browsing"}}}});
  json::Value other = good_artifact("capability_observation");
  const OutputCheck checked = check(step, Array{other});
  ASSERT_THAT(checked.findings, SizeIs(1));
  EXPECT_THAT(checked.findings[0].message, HasSubstr("about web_browsing"));
  EXPECT_THAT(checked.findings[0].fix, HasSubstr(R"("capability":"web_browsing")"));
  other.if_object()->set("capability", "web_browsing");
  EXPECT_THAT(check(step, Array{other}).findings, IsEmpty());
}

TEST(output_check, a_required_contract_replaces_the_criteria) {
  Object fields = contract("loop_control");
  fields.set("validationCriteria", Object{{"type", "contains"}, {"value", "x"}});
  const OutputCheck checked =
      check(step_with(fields), Array{good_artifact("loop_control")}, "without it");
  EXPECT_EQ(checked.contract, "loop_control");
  EXPECT_THAT(checked.findings, IsEmpty());
}

TEST(output_check, criteria_count_when_an_optional_artifact_was_left_out) {
  Object fields = contract("loop_control", false);
  fields.set("validationCriteria", Object{{"type", "contains"}, {"value", "x"}});
  const workflow::Step step = step_with(fields);
  EXPECT_THAT(check(step, Array{good_artifact("loop_control")}, "without it").findings, IsEmpty());
  EXPECT_THAT(check(step, {}, "with x").findings, IsEmpty());
  const OutputCheck checked = check(step, {}, "without it");
  EXPECT_EQ(checked.contract, "");
  EXPECT_THAT(checked.findings, SizeIs(1));
}

TEST(output_check, each_broken_rule_is_a_finding) {
  const workflow::Step step = step_with(
      {{"validationCriteria", Object{{"and", Array{Object{{"type", "contains"}, {"value", "x"}},
                                                   Object{{"type", "length"}, {"min", 100}}}}}}});
  const OutputCheck checked = check(step, {}, "short");
  ASSERT_THAT(checked.findings, SizeIs(2));
  for (const Finding& each : checked.findings) {
    EXPECT_EQ(each.reason, Reason::invalid_required_output);
    EXPECT_EQ(each.pointer, (Pointer{PointerKind::output_contract, "validationCriteria"}));
  }
}

TEST(output_check, missing_notes_are_one_finding_that_says_all_that_is_wanted) {
  const workflow::Step step = step_with(
      {{"validationCriteria", Object{{"and", Array{Object{{"type", "contains"}, {"value", "x"}},
                                                   Object{{"type", "length"}, {"min", 100}}}}}}});
  for (const bool is_sent : {false, true}) {
    const OutputCheck checked =
        check(step, {}, is_sent ? std::optional<std::string>("") : std::nullopt);
    ASSERT_THAT(checked.findings, SizeIs(1));
    EXPECT_EQ(checked.findings[0].reason, Reason::missing_required_output);
    EXPECT_THAT(checked.findings[0].fix, HasSubstr("contain \"x\""));
    EXPECT_THAT(checked.findings[0].fix, HasSubstr("at least 100"));
  }
}

TEST(output_check, notes_may_be_left_out_where_nothing_is_asked_of_them) {
  const workflow::Step step = step_with(
      {{"validationCriteria", Object{{"not", Object{{"type", "contains"}, {"value", "x"}}}}}});
  EXPECT_THAT(check(step, {}).findings, IsEmpty());
}

TEST(output_check, the_example_would_pass_once_it_is_filled) {
  Object fields = contract("loop_control", false);
  fields.set("validationCriteria", Object{{"type", "contains"}, {"value", "## Result"}});
  for (const workflow::Step& step : {step_with(contract("loop_control")), step_with(fields)}) {
    const OutputRules rules = output_rules(step);
    const Object example = *filled(example_output(rules, always)).if_object();
    EXPECT_THAT(check(step, *example.find("artifacts")->if_array(),
                      *example.find("notesMarkdown")->if_string())
                    .findings,
                IsEmpty());
    EXPECT_THAT(check(step, {}, *example.find("notesMarkdown")->if_string()).findings,
                SizeIs(rules.is_required ? 1 : 0));
  }
}

TEST(output_check, the_authors_words_for_a_criterion_come_before_the_rule) {
  const workflow::Step step = step_with(
      {{"validationCriteria",
        Object{{"type", "regex"}, {"pattern", "^Verdict:"}, {"message", "Say your verdict"}}}});
  EXPECT_EQ(describe_rules(output_rules(step), always),
            std::vector<std::string>{"Say your verdict. (The notes must match the regular "
                                     "expression /^Verdict:/.)"});
}

TEST(output_check, requirements_say_what_the_artifact_may_contain) {
  const auto lines = describe_rules(output_rules(step_with(contract("loop_control"))), always);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0], HasSubstr("baton.loop_control"));
  EXPECT_THAT(lines[0], HasSubstr("decision continue or stop"));
}

}  // namespace
}  // namespace baton::run
