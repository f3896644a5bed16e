#include "run/show/prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "run/checks/output_check.h"
#include "run/checks/slots.h"
#include "run/testing/play.h"
#include "workflow/testing/step_fields.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

json::Value parsed(std::string_view text) { return MUST(json::parse(text)); }

workflow::CompiledWorkflow one_step(std::string prompt, Object fields = {}) {
  workflow::CompiledWorkflow workflow;
  workflow.id = "w";
  workflow.steps = {workflow::prompt_step("a", "A", std::move(prompt))};
  workflow.steps[0] = workflow::testing::with_fields(workflow.steps[0], fields);
  return workflow;
}

NodeState state_with(Object context) {
  NodeState state;
  state.context = std::make_shared<Object>(std::move(context));
  return state;
}

AssembledPrompt assemble(const workflow::CompiledWorkflow& workflow, const workflow::Step& step,
                         const NodeState& state) {
  state::ScriptAnswers answers;
  Scripts scripts(answers, {});
  return MUST(state::settled(assemble_prompt(workflow, step, state, scripts)));
}

AssembledPrompt assemble(const workflow::CompiledWorkflow& workflow, const NodeState& state = {}) {
  return assemble(workflow, workflow.steps[0], state);
}

TEST(prompt, a_plain_step_is_its_text) {
  const AssembledPrompt prompt =
      assemble(one_step("Do it.", {{"tags", Array{"x"}}, {"agent", "reviewer"}}));
  EXPECT_EQ(prompt.prompt, "Do it.");
  EXPECT_EQ(prompt.title, "A");
  EXPECT_FALSE(prompt.require_confirmation);
  EXPECT_TRUE(prompt.example.empty());
}

TEST(prompt, values_are_filled_into_title_and_text) {
  workflow::CompiledWorkflow workflow = one_step("Look at {{ file }} and {{ other }}.");
  workflow.steps[0].title = "Look at {{ file }}";
  const AssembledPrompt prompt = assemble(workflow, state_with({{"file", "a.cc"}}));
  EXPECT_EQ(prompt.title, "Look at a.cc");
  EXPECT_EQ(prompt.prompt, "Look at a.cc and [unset: other].");
}

