#include "run/decide/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "run/testing/event_generator.h"
#include "workflow/testing/step_fields.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::id_of;
using ::testing::IsEmpty;
using ::testing::SizeIs;

json::Value parsed(std::string_view text) { return MUST(json::parse(text)); }

/// One attempt at the only step of a workflow.
struct Attempt {
  workflow::CompiledWorkflow workflow;
  NodeState state;
  StepInput input;
  bool after_block = false;

  Attempt() {
    workflow.steps = {workflow::prompt_step("a", "A", "Do it.")};
    state.run = id_of<RunId>(1);
    state.node = id_of<NodeId>(2);
  }
  Attempt& field(std::string_view name, json::Value value) {
    workflow::testing::set_field(workflow.steps[0], name, std::move(value));
    return *this;
  }
  Attempt& send(std::string_view artifact) {
    input.artifacts.push_back(parsed(artifact));
    return *this;
  }
  Result<Judgement> judged() const {
    state::ScriptAnswers answers;
    Scripts scripts(answers, {});
    return state::settled(judge({.workflow = workflow,
                                 .step = workflow.steps[0],
                                 .step_key = "a",
                                 .state = this->state,
                                 .input = input,
                                 .scripts = scripts,
                                 .after_block = after_block}));
  }
};

std::vector<std::string_view> kinds(const std::vector<Event>& events) {
  std::vector<std::string_view> out;
  for (const Event& event : events) out.push_back(kind_name(event));
  return out;
}

std::vector<Reason> reasons(const Judgement& judgement) {
  std::vector<Reason> out;
  for (const Finding& each : judgement.findings) out.push_back(each.reason);
  return out;
}

TEST(judge, a_plain_step_finds_and_records_nothing) {
  Attempt attempt;
  attempt.input.notes = "did it";
  const Judgement judgement = MUST(attempt.send(R"({"kind":"report","lines":3})").judged());
  EXPECT_THAT(judgement.findings, IsEmpty());
  EXPECT_THAT(judgement.facts, IsEmpty());
  EXPECT_THAT(judgement.facts_when_passed, IsEmpty());
  EXPECT_TRUE(judgement.example.empty());
  EXPECT_TRUE(judgement.step_context.empty());
}

TEST(judge, what_is_required_is_validated_and_the_validation_recorded) {
  Attempt attempt;
  attempt.field("outputContract", Object{{"contract", "loop_control"}, {"required", true}});
  const Judgement missing = MUST(attempt.judged());
  EXPECT_THAT(reasons(missing), ElementsAre(Reason::missing_required_output));
  ASSERT_THAT(kinds(missing.facts), ElementsAre("validation_performed"));
  const auto& fact = std::get<ValidationPerformed>(missing.facts[0]);
  EXPECT_EQ(fact.run, attempt.state.run);
  EXPECT_EQ(fact.node, attempt.state.node);
  EXPECT_EQ(fact.contract, "loop_control");
  EXPECT_FALSE(fact.valid);
  EXPECT_THAT(fact.issues, SizeIs(1));
  EXPECT_TRUE(missing.example.contains("artifacts"));

  const Judgement good =
      MUST(attempt.send(R"({"kind":"wr.loop_control","decision":"stop"})").judged());
  EXPECT_THAT(good.findings, IsEmpty());
  EXPECT_TRUE(std::get<ValidationPerformed>(good.facts.at(0)).valid);
  EXPECT_THAT(good.loop_controls, IsEmpty()) << "there is no loop around the step";
  EXPECT_TRUE(good.example.empty());
}

TEST(judge, decisions_about_loops_are_passed_on) {
  Attempt attempt;
  attempt.send(R"({"kind":"wr.loop_control","decision":"stop","loopId":"l"})");
  EXPECT_THAT(MUST(attempt.judged()).loop_controls,
              ElementsAre(LoopControl{"l", LoopDecision::stop}));
}

