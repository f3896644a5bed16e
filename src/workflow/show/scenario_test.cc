#include "workflow/show/scenario.h"

#include <gtest/gtest.h>

namespace baton::workflow {
namespace {

std::optional<ScenarioFile> read(std::string text) {
  Findings findings;
  return read_scenarios({"w.test.yaml", std::move(text)}, findings);
}

TEST(scenario, answer_is_the_steps_own_else_that_of_its_key_else_that_of_its_id) {
  const auto file = read(R"(
workflow: w
answers:
  look: {notes: any}
  loop@1::look: {notes: second}
scenarios:
  - name: a
    steps:
      - loop@0::look
      - loop@1::look
      - {step: loop@2::look, context: {own: true}}
      - {step: loop@3::look, shows: it}
      - other
)");
  ASSERT_TRUE(file);
  const std::vector<ScenarioStep>& steps = file->scenarios.at(0).steps;
  EXPECT_EQ(steps[0].answer.notes, "any");
  EXPECT_EQ(steps[1].answer.notes, "second");
  EXPECT_EQ(steps[2].answer.notes, std::nullopt);
  EXPECT_EQ(steps[3].answer.notes, "any");
  EXPECT_EQ(steps[4].answer.notes, std::nullopt);
  EXPECT_EQ(steps[1].at.line, 10u);
}

TEST(scenario, refused_start_has_no_steps) {
  EXPECT_TRUE(read("workflow: w\nscenarios: [{name: a, error: INVALID_INPUT}]\n"));
  EXPECT_FALSE(read("workflow: w\nscenarios: [{name: a, error: INVALID_INPUT, steps: [b]}]\n"));
}

TEST(scenario, file_without_scenarios_is_refused) {
  EXPECT_FALSE(read("workflow: w\nscenarios: []\n"));
  EXPECT_FALSE(read("workflow: w\n"));
  EXPECT_FALSE(read("scenarios: [{name: a}]\n"));
}

TEST(scenario, files_are_known_by_their_ending) {
  EXPECT_TRUE(is_scenario_file("w.test.yaml"));
  EXPECT_TRUE(is_scenario_file("w.test.yml"));
  EXPECT_FALSE(is_scenario_file("w.yaml"));
  EXPECT_FALSE(is_scenario_file("test.yaml"));
}

}  // namespace
}  // namespace baton::workflow