TEST(prompt, fragments_appear_in_order_when_their_condition_is_true) {
  const workflow::CompiledWorkflow workflow = one_step(
      "Do it.",
      {{"fragments", parsed(R"([{"id":"x","when":{"var":"kind","op":"equals","value":"api"},
                                 "text":"Mind callers of {{ name }}."},
                                {"id":"y","when":{"var":"kind","op":"equals","value":"ui"},
                                 "text":"Mind people."},
                                {"id":"z","when":{"var":"kind"},"text":"Mind all."}])")}});
  EXPECT_EQ(assemble(workflow, state_with({{"kind", "api"}, {"name", "f"}})).prompt,
            "Do it.\n\nMind callers of f.\n\nMind all.");
  EXPECT_EQ(assemble(workflow).prompt, "Do it.");
}

TEST(prompt, requirements_come_with_an_output_that_would_pass) {
  const workflow::CompiledWorkflow workflow = one_step(
      "Do it.\n\n", {{"outputContract", Object{{"contract", "loop_control"}, {"required", true}}}});
  const AssembledPrompt prompt = assemble(workflow);
  EXPECT_THAT(prompt.prompt, StartsWith("Do it.\n\n## Output requirements\n\n- An artifact of kind "
                                        "baton.loop_control: decision continue or stop"));
  const Signals signals = read_artifacts(*filled(*prompt.example.find("artifacts")).if_array());
  EXPECT_EQ(signals.loop_controls.size(), 1U);
}

TEST(prompt, at_most_five_rules_are_listed) {
  const auto rules = [](std::size_t count) {
    Array list;
    for (std::size_t i = 0; i < count; ++i) {
      list.push_back(Object{{"type", "contains"}, {"value", cat("rule", i)}});
    }
    return assemble(one_step("Do it.", {{"validationCriteria", Object{{"and", std::move(list)}}}}))
        .prompt;
  };
  EXPECT_THAT(rules(limits::prompt_requirements_max), HasSubstr("\"rule4\""));
  EXPECT_THAT(rules(limits::prompt_requirements_max), Not(HasSubstr("more, which")));
  EXPECT_THAT(rules(limits::prompt_requirements_max + 2), HasSubstr("\n- 2 more, which"));
  EXPECT_THAT(rules(limits::prompt_requirements_max + 2), Not(HasSubstr("must contain \"rule5\"")));
}

TEST(prompt, capabilities_are_told_except_to_the_probe_itself) {
  workflow::CompiledWorkflow workflow = one_step("Do it.");
  workflow.declared.set("capabilities", Object{{"web_browsing", "preferred"}});
  EXPECT_THAT(assemble(workflow).prompt,
              HasSubstr("## Capabilities\n\n- web_browsing is preferred"));
  workflow::testing::set_field(workflow.steps[0], "outputContract",
                               Object{{"contract", "capability_observation"},
                                      {"required", true},
                                      {"capability", "web_browsing"}});
  const AssembledPrompt probe = assemble(workflow);
  EXPECT_THAT(probe.prompt, Not(HasSubstr("## Capabilities")));
  EXPECT_EQ(*probe.example.find("artifacts")->if_array()->at(0).find("capability"),
            json::Value("web_browsing"));
}

TEST(prompt, a_choice_of_the_user_is_told_up_front) {
  const AssembledPrompt prompt =
      assemble(one_step("Do it.", {{"nonAssumableChoice", "scope_boundary"}}));
  EXPECT_THAT(prompt.prompt, HasSubstr("Ask the user; do not assume the answer."));
  EXPECT_EQ(*prompt.example.find("artifacts")->if_array()->at(0).find("kind"),
            json::Value("baton.user_dependency"));
}

TEST(prompt, assessments_are_told_up_front_and_their_follow_up_after_a_block) {
  workflow::CompiledWorkflow workflow = one_step("Do it.", {{"assessmentRefs", Array{"q"}}});
  workflow.declared.set("assessments", parsed(R"([{"id":"q","purpose":"How good","dimensions":[
                              {"id":"depth","purpose":"How deep","levels":["low","high"]}]}])"));
  EXPECT_THAT(assemble(workflow).prompt, HasSubstr("depth (low, high): How deep"));
  NodeState state;
  apply(state, AssessmentRecorded{{}, {}, {"q", {{"depth", "low", ""}}, "", {"Look again."}}});
  EXPECT_THAT(assemble(workflow, state).prompt, Not(HasSubstr("Look again.")));
  state.kind = NodeKind::blocked_attempt;
  EXPECT_THAT(assemble(workflow, state).prompt,
              HasSubstr("## Before you send it again\n\n- Look again."));
}

TEST(prompt, the_last_step_of_a_body_asks_whether_the_loop_continues) {
  workflow::CompiledWorkflow workflow;
  workflow::Step loop;
  loop.id = "l";
  workflow::Loop controlled;
  controlled.control = workflow::LoopArtifact{"loop_control", {}};
  loop.body = std::move(controlled);
  loop.blocks = {
      {"body",
       {workflow::prompt_step("a", "A", "First."), workflow::prompt_step("b", "B", "Last.")}}};
  workflow.steps = {loop};
  const auto at = [&](std::int64_t index) {
    NodeState state;
    state.cursor.frames.push_back({.block = 0, .iteration = 0, .index = index});
    return assemble(workflow, workflow.steps[0].blocks[0].steps[static_cast<std::size_t>(index)],
                    state);
  };
  EXPECT_EQ(at(0).prompt, "First.\n\n## Loop\n\n- Round 1 of at most 1000 of the loop \"l\".");
  EXPECT_THAT(at(1).prompt, HasSubstr("baton.loop_control"));
  workflow::testing::set_field(workflow.steps[0].blocks[0].steps[1], "outputContract",
                               Object{{"contract", "loop_control"}, {"required", true}});
  EXPECT_EQ(at(1).example.find("artifacts")->if_array()->size(), 1U);
}

