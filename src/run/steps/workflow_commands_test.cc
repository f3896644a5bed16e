#include "run/steps/workflow_commands.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/json/json.h"
#include "workflow/testing/step_fields.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using workflow::CompiledWorkflow;
using workflow::Step;

CompiledWorkflow with(Step step) {
  CompiledWorkflow out;
  out.id = "w";
  out.steps = {workflow::prompt_step("a", "A", "do it"), std::move(step)};
  return out;
}

Step of(workflow::StepBody body) {
  Step out;
  out.id = "b";
  out.body = std::move(body);
  return out;
}

TEST(commands, of_shell_steps_at_any_depth_are_found) {
  EXPECT_FALSE(has_commands(with(workflow::prompt_step("b", "B", "and that"))));
  EXPECT_FALSE(has_commands(with(of(workflow::AgentShellCommand()))));
  const Step shell = of(workflow::ShellCommand());
  EXPECT_TRUE(has_commands(with(shell)));
  Step loop = of(workflow::Loop());
  loop.blocks = {{"body", {shell}}};
  EXPECT_TRUE(has_commands(with(loop)));
}

TEST(commands, that_are_evidence_are_found) {
  Step step = workflow::prompt_step("b", "B", "and that");
  workflow::testing::set_field(step, "evidence", Array{Object{{"file_exists", "x"}}});
  EXPECT_FALSE(has_commands(with(step)));
  workflow::testing::set_field(step, "evidence",
                               Array{Object{{"command", Object{{"argv", Array{"make"}}}}}});
  EXPECT_TRUE(has_commands(with(step)));
}

TEST(commands, of_tasks_and_of_steps_after_a_failure_are_found) {
  CompiledWorkflow workflow = with(workflow::prompt_step("b", "B", "and that"));
  workflow.declared.set("tasks",
                        Object{{"t", Object{{"steps", Array{Object{{"argv", Array{}}}}}}}});
  EXPECT_TRUE(has_commands(workflow));
  workflow.declared.set("tasks", Object{{"t", Object{{"steps", Array{Object{{"id", "x"}}}}}}});
  EXPECT_FALSE(has_commands(workflow));
}

CompiledWorkflow many_places() {
  Step argv = of(workflow::ShellCommand());
  workflow::testing::set_field(argv, "argv", Array{"sh", "check.sh", "./{{ item }}"});
  Step line = of(workflow::ShellCommand());
  workflow::testing::set_field(line, "command", "./build \"${BATON_V1}\"");
  workflow::testing::set_field(line, "working_directory", "sub");
  Step agents = of(workflow::AgentShellCommand());
  workflow::testing::set_field(agents, "command", "./by-hand");
  Step loop = of(workflow::Loop());
  loop.blocks = {{"body", {argv, line, agents}}};
  CompiledWorkflow out = with(loop);
  workflow::testing::set_field(out.steps.front(), "evidence",
                               Array{Object{{"command", Object{{"argv", Array{"./test"}}}}}});
  Object elsewhere{{"type", "shell_command"},
                   {"argv", Array{"./x"}},
                   {"working_directory", "{{ inputs.package }}"}};
  out.declared.set("tasks", Object{{"t", Object{{"steps", Array{std::move(elsewhere)}}}}});
  return out;
}

TEST(commands, of_the_server_are_found_in_every_place_without_what_is_filled_in) {
  const std::vector<WrittenCommand> found = written_commands(many_places());
  const auto has = [&](const WrittenCommand& command) {
    return std::ranges::find(found, command) != found.end();
  };
  EXPECT_EQ(found.size(), 4u);
  EXPECT_TRUE(has({{"sh", "check.sh"}, ""}));
  EXPECT_TRUE(has({{"sh", "-c", "./build \"${BATON_V1}\""}, "sub"}));
  EXPECT_TRUE(has({{"./test"}, ""}));
  EXPECT_TRUE(has({{"./x"}, "{{ inputs.package }}", true}));
}

TEST(commands, words_that_were_filled_in_are_told_from_written_ones) {
  const std::vector<WrittenCommand> found = written_commands(many_places());
  EXPECT_EQ(written_words(found, {"sh", "check.sh", "./src/a.py"}),
            (std::vector<std::string>{"sh", "check.sh"}));
}

}  // namespace
}  // namespace baton::run
