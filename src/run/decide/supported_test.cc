#include "run/decide/supported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "run/testing/yaml_workflow.h"
#include "workflow/testing/step_fields.h"

namespace baton::run {
namespace {

using ::testing::HasSubstr;

workflow::CompiledWorkflow plain() {
  workflow::CompiledWorkflow workflow;
  workflow.id = "w";
  workflow.steps = {workflow::prompt_step("a", "A", "Do it."),
                    workflow::prompt_step("b", "B", "And that.", true, "reviewer")};
  return workflow;
}

TEST(check_supported, plain_prompts_are_run) { EXPECT_TRUE(check_supported(plain())); }

TEST(check_supported, every_step_type_is_run) {
  workflow::CompiledWorkflow workflow = plain();
#define BATON_TYPE(kind, Payload, name)         \
  workflow.steps[1].body = workflow::Payload(); \
  EXPECT_TRUE(check_supported(workflow)) << name;
  BATON_STEP_TYPES(BATON_TYPE)
#undef BATON_TYPE
}

TEST(check_supported, fields_that_would_be_ignored_are_refused_by_name) {
  workflow::CompiledWorkflow workflow = plain();
  for (workflow::Step& each : workflow.steps) {
    workflow::testing::set_field(each, "tools", json::Array{"x"});
  }
  const auto checked = check_supported(workflow);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("\"tools\" of the step \"a\""));
  EXPECT_EQ(unsupported_parts(workflow).size(), 2u) << "all at once";
}

TEST(check_supported, steps_that_need_others_are_run_in_the_order_of_their_needs) {
  const auto pinned = testing::yaml_workflow(R"(
id: x
steps:
  - {id: last, prompt: p, dependencies: [first]}
  - {id: first, prompt: p}
)");
  EXPECT_TRUE(check_supported(pinned.workflow));
  EXPECT_EQ(pinned.workflow.steps[0].id, "first");
  EXPECT_EQ(pinned.workflow.steps[1].id, "last");
}

TEST(check_supported, what_is_text_for_the_agent_is_run) {
  workflow::CompiledWorkflow workflow = plain();
  workflow::testing::set_field(workflow.steps[0], "tags", json::Array{"x"});
  workflow::testing::set_field(workflow.steps[0], "agent", "reviewer");
  workflow.declared.set("metaGuidance", json::Array{"be kind"});
  workflow.declared.set("kind", "routine");
  EXPECT_TRUE(check_supported(workflow));
}

TEST(check_supported, loops_and_conditions_without_scripts_are_run) {
  EXPECT_TRUE(check_supported(testing::yaml_workflow(R"(
id: x
inputs: {n: {type: integer, default: 3}}
steps:
  - {id: a, prompt: p, runCondition: {and: [{var: x, equals: 1}, {not: {var: y}}]}}
  - {id: b, type: conditional, condition: "{{ deep.enough }}", then: [{id: c, prompt: p}],
     else: [{id: d, type: exit}]}
  - {id: e, type: while, condition: "true", body: [{id: f, prompt: p}, {id: g, type: break}]}
  - {id: h, type: foreach, items: "{{ files }}", body: [{id: i, prompt: p}]}
  - {id: j, type: foreach, items: [1, {k: v}], body: [{id: k, prompt: p}]}
  - {id: l, type: loop, loop: {type: for, count: "{{ inputs.n }}", maxIterations: 5},
     body: [{id: m, prompt: p}]}
  - id: n
    type: loop
    loop: {type: while, conditionSource: {kind: artifact_contract, contractRef: loop_control},
           maxIterations: 5}
    body: [{id: o, prompt: p}]
)")
                                  .workflow));
}

TEST(check_supported, scripts_are_run_wherever_something_is_decided_or_shown) {
  for (const std::string_view step :
       {"{id: a, prompt: p, runCondition: 'n > 3'}",
        "{id: c, type: conditional, condition: 'f(x)', then: [{id: a, prompt: p}]}",
        "{id: w, type: while, condition: '!done', body: [{id: a, prompt: p}]}",
        "{id: f, type: foreach, items: '{{ a.slice(1) }}', body: [{id: a, prompt: p}]}",
        "{id: f, type: foreach, items: ['{{ one }}'], body: [{id: a, prompt: p}]}",
        "{id: a, title: 'At {{ f(x) }}', prompt: 'At {{ f(x) }}.'}",
        "{id: a, prompt: p, promptFragments: [{id: f, when: 'n > 1', text: '{{ f(x) }}'}]}",
        "{id: a, prompt: p, requireConfirmation: {kind: human_approval, condition: 'n > 1'}}"}) {
    const auto pinned = testing::yaml_workflow(cat("{id: x, steps: [", step, "]}"));
    EXPECT_TRUE(check_supported(pinned.workflow)) << step;
  }
}

TEST(check_supported, rules_for_an_answer_that_cannot_be_checked_are_refused) {
  const auto pinned = testing::yaml_workflow(
      "{id: x, steps: [{id: q, type: user_input, prompt: p, validation: {pattern: '(?=a)b'}}]}");
  const auto checked = check_supported(pinned.workflow);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("the result of the step \"q\""));
}

TEST(check_supported, what_prompts_show_and_require_is_run) {
  EXPECT_TRUE(check_supported(testing::yaml_workflow(R"(
id: x
capabilities: {web_browsing: required, delegation: preferred}
assessments:
  - {id: q, purpose: p, dimensions: [{id: d, purpose: p, levels: [low, high]}]}
steps:
  - id: a
    title: "Look at {{ file }}"
    prompt: "Look at {{ file.name | json }}."
    promptFragments: [{id: f, when: {var: kind, equals: api}, text: "Mind {{ callers }}."}]
    validationCriteria:
      and: [{type: contains, value: x, condition: {var: strict}},
            {not: {type: schema, schema: {properties: {text: {const: "{{ f(x) }}"}}}}}]
    requireConfirmation: {kind: human_approval, condition: {var: risky}}
    nonAssumableChoice: scope_boundary
    assessmentRefs: [q]
    assessmentConsequences:
      - {when: {anyEqualsLevel: low}, effect: {kind: require_followup, guidance: again}}
  - {id: b, prompt: p, outputContract: {contractRef: loop_control}}
)")
                                  .workflow));
}

}  // namespace
}  // namespace baton::run
