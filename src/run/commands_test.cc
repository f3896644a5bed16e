#include "run/commands.h"

#include <gtest/gtest.h>

#include "base/json.h"

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

}  // namespace
}  // namespace baton::run