TEST(prompt, a_confirmation_may_depend_on_the_context) {
  const auto prompt = [](Object rule, Object context) {
    return assemble(one_step("Do it.", {{"confirmation", std::move(rule)}}),
                    state_with(std::move(context)));
  };
  const auto confirmed = [&](Object rule, Object context) {
    return prompt(std::move(rule), std::move(context)).require_confirmation;
  };
  const Object when{{"kind", "human_approval"}, {"condition", Object{{"var", "risky"}}}};
  EXPECT_TRUE(confirmed(when, {{"risky", true}}));
  EXPECT_FALSE(confirmed(when, {{"risky", false}}));
  EXPECT_TRUE(confirmed({{"kind", "human_approval"}}, {}));
  EXPECT_FALSE(confirmed({{"kind", "coordinator_eval"}}, {}));
  EXPECT_THAT(prompt({{"kind", "coordinator_eval"}}, {}).prompt, HasSubstr("check the result"));
}

TEST(prompt, same_state_gives_the_same_bytes) {
  workflow::CompiledWorkflow workflow =
      one_step("{{ a }}", {{"nonAssumableChoice", "scope_boundary"}});
  workflow.declared.set("capabilities", Object{{"web_browsing", "preferred"}});
  const NodeState state = state_with({{"a", Object{{"x", 1}, {"y", 2}}}});
  EXPECT_EQ(assemble(workflow, state).prompt, assemble(workflow, state).prompt);
}

// Enforces: G6
TEST(prompt, recorded_script_results_show_the_same_prompt_again) {
  workflow::CompiledWorkflow workflow = one_step(
      "Take {{ n + 1 }} of {{ list.map(f) | lines }}{{ gone?.x }}{{ boom() }}.",
      {{"fragments", parsed(R"([{"id":"f","when":{"js":"n > 2"},"text":"More: {{ n * 2 }}"},
                                {"id":"g","when":{"js":"n > 9"},"text":"{{ never() }}"}])")},
       {"validationCriteria",
        parsed(R"({"type":"contains","value":"x","condition":{"js":"n % 2 == 1"}})")}});
  workflow.steps[0].title = "Take {{ n + 1 }}";
  NodeState state = state_with({{"n", 3}, {"list", Array{"a", "b"}}});
  const testing::Play play = [](const state::Evaluation& each) -> state::ScriptResult {
    const std::string_view source = each.script.source;
    if (source == "n + 1") return 4;
    if (source == "n * 2") return 6;
    if (source == "list.map(f)") return Array{"A", "B"};
    if (source == "n > 9") return false;
    if (each.script.form == state::ScriptForm::truth) return true;
    const bool is_gone = source == "gone?.x";
    return std::unexpected(state::ScriptProblem{
        is_gone ? state::ScriptFault::undefined : state::ScriptFault::thrown, "no boom", {}, 1, 1});
  };
  Object used;
  const AssembledPrompt first =
      MUST(testing::ask_until_known(play, [&](state::ScriptAnswers& answers) {
        Scripts scripts(answers, {});
        auto prompt = assemble_prompt(workflow, workflow.steps[0], state, scripts);
        used = scripts.used();
        return prompt;
      }));
  EXPECT_EQ(first.title, "Take 4");
  EXPECT_THAT(first.prompt,
              StartsWith("Take 4 of A\nB[unset: gone?.x][failed: no boom at line 1, column 1, in "
                         "`boom()`].\n\nMore: 6\n\n## Output requirements"));
  EXPECT_FALSE(used.contains("{{ never() }}"));
  keep_shown(state, used);
  Scripts recorded(state.shown_values());
  const AssembledPrompt again =
      MUST(state::settled(assemble_prompt(workflow, workflow.steps[0], state, recorded)));
  EXPECT_EQ(again.title, first.title);
  EXPECT_EQ(again.prompt, first.prompt);
  EXPECT_EQ(again.example, first.example);
}

}  // namespace
}  // namespace baton::run
