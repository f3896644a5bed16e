#include "run/steps/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "run/checks/slots.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using json::Value;
using ::testing::HasSubstr;

workflow::Step step_of(std::string_view keys) {
  return testing::yaml_workflow(cat("{id: w, steps: [{id: a, ", keys, "}]}")).workflow.steps[0];
}

/// The value that a text becomes, or what is wrong with it.
Value read(std::string_view keys, const std::optional<Value>& sent,
           const std::optional<std::string>& notes = std::nullopt) {
  const StepResult out = read_result(step_of(keys), "a", sent, notes);
  if (!out.findings.empty()) return cat("wrong: ", out.findings.front().message);
  return out.value.value_or(Value("nothing"));
}

TEST(step_result, answers_become_the_type_that_is_asked_for) {
  const std::string_view number = "type: user_input, prompt: p, input_type: number";
  EXPECT_EQ(read(number, Value(" 4.5 ")), Value(4.5));
  EXPECT_EQ(read(number, Value(3)), Value(3));
  EXPECT_EQ(read(number, std::nullopt, "7"), Value(7));
  EXPECT_THAT(*read(number, Value("many")).if_string(), HasSubstr("expected number"));
  const std::string_view whole = "type: user_input, prompt: p, input_type: integer";
  EXPECT_THAT(*read(whole, Value("1.5")).if_string(), HasSubstr("expected integer"));
  const std::string_view flag = "type: user_input, prompt: p, input_type: boolean";
  EXPECT_EQ(read(flag, Value("Yes")), Value(true));
  EXPECT_EQ(read(flag, Value("n")), Value(false));
  EXPECT_EQ(read(flag, Value(true)), Value(true));
  EXPECT_THAT(*read(flag, Value("perhaps")).if_string(), HasSubstr("expected boolean"));
  EXPECT_EQ(read("type: user_input, prompt: p", Value(12)), Value("12"));
}

TEST(step_result, a_choice_is_one_of_the_choices) {
  const std::string_view keys =
      "type: user_input, prompt: p, input_type: choice, choices: [Red, green, 3]";
  EXPECT_EQ(read(keys, Value("Red")), Value("Red"));
  EXPECT_EQ(read(keys, Value(" GREEN ")), Value("green"));
  EXPECT_EQ(read(keys, Value("3")), Value(3));
  EXPECT_THAT(*read(keys, Value("blue")).if_string(), HasSubstr("the answer is not valid"));
}

TEST(step_result, rules_of_an_answer_are_checked_and_told_in_the_words_of_the_workflow) {
  const std::string_view keys =
      "type: user_input, prompt: p, validation: {pattern: '^v[0-9]+$', error_message: A version}";
  EXPECT_EQ(read(keys, Value("v12")), Value("v12"));
  EXPECT_THAT(*read(keys, Value("twelve")).if_string(), HasSubstr("A version ("));
  const std::string_view bounded =
      "type: user_input, prompt: p, input_type: number, validation: {min: 1, max: 3}";
  EXPECT_EQ(read(bounded, Value(3)), Value(3));
  EXPECT_THAT(*read(bounded, Value(4)).if_string(), HasSubstr("wrong"));
}

TEST(step_result, without_an_answer_the_default_counts_and_without_that_the_user_is_needed) {
  EXPECT_EQ(read("type: user_input, prompt: p, default: main", std::nullopt), Value("main"));
  EXPECT_EQ(read("type: user_input, prompt: p, default: main", std::nullopt, "  "), Value("main"));
  const StepResult none =
      read_result(step_of("type: user_input, prompt: p"), "a", std::nullopt, std::nullopt);
  EXPECT_EQ(none.findings.at(0).reason, Reason::needs_user_choice);
}

TEST(step_result, output_of_a_command_is_read_in_its_format) {
  const auto keys = [](std::string_view format) {
    return cat("type: agent_shell_command, command: x, output_format: ", format);
  };
  EXPECT_EQ(read(keys("lines"), Value("a\nb\n")), Value(Array{"a", "b"}));
  EXPECT_EQ(read(keys("lines"), Value(Array{"a"})), Value(Array{"a"}));
  EXPECT_EQ(read(keys("json"), Value("{\"n\": 1}")), Value(Object{{"n", 1}}));
  EXPECT_EQ(read(keys("key_value"), std::nullopt, "A=1"), Value(Object{{"A", "1"}}));
  EXPECT_EQ(read(keys("text"), Value("done\n")), Value("done"));
  EXPECT_THAT(*read(keys("json"), Value("not so")).if_string(), HasSubstr("wrong"));
  EXPECT_THAT(*read(keys("lines"), Value(3)).if_string(), HasSubstr("must be lines"));
}

TEST(step_result, a_result_that_is_written_somewhere_must_come) {
  const std::string_view stored = "type: mcp_call, tool: t, store_result: raw.x";
  EXPECT_THAT(*read(stored, std::nullopt).if_string(), HasSubstr("written to raw.x"));
  EXPECT_EQ(read(stored, Value(Object{{"k", 1}})), Value(Object{{"k", 1}}));
  EXPECT_EQ(read("type: mcp_call, tool: t", std::nullopt), Value("nothing"));
}

TEST(step_result, what_a_prompt_expects_is_a_schema) {
  const std::string_view keys =
      "prompt: p, expected_response: {type: object, required: [n], properties: {n: {type: "
      "integer}}}";
  EXPECT_EQ(read(keys, Value(Object{{"n", 1}})), Value(Object{{"n", 1}}));
  EXPECT_EQ(read(keys, std::nullopt, "{\"n\": 2}"), Value(Object{{"n", 2}}));
  EXPECT_THAT(*read(keys, Value(Object{{"m", 1}})).if_string(), HasSubstr("is not valid"));
  EXPECT_THAT(*read(keys, std::nullopt).if_string(), HasSubstr("requires a result"));
}

TEST(step_result, no_example_is_an_answer_of_the_user) {
  for (const std::string_view keys :
       {"type: user_input, prompt: p, input_type: number",
        "type: user_input, prompt: p, input_type: boolean",
        "type: user_input, prompt: p, input_type: choice, choices: [x, y]"}) {
    const workflow::Step step = step_of(keys);
    const StepResult out = read_result(step, "a", example_result(step), std::nullopt);
    EXPECT_FALSE(out.findings.empty()) << keys;
  }
}

TEST(step_result, examples_of_other_steps_are_of_the_right_form) {
  for (const std::string_view keys :
       {"type: apply_hints, file: f, hints: []", "type: mcp_call, tool: t",
        "type: agent_shell_command, command: x, output_format: json",
        "type: agent_shell_command, command: x, output_format: lines"}) {
    const workflow::Step step = step_of(keys);
    const StepResult out = read_result(step, "a", filled(*example_result(step)), std::nullopt);
    EXPECT_TRUE(out.findings.empty()) << keys;
  }
}

}  // namespace
}  // namespace baton::run