TEST(judge, issues_in_the_log_are_cut_at_their_limit) {
  const auto issue = [](std::size_t bytes) {
    Attempt attempt;
    attempt.field("validationCriteria",
                  Object{{"type", "contains"}, {"value", std::string(bytes, 'v')}});
    attempt.input.notes = "x";
    const Judgement judgement = MUST(attempt.judged());
    return std::get<ValidationPerformed>(judgement.facts.at(0)).issues.at(0);
  };
  const std::size_t around = issue(10).size() - 10;
  EXPECT_EQ(issue(limits::validation_text_bytes_max - around).size(),
            limits::validation_text_bytes_max);
  EXPECT_THAT(issue(limits::validation_text_bytes_max - around),
              ::testing::Not(HasSubstr("[TRUNCATED]")));
  EXPECT_THAT(issue(limits::validation_text_bytes_max - around + 1), HasSubstr("[TRUNCATED]"));
}

TEST(judge, everything_that_is_wrong_is_found_at_once) {
  Attempt attempt;
  attempt.workflow.declared.set("capabilities", Object{{"delegation", "required"}});
  attempt.workflow.declared.set("assessments", parsed(R"([{"id":"q","purpose":"p","dimensions":[
                                 {"id":"d","purpose":"p","levels":["low","high"]}]}])"));
  attempt.field("assessmentRefs", Array{"q"}).field("nonAssumableChoice", "scope_boundary");
  attempt.field("validationCriteria", Object{{"type", "contains"}, {"value", "x"}});
  attempt.input.notes = "y";
  attempt.send(R"({"kind":"baton.capability_observation","capability":"delegation",)"
               R"("status":"available","provenance":"manual_claim"})");
  attempt.send(R"({"kind":"baton.user_dependency","need":"needs_user_artifact","summary":"it"})");
  EXPECT_THAT(reasons(MUST(attempt.judged())),
              ElementsAre(Reason::invalid_required_output, Reason::required_capability_unknown,
                          Reason::missing_required_output, Reason::needs_user_artifact,
                          Reason::needs_user_choice));
}

TEST(judge, reports_become_facts_of_the_new_node) {
  Attempt attempt;
  apply(attempt.state, GapRecorded{{}, {}, {.id = "gap-1", .summary = "s", .step = "a"}});
  attempt.send(R"({"kind":"baton.capability_observation","capability":"delegation",)"
               R"("status":"available","provenance":"probe_step"})");
  attempt.send(R"({"kind":"wr.divergence","reason":"safety_stop","summary":"stopped"})");
  attempt.send(R"({"kind":"wr.gap_resolution","gapId":"gap-1","summary":"closed"})");
  const Judgement judgement = MUST(attempt.judged());
  EXPECT_THAT(kinds(judgement.facts), ElementsAre("capability_observed"));
  EXPECT_THAT(kinds(judgement.facts_when_passed),
              ElementsAre("divergence_recorded", "gap_resolved"));
  EXPECT_EQ(std::get<GapResolved>(judgement.facts_when_passed[1]),
            (GapResolved{attempt.state.run, attempt.state.node, "gap-1", "closed"}));
}

TEST(judge, a_gap_is_closed_once_and_must_have_been_open) {
  Attempt attempt;
  apply(attempt.state, GapRecorded{{}, {}, {.id = "gap-1", .summary = "no key", .step = "a"}});
  attempt.send(R"({"kind":"baton.gap_resolution","gapId":"gap-1","summary":"closed"})");
  attempt.send(R"({"kind":"baton.gap_resolution","gapId":"gap-1","summary":"closed twice"})");
  EXPECT_THAT(MUST(attempt.judged()).facts_when_passed, SizeIs(1));

  Attempt again = attempt;
  apply(again.state, GapResolved{{}, {}, "gap-1", ""});
  EXPECT_THAT(MUST(again.judged()).facts_when_passed, IsEmpty());

  for (const std::string_view name : {"gap-2", "gap-0", "gap-x", "gap1", ""}) {
    Attempt wrong = attempt;
    wrong.input.artifacts = {
        Object{{"kind", "baton.gap_resolution"}, {"gapId", name}, {"summary", "s"}}};
    const auto judged = wrong.judged();
    ASSERT_FALSE(judged) << name;
    EXPECT_EQ(judged.error().code, Code::INVALID_INPUT);
    if (name.empty()) continue;
    EXPECT_THAT(judged.error().next.text(), HasSubstr("gap-1 (no key)"));
  }
}

