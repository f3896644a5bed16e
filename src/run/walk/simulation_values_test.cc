#include "run/walk/simulation_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using json::Value;
using ::testing::ElementsAre;

workflow::CompiledWorkflow workflow_of(std::string_view steps) {
  return testing::yaml_workflow(std::string("id: w\nname: W\n").append(steps)).workflow;
}

TEST(guesses, values_decide_a_condition_both_ways) {
  const Guesses found = guesses_of(workflow_of(R"(
steps:
  - {id: a, prompt: A., runCondition: {var: mode, equals: quick}}
  - {id: b, prompt: B., runCondition: {not: {and: [{var: size, gt: 3}, {var: seen}]}}}
)"));
  EXPECT_THAT(found.at("mode"), ElementsAre(Value("quick"), Value("quick not")));
  EXPECT_THAT(found.at("size"), ElementsAre(Value(3.0), Value(4.0), Value(2.0)));
  EXPECT_THAT(found.at("seen"), ElementsAre(Value(true), Value(false)));
  EXPECT_EQ(found.size(), 3u);
}

TEST(guesses, loops_get_lists_and_counts_and_keep_their_own_names) {
  const Guesses found = guesses_of(workflow_of(R"(
steps:
  - id: each
    type: loop
    loop: {type: forEach, items: files, itemVar: file, maxIterations: 5}
    body:
      - {id: a, prompt: A., runCondition: {var: file, equals: x}}
)"));
  EXPECT_THAT(found.at("files"),
              ElementsAre(Value(Array{"one"}), Value(Array{}), Value(Array{"one", "two"})));
  EXPECT_FALSE(found.contains("file"));
}

TEST(guesses, path_is_guessed_as_the_object_that_has_it) {
  const Guesses found = guesses_of(workflow_of(R"(
steps:
  - {id: a, prompt: A., runCondition: {var: report.lines, equals: 1}}
)"));
  EXPECT_THAT(found.at("report"),
              ElementsAre(Value(Object{{"lines", 1}}), Value(Object{{"lines", 2}})));
}

TEST(guesses, inputs_without_a_default_are_missing_until_given) {
  const workflow::CompiledWorkflow workflow = workflow_of(R"(
inputs:
  a: {type: array, required: true}
  b: {type: string, required: true, default: x}
  c: {type: integer, required: false}
steps:
  - {id: s, prompt: S.}
)");
  EXPECT_THAT(missing_inputs(workflow, {}), ElementsAre("a"));
  EXPECT_THAT(missing_inputs(workflow, {{"a", Array{}}}), ::testing::IsEmpty());
  EXPECT_EQ(made_up_input(Object{{"type", "array"}}), Value(Array{"one"}));
  EXPECT_EQ(made_up_input(Object{{"type", "integer"}}), Value(1));
  EXPECT_EQ(made_up_input(Object{}), Value("made up"));
}

TEST(guesses, every_choice_of_a_person_is_tried) {
  using json::Array;
  Pending pending;
  pending.kind = workflow::StepKind::user_input;
  pending.definition = {{"choices", Array{"x", "y"}}};
  EXPECT_EQ(guessed_results(pending, "?"),
            (std::vector<std::vector<Value>>{{Value("x"), Value("y")}}));
  pending.definition = {{"input_type", "integer"}, {"validation", json::Object{{"min", 4}}}};
  EXPECT_EQ(guessed_results(pending, "?"), (std::vector<std::vector<Value>>{{Value(4)}}));
}

TEST(guesses, a_result_of_any_type_is_among_those_tried) {
  Pending pending;
  pending.kind = workflow::StepKind::mcp_call;
  const auto groups = guessed_results(pending, "<it>");
  EXPECT_EQ(groups.front(), std::vector{Value("<it>")});
  std::set<json::Type> types;
  for (const auto& group : groups) types.insert(group.front().type());
  EXPECT_EQ(types.size(), 5u);
}

}  // namespace
}  // namespace baton::run
