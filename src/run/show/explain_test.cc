#include "run/show/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const workflow::Pinned& sample() {
  static const workflow::Pinned pinned = testing::yaml_workflow(R"(
id: sample
name: Sample
estimated_duration_minutes: 12.5
inputs:
  files: {type: array, default: [a, b]}
state_schema: {raw: {found: array}}
steps:
  - {id: ask, type: mcp_call, tool: lint, state_update: {path: raw.found}}
  - {id: again, type: mcp_call, tool: lint, state_update: {path: raw.found}}
  - id: maybe
    type: conditional
    condition: "{{ found.length > 0 }}"
    then:
      - id: each
        type: loop
        loop: {type: forEach, items: files, maxIterations: 5}
        body:
          - {id: fix, prompt: Fix it., runCondition: {var: wanted, equals: true}}
    else:
      - {id: rest, prompt: Rest.}
  - id: spread
    type: parallel_foreach
    items: "{{ inputs.files }}"
    sub_agent_task: one
sub_agent_tasks:
  one: {description: One., steps: [{id: do, prompt: Do it.}]}
)");
  return pinned;
}

const ExplainedStep& step(const ExplainedPlan& plan, std::string_view id) {
  return *std::ranges::find(plan.steps, id, &ExplainedStep::id);
}

TEST(explain, names_every_step_with_all_that_must_hold_for_it) {
  const ExplainedPlan plan = explain(sample().workflow, {});
  EXPECT_THAT(step(plan, "ask").conditions, IsEmpty());
  EXPECT_THAT(step(plan, "fix").conditions,
              ElementsAre("found.length > 0", "for each of files", "wanted equals true"));
  EXPECT_THAT(step(plan, "rest").conditions, ElementsAre("not (found.length > 0)"));
}

TEST(explain, names_each_tool_once_and_the_estimate) {
  const ExplainedPlan plan = explain(sample().workflow, {});
  EXPECT_THAT(plan.tools, ElementsAre("lint"));
  EXPECT_EQ(plan.minutes, 12.5);
}

TEST(explain, counts_sub_agents_where_the_inputs_tell) {
  EXPECT_EQ(step(explain(sample().workflow, {}), "spread").sub_agents, std::nullopt);
  const json::Object inputs{{"files", json::Array{"a", "b", "c"}}};
  EXPECT_EQ(step(explain(sample().workflow, inputs), "spread").sub_agents, 3);
  EXPECT_EQ(step(explain(sample().workflow, inputs), "ask").sub_agents, std::nullopt);
}

}  // namespace
}  // namespace baton::run
