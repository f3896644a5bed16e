#include "workflow/read_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace baton::workflow {
namespace {

using testing::HasSubstr;

std::string step_text(std::size_t number) {
  return cat(R"({"id":"s)", number, R"(","prompt":"do it"})");
}

std::string with_steps(std::size_t count) {
  std::string text = R"({"id":"many","steps":[)";
  for (std::size_t i = 0; i < count; ++i) text += cat(i == 0 ? "" : ",", step_text(i));
  return text + "]}";
}

std::string problem_of(std::string_view text) {
  const auto read = read_json(text, "w.json");
  if (read) return "ok";
  EXPECT_EQ(read.error().code, Code::WORKFLOW_INVALID);
  return read.error().message;
}

TEST(read_json, least_workflow_gets_the_defaults) {
  const auto workflow = read_json(R"({"id":"w","steps":[{"id":"a","prompt":"p"}]})", "w.json");
  ASSERT_TRUE(workflow);
  EXPECT_EQ(*workflow, (CompiledWorkflow{.id = "w",
                                         .name = "w",
                                         .description = "",
                                         .version = "0",
                                         .tags = {},
                                         .steps = {{"a", "a", "p", false, std::nullopt}}}));
}

TEST(read_json, every_key_is_taken) {
  const auto workflow = read_json(
      R"({"$schema":"x","baton":1,"id":"w","name":"N","title":"T","description":"D",
          "version":"2","tags":["t","u"],"steps":[{"id":"a","type":"prompt","title":"A",
          "prompt":"p","requireConfirmation":true,"agentRole":"r"}]})",
      "w.json");
  ASSERT_TRUE(workflow);
  EXPECT_EQ(*workflow,
            (CompiledWorkflow{"w", "N", "D", "2", {"t", "u"}, {{"a", "A", "p", true, "r"}}}));
}

TEST(read_json, title_stands_in_for_a_missing_name) {
  EXPECT_EQ(read_json(R"({"id":"w","title":"T","steps":[{"id":"a","prompt":"p"}]})", "f")->name,
            "T");
}

TEST(read_json, all_mistakes_are_reported_at_once) {
  const std::string problem = problem_of(
      R"({"idd":"w","name":3,"tags":[1],"steps":[
          {"id":"a b","prompt":"p"},
          {"id":"x","promt":"p"},
          {"id":"x","prompt":"","requireConfirmation":"yes","agentRole":""},
          {"type":"loop","id":"y","prompt":"p"},
          7]})");
  for (const std::string_view part :
       {"w.json: ", "workflow: unknown key \"idd\", did you mean \"id\"?", "\"id\" is missing",
        "\"name\" must be a string", "\"tags\" must be an array of strings",
        "steps[0]: \"id\" may hold letters", "steps[1]: unknown key \"promt\"",
        "did you mean \"prompt\"?", "steps[1]: \"prompt\" is missing",
        "steps[2]: the id \"x\" is taken", "steps[2]: \"prompt\" is empty",
        "steps[2]: \"requireConfirmation\" must be true or false",
        "steps[2]: \"agentRole\" is empty", "steps[3]: there is no step type \"loop\"",
        "steps[4]: must be an object"}) {
    EXPECT_THAT(problem, HasSubstr(part));
  }
}

TEST(read_json, file_that_is_no_object_is_refused) {
  for (const std::string_view text : {"", "[]", "3", "{", R"({"id":"w","id":"w"})"}) {
    EXPECT_THAT(problem_of(text), HasSubstr("w.json: ")) << text;
  }
}

TEST(read_json, workflow_without_steps_is_refused) {
  for (const std::string_view steps : {R"("steps":[])", R"("steps":{})", R"("name":"n")"}) {
    EXPECT_THAT(problem_of(cat(R"({"id":"w",)", steps, "}")), HasSubstr("at least one step"));
  }
}

// Enforces: G9
TEST(read_json, steps_are_bounded) {
  EXPECT_EQ(problem_of(with_steps(limits::workflow_steps_max)), "ok");
  EXPECT_THAT(problem_of(with_steps(limits::workflow_steps_max + 1)),
              HasSubstr(cat("more than ", limits::workflow_steps_max, " steps")));
}

// Enforces: G9
TEST(read_json, size_is_bounded) {
  std::string text = with_steps(1);
  text.resize(limits::workflow_bytes_max, ' ');
  EXPECT_EQ(problem_of(text), "ok");
  EXPECT_NE(problem_of(text + " "), "ok");
}

// Enforces: G9
TEST(read_json, names_are_bounded) {
  const auto with_ids = [](std::size_t workflow, std::size_t step) {
    return cat(R"({"id":")", std::string(workflow, 'w'), R"(","steps":[{"id":")",
               std::string(step, 's'), R"(","prompt":"p"}]})");
  };
  constexpr std::size_t most = limits::workflow_name_bytes_max;
  EXPECT_EQ(problem_of(with_ids(most, most)), "ok");
  EXPECT_THAT(problem_of(with_ids(most + 1, most)), HasSubstr("workflow: \"id\""));
  EXPECT_THAT(problem_of(with_ids(most, most + 1)), HasSubstr("steps[0]: \"id\""));
}

TEST(read_json, largest_workflow_can_be_pinned_and_read_back) {
  // Each step's prompt is of characters that take most room when they are written canonically.
  std::string text = R"({"id":"w","steps":[{"id":"a","prompt":")";
  while (text.size() + 10 < limits::workflow_bytes_max) text += "\\u0001";
  text += "\"}]}";
  const auto workflow = read_json(text, "w.json");
  ASSERT_TRUE(workflow) << workflow.error().message;
  const Pinned pinned = pin(*workflow).value();
  const auto back = unpin(pinned.text, pinned.hash);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->workflow, *workflow);
}

}  // namespace
}  // namespace baton::workflow
