// Attempts from the command to the recorded facts: what is judged, weighed and recorded together.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/decide/decide.h"
#include "run/testing/sample_run.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Object;
using testing::decide_with;
using testing::draw_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A run of one workflow, each attempt made at the node before it.
class JudgedRun {
 public:
  explicit JudgedRun(std::string_view text, PreferencesDelta preferences = {})
      : pinned_(testing::yaml_workflow(text)) {
    last_ = MUST(decide_with(Decider::start({.workflow = &pinned_,
                                             .goal = "",
                                             .context = {},
                                             .preferences = preferences,
                                             .minting = {}}),
                             draw_of(1)));
  }

  Result<Decided> attempt(StepInput input, AttemptKind kind = AttemptKind::advance) {
    AdvanceCommand command;
    command.workflow = &pinned_.workflow;
    command.parent = last_.state;
    command.token_node = command.parent.node;
    command.attempt = {kind, 0, 0};
    if (kind == AttemptKind::advance) command.step = command.parent.open_steps.at(0);
    command.input = std::move(input);
    auto decided = decide_with(Decider::advance(command), draw_of(++nodes_));
    if (decided) {
      last_ = *decided;
      EXPECT_EQ(MUST(fold(command.parent, decided->commit.events)), decided->state);
    }
    return decided;
  }

  const Decided& last() const { return last_; }

 private:
  workflow::Pinned pinned_;
  Decided last_;
  std::size_t nodes_ = 1;
};

std::vector<std::string_view> kinds(const std::vector<Event>& events) {
  std::vector<std::string_view> out;
  for (const Event& event : events) out.push_back(kind_name(event));
  return out;
}

StepInput with_context(Object context) {
  StepInput input;
  input.context = std::move(context);
  return input;
}

StepInput with_artifact(std::string_view text) {
  StepInput input;
  input.artifacts = {MUST(json::parse(text))};
  return input;
}

/// A context that takes that many bytes as canonical JSON: {"k":"xxx"}.
Object context_of(std::string_view key, std::size_t bytes) {
  return {{key, std::string(bytes - key.size() - 7, 'x')}};
}

constexpr std::string_view two_steps = "{id: w, steps: [{id: a, prompt: p}, {id: b, prompt: p}]}";

TEST(judged_runs, a_context_that_outgrew_its_budget_blocks_and_keeps_what_was_there) {
  JudgedRun run(two_steps);
  ASSERT_TRUE(run.attempt(with_context(context_of("a", limits::context_bytes_max - 20))));
  const auto blocked = run.attempt(with_context(context_of("b", 100)));
  ASSERT_TRUE(blocked);
  ASSERT_THAT(blocked->reply.blockers, SizeIs(1));
  EXPECT_EQ(blocked->reply.blockers[0].code, BlockerCode::INVALID_REQUIRED_OUTPUT);
  EXPECT_EQ(blocked->reply.blockers[0].pointer, (Pointer{PointerKind::context_budget, ""}));
  EXPECT_TRUE(blocked->reply.retryable);
  EXPECT_FALSE(blocked->state.context->contains("b"));
  const auto smaller = run.attempt(with_context({{"a", nullptr}, {"b", "x"}}));
  ASSERT_TRUE(smaller);
  EXPECT_THAT(smaller->reply.blockers, IsEmpty());
  EXPECT_TRUE(smaller->state.context->contains("b"));
}

TEST(judged_runs, a_context_over_its_budget_is_a_gap_in_never_stop_mode) {
  JudgedRun run(two_steps, {Autonomy::full_auto_never_stop, std::nullopt});
  ASSERT_TRUE(run.attempt(with_context(context_of("a", limits::context_bytes_max - 20))));
  const auto decided = run.attempt(with_context(context_of("b", 100)));
  ASSERT_TRUE(decided);
  EXPECT_EQ(decided->reply.status, RunStatus::complete_with_gaps);
  EXPECT_THAT(decided->reply.gaps, SizeIs(1));
}