TEST(judge, what_cannot_be_read_is_an_error) {
  EXPECT_FALSE(Attempt().send(R"({"kind":"baton.loop_control"})").judged());
  EXPECT_FALSE(Attempt().send(R"({"kind":"baton.loop_contrl"})").judged());
  EXPECT_FALSE(
      Attempt()
          .send(R"({"kind":"baton.user_dependency","need":"needs_user_choice","summary":"x"})")
          .judged());
}

Attempt assessed(std::string_view level) {
  Attempt attempt;
  attempt.workflow.declared.set("assessments", parsed(R"([{"id":"q","purpose":"p","dimensions":[
                                 {"id":"d","purpose":"p","levels":["low","high"]}]}])"));
  attempt.field("assessmentRefs", Array{"q"});
  attempt.field("assessmentConsequences", parsed(R"([{"when":{"anyEqualsLevel":"low"},
                            "effect":{"kind":"require_followup","guidance":"Again."}}])"));
  attempt.input.artifacts = {Object{{"kind", "baton.assessment"},
                                    {"assessmentId", "q"},
                                    {"dimensions", Array{Object{{"id", "d"}, {"level", level}}}}}};
  return attempt;
}

TEST(judge, a_follow_up_is_asked_for_once_a_step) {
  Attempt attempt = assessed("low");
  const Judgement first = MUST(attempt.judged());
  EXPECT_THAT(first.findings, SizeIs(1));
  EXPECT_THAT(kinds(first.facts), ElementsAre("assessment_recorded"));
  EXPECT_TRUE(first.step_context.contains("assessments"));

  apply(attempt.state, std::get<AssessmentRecorded>(first.facts[0]));
  EXPECT_THAT(MUST(attempt.judged()).findings, SizeIs(1));
  attempt.after_block = true;
  const Judgement again = MUST(attempt.judged());
  EXPECT_THAT(again.findings, IsEmpty());
  EXPECT_THAT(again.gaps, SizeIs(1));
}

TEST(judge, never_stop_keeps_no_follow_up_open) {
  Attempt attempt = assessed("low");
  attempt.state.preferences.autonomy = Autonomy::full_auto_never_stop;
  const Judgement judgement = MUST(attempt.judged());
  EXPECT_THAT(judgement.findings, SizeIs(1));
  EXPECT_THAT(std::get<AssessmentRecorded>(judgement.facts.at(0)).assessment.guidance, IsEmpty());
}

TEST(judge, preferences_that_change_are_held_against_the_recommendation) {
  Attempt attempt;
  attempt.workflow.declared.set("recommendedPreferences",
                                Object{{"recommendedAutonomy", "guided"}});
  attempt.state.preferences.autonomy = Autonomy::full_auto_never_stop;
  EXPECT_THAT(MUST(attempt.judged()).warnings, IsEmpty());
  attempt.input.preferences.autonomy = Autonomy::full_auto_never_stop;
  EXPECT_THAT(MUST(attempt.judged()).warnings, SizeIs(1));
}

TEST(judge, a_checkpoint_reports_and_nothing_is_required_of_it) {
  Attempt attempt;
  attempt.field("outputContract", Object{{"contract", "loop_control"}, {"required", true}});
  attempt.send(R"({"kind":"wr.divergence","reason":"efficiency_skip","summary":"skipped"})");
  state::ScriptAnswers answers;
  Scripts scripts(answers, {});
  const JudgeRequest judging{.workflow = attempt.workflow,
                             .step = attempt.workflow.steps[0],
                             .step_key = "a",
                             .state = attempt.state,
                             .input = attempt.input,
                             .scripts = scripts,
                             .after_block = false};
  const Judgement noted = MUST(note_checkpoint(judging.state, judging.input.artifacts));
  EXPECT_THAT(noted.findings, IsEmpty());
  EXPECT_THAT(kinds(noted.facts_when_passed), ElementsAre("divergence_recorded"));
}

}  // namespace
}  // namespace baton::run
