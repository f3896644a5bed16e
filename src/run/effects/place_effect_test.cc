#include "run/effects/place_effect.h"

#include <gtest/gtest.h>

#include "run/testing/sample_run.h"

namespace baton::run {
namespace {

using Way = EffectPlan::Way;

EffectReceipt receipt(std::uint8_t hash, EffectOutcome outcome = EffectOutcome::succeeded) {
  EffectReceipt out{.node = testing::id_of<NodeId>(hash),
                    .step = "tag",
                    .hash = sha256(std::string(1, static_cast<char>(hash))),
                    .what = "tag",
                    .where = {},
                    .at = {},
                    .outcome = outcome};
  if (outcome == EffectOutcome::succeeded) out.output = "";
  return out;
}

Policy policy_of(OnFork rule) {
  return resolve(PolicyStatements{{.source = PolicySource::user_policy, .on_fork = rule}});
}

struct Asked {
  workflow::Step step;
  NodeState state;
  Policy policy;
  std::vector<EffectReceipt> elsewhere = {receipt(1)};
  std::uint8_t hash = 1;
  std::string choice;

  EffectPlan plan() const {
    return plan_effect(
        {step, state, policy, elsewhere, sha256(std::string(1, static_cast<char>(hash))), choice});
  }
};

// Enforces: G30
TEST(place_effect, strictest_of_the_step_and_the_policy_counts) {
  constexpr Way ways[] = {Way::ask, Way::reuse, Way::run};
  for (const OnFork own : {OnFork::ask, OnFork::reuse, OnFork::repeat}) {
    Asked asked;
    asked.step.on_fork = std::string(name_of(own));
    EXPECT_EQ(asked.plan().way, ways[static_cast<int>(own)]) << "where no other source speaks";
    for (const OnFork owner : {OnFork::ask, OnFork::reuse, OnFork::repeat}) {
      asked.policy = policy_of(owner);
      EXPECT_EQ(asked.plan().way, ways[static_cast<int>(std::min(own, owner))]);
    }
  }
}

// Enforces: G30
TEST(place_effect, takes_a_result_of_the_same_that_succeeded_and_asks_of_any_other) {
  Asked asked;
  asked.policy = policy_of(OnFork::reuse);
  EXPECT_EQ(asked.plan().way, Way::reuse);
  asked.hash = 2;
  EXPECT_EQ(asked.plan().way, Way::ask);
  asked.hash = 1;
  for (const EffectOutcome outcome :
       {EffectOutcome::open, EffectOutcome::failed, EffectOutcome::unknown}) {
    asked.elsewhere = {receipt(1, outcome)};
    EXPECT_EQ(asked.plan().way, Way::ask) << name_of(outcome);
  }
  asked.elsewhere = {receipt(3), receipt(1)};
  ASSERT_EQ(asked.plan().way, Way::reuse);
  EXPECT_EQ(asked.plan().of->node, receipt(1).node);
}

// Enforces: G30
TEST(place_effect, runs_where_no_other_branch_had_it_and_where_that_is_chosen) {
  Asked asked;
  EXPECT_EQ(asked.plan().way, Way::ask);
  asked.choice = "repeat";
  EXPECT_EQ(asked.plan().way, Way::run);
  asked.state.open_steps = {"tag"};
  auto known = std::make_shared<KnownFacts>();
  const Sha256 subject = sha256("what was asked about");
  known->passed = {{.step = "tag", .kind = GateKind::effect, .output = subject}};
  asked.state.ledger = known;
  EXPECT_EQ(chosen_effect(asked.state, sha256("another effect")), "");
  asked.choice = std::string(chosen_effect(asked.state, subject));
  EXPECT_EQ(asked.plan().way, Way::reuse) << "the first that is offered";
  asked.hash = 2;
  EXPECT_EQ(asked.plan().way, Way::run) << "then it is the only one";
  asked.hash = 1;
  asked.choice = "reuse";
  EXPECT_EQ(asked.plan().way, Way::reuse);
  asked.hash = 2;
  EXPECT_EQ(asked.plan().way, Way::ask) << "it has become another one";
  asked.choice = "";
  asked.policy = policy_of(OnFork::repeat);
  EXPECT_EQ(asked.plan().way, Way::run);
  EXPECT_TRUE(asked.plan().warning.contains("on_fork says (user_policy)"));
  asked.elsewhere.clear();
  asked.policy = {};
  EXPECT_EQ(asked.plan().way, Way::run);
}

// Enforces: G30
TEST(place_effect, of_a_run_that_never_stops_is_reused_only_where_reuse_could) {
  Asked asked;
  asked.state.preferences.autonomy = Autonomy::full_auto_never_stop;
  EXPECT_EQ(asked.plan().way, Way::reuse);
  EXPECT_FALSE(asked.plan().warning.empty());
  asked.hash = 2;
  EXPECT_EQ(asked.plan().way, Way::ask);
}

// Enforces: G30
TEST(place_effect, of_an_agent_is_not_reused_where_something_must_be_had_anew) {
  Asked asked;
  asked.policy = policy_of(OnFork::reuse);
  asked.elsewhere[0].by = EffectBy::agent;
  EXPECT_EQ(asked.plan().way, Way::reuse);
  Asked confirmed = asked;
  confirmed.step.require_confirmation = true;
  EXPECT_EQ(confirmed.plan().way, Way::ask);
  Asked gated = asked;
  gated.step.gate.emplace();
  EXPECT_EQ(gated.plan().way, Way::ask);
  Asked proved = asked;
  proved.state.evidence = std::make_shared<const StepEvidence>();
  EXPECT_EQ(proved.plan().way, Way::ask);
}

TEST(place_effect, steps_that_only_read_are_known_by_their_key) {
  workflow::CompiledWorkflow workflow = testing::sample_workflow().workflow;
  workflow.steps[1].effect = false;
  const ReadingSteps reads(workflow);
  EXPECT_TRUE(reads.contains("b"));
  EXPECT_TRUE(reads.contains("outer@0::b"));
  EXPECT_FALSE(reads.contains("a"));
  EXPECT_FALSE(reads.contains("outer@0::ab"));
}

}  // namespace
}  // namespace baton::run