TEST(judged_runs, a_context_too_large_by_itself_is_the_callers_mistake) {
  JudgedRun run(two_steps);
  const auto refused = run.attempt(with_context(context_of("b", limits::context_bytes_max + 1)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
  EXPECT_TRUE(run.attempt(with_context(context_of("b", limits::context_bytes_max))));
}

TEST(judged_runs, what_a_checkpoint_reports_is_recorded_at_its_node) {
  JudgedRun run("{id: w, capabilities: {delegation: preferred}, steps: [{id: a, prompt: p}]}");
  const auto decided = run.attempt(
      with_artifact(R"({"kind":"baton.capability_observation","capability":"delegation",)"
                    R"("status":"available","provenance":"attempted_use"})"),
      AttemptKind::checkpoint);
  ASSERT_TRUE(decided);
  EXPECT_THAT(kinds(decided->commit.events),
              ElementsAre("advance_recorded", "node_output_appended", "node_created",
                          "edge_created", "capability_observed"));
  EXPECT_EQ(decided->reply.capabilities.at(Capability::delegation).status,
            CapabilityStatus::available);
  EXPECT_THAT(run.last().reply.pending->prompt, HasSubstr("delegation is available."));
  EXPECT_FALSE(
      run.attempt(with_artifact(R"({"kind":"baton.loop_control"})"), AttemptKind::checkpoint));
}

TEST(judged_runs, a_gap_that_is_open_is_not_recorded_twice) {
  JudgedRun run(
      "{id: w, capabilities: {delegation: preferred}, steps: [{id: l, type: loop, loop: {type: "
      "for, count: 2, maxIterations: 2}, body: [{id: a, prompt: p}]}, {id: b, prompt: p}]}");
  const std::string_view missing =
      R"({"kind":"baton.capability_observation","capability":"delegation",)"
      R"("status":"unavailable","provenance":"attempted_use","failureCode":"E"})";
  StepInput twice = with_artifact(missing);
  twice.artifacts.push_back(twice.artifacts[0]);
  EXPECT_THAT(MUST(run.attempt(twice)).reply.gaps, SizeIs(1));
  // Another step, even the same one in another round, is another place where something was left.
  EXPECT_THAT(MUST(run.attempt(with_artifact(missing))).reply.gaps, SizeIs(2));
}

TEST(judged_runs, only_a_guided_run_waits_for_confirmation) {
  const std::string_view text = "{id: w, steps: [{id: a, prompt: p, requireConfirmation: true}]}";
  for (const std::string_view name : names<Autonomy>()) {
    const Autonomy autonomy = *from_name<Autonomy>(name);
    const JudgedRun run(text, {autonomy, std::nullopt});
    EXPECT_TRUE(run.last().reply.pending->require_confirmation);
    EXPECT_EQ(run.last().reply.next_intent, autonomy == Autonomy::guided
                                                ? NextIntent::await_user_confirmation
                                                : NextIntent::perform_pending_then_continue);
  }
}

TEST(judged_runs, a_mode_beyond_the_recommendation_is_warned_of_when_it_is_chosen) {
  const std::string_view text =
      "{id: w, recommendedPreferences: {recommendedAutonomy: guided}, "
      "steps: [{id: a, prompt: p}, {id: b, prompt: p}, {id: c, prompt: p}]}";
  EXPECT_THAT(JudgedRun(text).last().reply.warnings, IsEmpty());
  JudgedRun run(text, {Autonomy::full_auto_never_stop, std::nullopt});
  EXPECT_THAT(run.last().reply.warnings, SizeIs(1));
  EXPECT_THAT(MUST(run.attempt({})).reply.warnings, IsEmpty());
  StepInput again;
  again.preferences.autonomy = Autonomy::full_auto_stop_on_user_deps;
  EXPECT_THAT(MUST(run.attempt(again)).reply.warnings, SizeIs(1));
}

TEST(judged_runs, divergence_and_closed_gaps_wait_for_the_attempt_that_passes) {
  JudgedRun run(
      "{id: w, steps: [{id: a, prompt: p, outputContract: {contractRef: loop_control}}]}");
  StepInput input =
      with_artifact(R"({"kind":"wr.divergence","reason":"safety_stop","summary":"stopped"})");
  EXPECT_THAT(kinds(MUST(run.attempt(input)).commit.events),
              ElementsAre("advance_recorded", "node_output_appended", "node_created",
                          "edge_created", "validation_performed"));
  input.artifacts.push_back(Object{{"kind", "baton.loop_control"}, {"decision", "stop"}});
  EXPECT_THAT(kinds(MUST(run.attempt(input)).commit.events),
              ::testing::Contains("divergence_recorded"));
}

}  // namespace
}  // namespace baton::run
