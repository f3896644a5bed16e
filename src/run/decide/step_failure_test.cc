#include "run/decide/step_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using ::testing::HasSubstr;

/// The consequence when the first step of a workflow fails.
FailureOutcome fails(std::string_view text, const FailureCounts& setbacks = {}) {
  const workflow::Pinned pinned = testing::yaml_workflow(text);
  return failure_outcome(pinned.workflow, pinned.workflow.steps[0], "a", setbacks,
                         {"agent", "no luck"});
}

FailureOutcome step_fails(std::string_view keys, std::int64_t failed = 0) {
  return fails(cat("{id: w, steps: [{id: a, type: mcp_call, tool: t", keys, "}]}"),
               {.step = "a", .failed = failed});
}

TEST(step_failure, a_step_that_says_nothing_fails_the_run) {
  const FailureOutcome failing = step_fails("");
  EXPECT_EQ(failing.consequence, Consequence::fail);
  EXPECT_EQ(failing.error, (StepError{"a", "agent", "no luck"}));
}

TEST(step_failure, each_strategy_of_a_step_has_its_consequence) {
  EXPECT_EQ(step_fails(", on_error: fail").consequence, Consequence::fail);
  const FailureOutcome goes_on = step_fails(", on_error: continue");
  EXPECT_EQ(goes_on.consequence, Consequence::go_on);
  EXPECT_FALSE(goes_on.value);
  const FailureOutcome falls_back =
      step_fails(", error_handling: {strategy: fallback, fallback_value: [1]}");
  EXPECT_EQ(falls_back.consequence, Consequence::go_on);
  EXPECT_EQ(falls_back.value, json::Value(json::Array{1}));
  EXPECT_EQ(step_fails(", error_handling: {strategy: fallback}").value, json::Value());
}

TEST(step_failure, a_step_is_retried_as_often_as_it_says_and_then_falls_back_or_fails) {
  const std::string_view twice = ", error_handling: {strategy: retry, max_retries: 2}";
  EXPECT_EQ(step_fails(twice).consequence, Consequence::retry);
  EXPECT_EQ(step_fails(twice).tries_left, 2);
  EXPECT_EQ(step_fails(twice, 1).tries_left, 1);
  EXPECT_EQ(step_fails(twice, 2).consequence, Consequence::fail);
  const FailureOutcome last =
      step_fails(", error_handling: {strategy: retry, max_retries: 2, fallback_value: x}", 2);
  EXPECT_EQ(last.consequence, Consequence::go_on);
  EXPECT_EQ(last.value, json::Value("x"));
}

TEST(step_failure, failures_of_another_step_do_not_count) {
  const FailureOutcome failing =
      fails("{id: w, steps: [{id: a, type: mcp_call, tool: t, on_error: retry}]}",
            {.step = "b", .failed = 3});
  EXPECT_EQ(failing.tries_left, 3);
}

TEST(step_failure, commands_wait_before_they_are_retried) {
  const FailureOutcome failing = fails(
      "{id: w, steps: [{id: a, type: shell_command, command: x, on_error: retry, "
      "retry_count: 1, retry_delay: 250}]}");
  EXPECT_EQ(failing.delay_ms, 250);
  EXPECT_THAT(blocker_of(failing).suggested_fix, HasSubstr("1 more try: wait 250 ms"));
}

TEST(step_failure, the_workflow_decides_what_its_steps_do_not) {
  const auto by = [](std::string_view strategy, const FailureCounts& setbacks = {}) {
    return fails(cat("{id: w, config: {max_retries: 2}, error_handling: {on_error: ", strategy,
                     "}, steps: [{id: a, prompt: p}]}"),
                 setbacks);
  };
  EXPECT_EQ(by("checkpoint_and_fail").consequence, Consequence::fail);
  EXPECT_EQ(by("continue").consequence, Consequence::go_on);
  EXPECT_EQ(by("retry_workflow").consequence, Consequence::restart);
  EXPECT_EQ(by("retry_workflow", {.step = {}, .restarts = 1}).tries_left, 1);
  EXPECT_EQ(by("retry_workflow", {.step = {}, .restarts = 2}).consequence, Consequence::fail);
  // The results of its on-failure steps do not save a run that is failing.
  const FailureCounts failing{.step = {}, .error = StepError{"a", "agent", "m"}};
  EXPECT_EQ(by("continue", failing).consequence, Consequence::fail);
  EXPECT_EQ(by("retry_workflow", failing).consequence, Consequence::fail);
}

TEST(step_failure, a_step_that_retries_without_a_number_takes_that_of_the_workflow) {
  const FailureOutcome failing = fails(
      "{id: w, config: {max_retries: 7}, steps: [{id: a, type: mcp_call, tool: t, on_error: "
      "retry}]}");
  EXPECT_EQ(failing.tries_left, 7);
}

TEST(step_failure, the_message_has_the_words_of_the_workflow_and_of_the_failure) {
  EXPECT_EQ(step_fails(", error_handling: {error_message: Lint is down}").error.message,
            "Lint is down (no luck)");
}

TEST(step_failure, every_reply_says_what_follows) {
  EXPECT_THAT(warning_of(step_fails("")), HasSubstr("\"a\" failed (no luck); the run fails"));
  EXPECT_THAT(warning_of(step_fails(", on_error: continue")), HasSubstr("without its result"));
  EXPECT_THAT(blocker_of(step_fails(", on_error: retry")).message, HasSubstr("no luck"));
}

}  // namespace
}  // namespace baton::run
