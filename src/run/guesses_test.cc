#include "run/guesses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace baton::run
