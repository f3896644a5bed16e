#include "run/commands.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/json/json.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using workflow::CompiledWorkflow;
using workflow::Step;
using workflow::StepKind;

CompiledWorkflow with(Step step) {
  CompiledWorkflow out;
  out.id = "w";
  out.steps = {workflow::prompt_step("a", "A", "do it"), std::move(step)};
  return out;
}

Step of_kind(StepKind kind) {
  Step out;
  out.id = "b";
  out.kind = kind;
  return out;
}

TEST(commands, of_shell_steps_at_any_depth_are_found) {
  EXPECT_FALSE(has_commands(with(workflow::prompt_step("b", "B", "and that"))));
  EXPECT_FALSE(has_commands(with(of_kind(StepKind::agent_shell_command))));
  const Step shell = of_kind(StepKind::shell_command);
  EXPECT_TRUE(has_commands(with(shell)));
  Step loop = of_kind(StepKind::loop);
  loop.blocks = {{"body", {shell}}};
  EXPECT_TRUE(has_commands(with(loop)));
}

TEST(commands, that_are_evidence_are_found) {
  Step step = workflow::prompt_step("b", "B", "and that");
  step.fields.set("evidence", Array{Object{{"file_exists", "x"}}});
  EXPECT_FALSE(has_commands(with(step)));
  step.fields.set("evidence", Array{Object{{"command", Object{{"argv", Array{"make"}}}}}});
  EXPECT_TRUE(has_commands(with(step)));
}

TEST(commands, of_tasks_and_of_steps_after_a_failure_are_found) {
  CompiledWorkflow workflow = with(workflow::prompt_step("b", "B", "and that"));
  workflow.fields.set("tasks", Object{{"t", Object{{"steps", Array{Object{{"argv", Array{}}}}}}}});
  EXPECT_TRUE(has_commands(workflow));
  workflow.fields.set("tasks", Object{{"t", Object{{"steps", Array{Object{{"id", "x"}}}}}}});
  EXPECT_FALSE(has_commands(workflow));
}

CompiledWorkflow many_places() {
  Step argv = of_kind(StepKind::shell_command);
  argv.fields.set("argv", Array{"sh", "check.sh", "./{{ item }}"});
  Step line = of_kind(StepKind::shell_command);
  line.fields.set("command", "./build \"${BATON_V1}\"");
  line.fields.set("working_directory", "sub");
  Step agents = of_kind(StepKind::agent_shell_command);
  agents.fields.set("command", "./by-hand");
  Step loop = of_kind(StepKind::loop);
  loop.blocks = {{"body", {argv, line, agents}}};
  CompiledWorkflow out = with(loop);
  out.steps.front().fields.set("evidence",
                               Array{Object{{"command", Object{{"argv", Array{"./test"}}}}}});
  Object elsewhere{{"type", "shell_command"},
                   {"argv", Array{"./x"}},
                   {"working_directory", "{{ inputs.package }}"}};
  out.fields.set("tasks", Object{{"t", Object{{"steps", Array{std::move(elsewhere)}}}}});
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
