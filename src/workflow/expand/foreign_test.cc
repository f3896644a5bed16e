#include "workflow/expand/foreign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "workflow/testing/compile_alone.h"
#include "workflow/testing/step_fields.h"

namespace baton::workflow {
namespace {

using ::testing::HasSubstr;

Compilation compile(std::string name, std::string text) {
  return compile_alone({std::move(name), std::move(text)});
}

/// A file of WorkRail around its steps.
Compilation rail(std::string_view steps, std::string_view more = "") {
  return compile("w.json", cat(R"({"id":"rail","name":"R","description":"D","version":"1.0.0",)",
                               R"("metricsProfile":"none",)", more, R"("steps":[)", steps, "]}"));
}

std::string problems(const Compilation& compilation) {
  std::string out;
  for (const Diagnostic& each : compilation.findings.diagnostics) {
    if (each.code == Code::WORKFLOW_KEY_IGNORED) continue;
    out += cat(out.empty() ? "" : "; ", name_of(each.severity), ' ', each.message);
  }
  return out;
}

std::string prompt(const Compilation& compilation) {
  return compilation.has_errors() ? problems(compilation)
                                  : compilation.pinned->workflow.steps.at(0).prompt;
}

std::string in_prompt(std::string_view text) {
  return prompt(rail(cat(R"({"id":"a1","title":"A","prompt":")", text, R"("})")));
}

TEST(foreign, braces_that_are_no_paths_are_text) {
  EXPECT_EQ(in_prompt("{{a}} {{ a.b }}"), "{{a}} {{ a.b }}");
  EXPECT_EQ(in_prompt("{{#each a}}x{{/each}}"), "{{ '{{' }}#each a}}x{{ '{{' }}/each}}");
  EXPECT_EQ(in_prompt("{{ your name }}"), "{{ '{{' }} your name }}");
  EXPECT_EQ(in_prompt("{{ a + 1 }} {{ a | json }}"), "{{ '{{' }} a + 1 }} {{ '{{' }} a | json }}");
  EXPECT_EQ(in_prompt("open {{ a"), "open {{ '{{' }} a");
  EXPECT_EQ(in_prompt("{{}} {a} ${b}"), "{{ '{{' }}}} {a} ${b}");
}

TEST(foreign, a_file_that_only_looks_like_workrail_keeps_its_expressions) {
  const Compilation out = compile(
      "w.json", R"({"id":"form","name":"F","description":"D","version":"1.0.0","steps":[)"
                R"({"id":"a","title":"A","prompt":"{{ a + 1 }} {{#if}} {{ your name }}"}]})");
  EXPECT_EQ(out.dialect, Dialect::workrail);
  EXPECT_EQ(prompt(out), "{{ a + 1 }} {{ '{{' }}#if}} {{ '{{' }} your name }}");
  EXPECT_EQ(compile("w.yaml",
                    "{id: w, name: W, description: D, version: '1', steps: "
                    "[{id: a, title: A, prompt: p}]}")
                .dialect,
            Dialect::native);
}

TEST(foreign, unknown_keys_are_warnings_outside_native_files) {
  const std::string step = R"({"id":"a1","title":"A","prompt":"p","tip":"t"})";
  EXPECT_EQ(problems(rail(step)), "warning \"tip\" is no key of a prompt step; it is left out");
  EXPECT_THAT(problems(compile("w.yaml", "{baton: 1, id: w, steps: [{prompt: p, tip: t}]}")),
              HasSubstr("error there is no key \"tip\""));
  EXPECT_EQ(problems(compile(".aromcp/workflows/w.yaml",
                             "{name: w, steps: [{type: wait_step, tip: t}]}")),
            "warning \"tip\" is no key of a wait_step step; it is left out");
  EXPECT_THAT(problems(compile(".aromcp/workflows/w.yaml",
                               "{name: w, inputs: {i: {tip: t}}, steps: [{type: wait_step}]}")),
              HasSubstr("error there is no key \"tip\" in an input"));
}

TEST(foreign, conditions_say_one_thing_in_workrail) {
  const auto condition = [](std::string_view given) {
    const Compilation out =
        rail(cat(R"({"id":"a1","title":"A","prompt":"p","runCondition":)", given, "}"));
    return out.has_errors()
               ? problems(out)
               : json::print(testing::field_of(out.pinned->workflow.steps.at(0), "runCondition"));
  };
  EXPECT_EQ(condition("{}"), R"({"and":[]})");
  EXPECT_EQ(condition(R"({"or":[]})"), R"({"or":[]})");
  EXPECT_EQ(condition(R"({"equals":3})"), R"({"and":[]})");
  EXPECT_EQ(condition(R"({"var":"a","and":[{"var":"b"}]})"), R"({"var":"a"})");
  EXPECT_EQ(condition(R"({"var":"n","lt":9,"gt":1})"), R"({"var":"n","op":"gt","value":1})");
  EXPECT_EQ(condition(R"({"not":{"var":"a"},"or":[{"var":"b"}]})"), R"({"or":[{"var":"b"}]})");
}

TEST(foreign, loops_take_no_expressions_in_workrail) {
  const auto loop = [](std::string_view config) {
    return problems(rail(cat(R"({"id":"l1","type":"loop","title":"L","loop":{"maxIterations":3,)",
                             config, R"(},"body":[{"id":"b1","title":"B","prompt":"p"}]})")));
  };
  EXPECT_THAT(loop(R"("type":"while","condition":"{{ n < 2 }}")"),
              HasSubstr("take no expression for \"condition\""));
  EXPECT_THAT(loop(R"("type":"forEach","items":"{{ a }}")"),
              HasSubstr("take no expression for \"items\""));
  EXPECT_THAT(loop(R"("type":"for","count":"{{ a }}")"),
              HasSubstr("take no expression for \"count\""));
  EXPECT_EQ(loop(R"("type":"while","condition":{"var":"n"})"), "");
  EXPECT_EQ(loop(R"("type":"forEach","items":"files")"), "");
}

TEST(foreign, a_body_with_a_control_decides_about_its_loop) {
  const Compilation out =
      rail(R"({"id":"l1","type":"loop","title":"L","loop":{"type":"while","maxIterations":3,)"
           R"("condition":{"var":"n"}},"body":[{"id":"b1","title":"B","prompt":"p",)"
           R"("outputContract":{"contractRef":"wr.contracts.loop_control"}}]})");
  ASSERT_FALSE(out.has_errors()) << problems(out);
  const Step& step = out.pinned->workflow.steps.at(0);
  EXPECT_EQ(step.as<Loop>()->control->contract, "loop_control");
  EXPECT_FALSE(step.as<Loop>()->condition);
}

TEST(foreign, one_step_is_the_body_of_several_loops) {
  const std::string_view loop =
      R"({"id":"l%","type":"loop","title":"L","loop":{"type":"for","count":1,"maxIterations":1},)"
      R"("body":"work"})";
  std::string steps;
  for (const std::string_view name : {"1", "2"}) {
    std::string one(loop);
    one.replace(one.find('%'), 1, name);
    steps += one + ",";
  }
  const Compilation out = rail(steps + R"({"id":"work","title":"W","prompt":"p"})");
  ASSERT_FALSE(out.has_errors()) << problems(out);
  ASSERT_EQ(out.pinned->workflow.steps.size(), 2u);
  EXPECT_EQ(out.pinned->workflow.steps[0].blocks[0].steps[0].id, "work");
  EXPECT_EQ(out.pinned->workflow.steps[1].blocks[0].steps[0].id, "l2.work");
}

TEST(foreign, rules_that_cannot_be_checked_are_advice) {
  const Compilation out = rail(R"({"id":"a1","title":"A","prompt":"p","validationCriteria":[)"
                               R"({"type":"regex","pattern":"(?!x).*","message":"no x"},)"
                               R"({"type":"length","min":1.5,"message":"two"}]})");
  EXPECT_THAT(prompt(out), HasSubstr("no x"));
  EXPECT_EQ(json::print(testing::field_of(out.pinned->workflow.steps.at(0), "validationCriteria")),
            R"({"and":[{"type":"length","min":2,"message":"two"}]})");
}

TEST(foreign, routines_have_the_names_that_a_call_may_use) {
  EXPECT_THAT(routine_names("wr.templates.routine.x"),
              ::testing::ElementsAre("wr.routine-x", "routine-x", "x"));
  EXPECT_THAT(routine_names("mine"), ::testing::ElementsAre("mine"));
}

TEST(foreign, a_routine_by_itself_has_its_arguments_as_inputs) {
  const Compilation out = compile(
      "w.json",
      R"({"id":"wr.routine-see","name":"S","description":"D","version":"1.0.0","steps":[)"
      R"({"id":"a1","title":"On {thing}","prompt":"{thing} ${thing} {{thing}} {1} {} {Up}"}]})");
  EXPECT_EQ(prompt(out), "{{ inputs.thing }} {{ inputs.thing }} {{thing}} {1} {} {Up}");
  EXPECT_TRUE(out.pinned->workflow.is_routine());
  EXPECT_NE(out.pinned->workflow.declared.find("inputs")->find("thing"), nullptr);
  EXPECT_EQ(
      prompt(compile("w.yaml", "{id: w, kind: routine, steps: [{prompt: '${a} ${HOME} {a}'}]}")),
      "{{ inputs.a }} ${HOME} {a}");
}

TEST(foreign, values_of_aromcp_lead_into_the_result_and_the_state) {
  const auto value = [](std::string_view given, std::string_view state = "x") {
    const Compilation out =
        compile(".aromcp/workflows/w.yaml", cat("{name: w, default_state: {state: {", state,
                                                ": 1}}, steps: [{id: a, type: mcp_call, "
                                                "tool: t, state_update: {path: this.",
                                                state, ", value: ", given, "}}]}"));
    if (out.has_errors()) return problems(out);
    return cat(json::print(*testing::field_of(out.pinned->workflow.steps.at(0), "updates")
                                .if_array()
                                ->at(0)
                                .find("value")),
               problems(out).empty() ? "" : " warned");
  };
  EXPECT_EQ(value("stdout"), R"("{{ result }}")");
  EXPECT_EQ(value("response"), R"("{{ result }}")");
  EXPECT_EQ(value("result.a"), R"("{{ result.a }}")");
  EXPECT_EQ(value("data.a"), R"("{{ result?.data?.a ?? result?.a ?? null }}" warned)");
  EXPECT_EQ(value("response.a.b"),
            R"("{{ result?.response?.a?.b ?? result?.a?.b ?? null }}" warned)");
  EXPECT_EQ(value("exit_code"), R"("{{ result?.exit_code ?? 0 }}" warned)");
  EXPECT_EQ(value("data.a", "data"), R"("data.a")") << "a name of the state is no result";
  EXPECT_EQ(value("state.x"), R"("{{ state.x }}")");
  EXPECT_EQ(value("state.x + 1"), R"("{{ state.x + 1 }}")");
  EXPECT_EQ(value("'5'"), "5");
  EXPECT_EQ(value("'1.5'"), "1.5");
  EXPECT_EQ(value("'[]'"), "[]");
  EXPECT_EQ(value("src/a.ts"), R"("src/a.ts")");
  EXPECT_EQ(value("2024-01-02"), R"("2024-01-02")");
  EXPECT_EQ(value("done"), R"("done")");
}

TEST(foreign, steps_without_names_have_ids_everywhere) {
  const Compilation out = compile("w.yaml", R"(
id: w
steps: [{type: parallel_foreach, items: [1], sub_agent_task: t}]
sub_agent_tasks:
  t:
    steps: [{prompt: p}]
    error_handling:
      cleanup_on_error: [{type: mcp_call, mcp: {method: a}}, {type: mcp_call, mcp: {method: b}}]
)");
  ASSERT_FALSE(out.has_errors()) << problems(out);
  const std::string text = json::print(*out.pinned->workflow.declared.find("tasks"));
  EXPECT_THAT(text, HasSubstr(R"("id":"cleanup_on_error.mcp_call-1")"));
  EXPECT_THAT(text, HasSubstr(R"("id":"cleanup_on_error.mcp_call-2")"));
  EXPECT_THAT(text, HasSubstr(R"("tool":"b")"));
}

}  // namespace
}  // namespace baton::workflow
