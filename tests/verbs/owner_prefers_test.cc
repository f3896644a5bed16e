// How far a run goes, as its owner sets it from the command line: a raise is a decision, which
// needs as sure a word as the policy asks for and as the gate that it could take away.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/world.h"
#include "verbs/run/decisions.h"
#include "verbs/run/hold_run.h"
#include "verbs/run/set_preferences.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using run::Assurance;
using run::Autonomy;
using run::ChangedHow;
using surface::SignedReply;
using ::testing::HasSubstr;

class OwnerPrefers : public ::testing::Test {
 protected:
  /// From here on as a process whose owner asks for this.
  void ask_for(std::optional<Assurance> assurance, std::optional<Autonomy> ceiling = {}) {
    policy = run::OwnerPolicy(run::PolicyStatements{
        {.source = run::PolicySource::flag, .autonomy = ceiling, .assurance = assurance}});
  }
  SignedReply begin(std::string_view step) {
    std::erase_if(world.workflows.files,
                  [](const auto& file) { return file.path == "flows/g.json"; });
    world.workflows.files.push_back(
        {"project",
         "flows/g.json",
         cat(R"({"id":"g","steps":[)", step, R"(,{"id":"after","prompt":"Go on."}]})"),
         {}});
    engine::Engine engine = with_policy();
    SignedReply reply = MUST(surface::start(
        engine, world.principal,
        {.workflow_id = "g", .goal = {}, .context = {}, .preferences = {}, .workspace_path = {}}));
    run = reply.reply.run;
    return reply;
  }
  SignedReply send(const std::string& ack) {
    engine::Engine engine = with_policy();
    return MUST(surface::advance(engine, world.principal,
                                 {.token = ack, .state_token = {}, .input = notes_of("did it")}));
  }
  run::RunRow row() { return *world.store.run(run).value(); }
  /// What holds then, or why it was refused and what comes next.
  std::string prefer(ChangedHow how, Autonomy autonomy) {
    engine::Engine engine = with_policy();
    const auto now = verbs::set_preferences(engine, {.how = how}, row(), {autonomy, {}});
    if (now) return std::string(name_of(now->autonomy));
    EXPECT_EQ(now.error().code, Code::INVALID_INPUT);
    return now.error().next.text();
  }
  std::string raise(ChangedHow how) { return prefer(how, Autonomy::full_auto_never_stop); }
  engine::Engine with_policy() {
    engine::Engine out = world.engine();
    out.policy.set(policy);
    return out;
  }
  void TearDown() override { EXPECT_TRUE(verbs::verify(world.store).value().ok()); }

  World world;
  run::OwnerPolicy policy;
  RunId run;
};

constexpr std::string_view plain = R"({"id":"ask","prompt":"Do it."})";
constexpr std::string_view confirmed =
    R"({"id":"ask","prompt":"Do it.","requireConfirmation":true})";
constexpr std::string_view never_stop = "full_auto_never_stop";
constexpr std::string_view at_a_terminal = "set them at a terminal";
constexpr std::string_view sign_it = "your signed approval lets it go further";

// Enforces: G27
TEST_F(OwnerPrefers, AtATerminalIsPresentAndFromElsewhereClaimed) {
  const std::vector<std::pair<std::optional<Assurance>, std::string_view>> rows = {
      {{}, never_stop},
      {Assurance::claimed, never_stop},
      {Assurance::asked, at_a_terminal},
      {Assurance::present, at_a_terminal}};
  for (const auto& [assurance, from_a_pipe] : rows) {
    ask_for(assurance);
    begin(plain);
    EXPECT_EQ(raise(ChangedHow::call), from_a_pipe);
    begin(plain);
    EXPECT_EQ(raise(ChangedHow::terminal), never_stop);
    const auto decisions = MUST(verbs::decisions_of(world.store, row()));
    ASSERT_EQ(decisions.size(), 1u);
    EXPECT_EQ(decisions[0].kind, run::GateKind::raise);
    EXPECT_EQ(decisions[0].word.assurance, Assurance::present);
  }
}

// Enforces: G27
TEST_F(OwnerPrefers, WhatNeedsASealIsLeftToAGateThatTakesOne) {
  ask_for(Assurance::sealed);
  begin(plain);
  for (const ChangedHow how : {ChangedHow::call, ChangedHow::terminal}) {
    EXPECT_THAT(raise(how), HasSubstr(sign_it));
    EXPECT_EQ(prefer(how, Autonomy::guided), "guided") << "a lowering is free";
  }
}

// Enforces: G27
TEST_F(OwnerPrefers, AreHeldToWhatWasRecordedWithTheRun) {
  ask_for(Assurance::sealed, Autonomy::full_auto_stop_on_user_deps);
  const SignedReply first = begin(plain);
  ask_for({});  // another process, which nothing was said to
  EXPECT_THAT(raise(ChangedHow::terminal), HasSubstr(sign_it));
  ask_for(Assurance::claimed, Autonomy::full_auto_stop_on_user_deps);
  begin(plain);
  ask_for({});
  EXPECT_EQ(raise(ChangedHow::terminal), "full_auto_stop_on_user_deps") << "the ceiling holds";
}

// Enforces: G27
TEST_F(OwnerPrefers, DoNotTakeAGateAwayWithAWordThatIsLess) {
  ask_for(Assurance::sealed);
  const SignedReply first = begin(confirmed);
  const SignedReply waits = send(*first.ack_token);
  ASSERT_TRUE(waits.reply.gate);
  EXPECT_EQ(waits.reply.gate->least, Assurance::sealed);
  ask_for({});
  EXPECT_THAT(raise(ChangedHow::terminal), HasSubstr(sign_it));
  EXPECT_EQ(send(*waits.ack_token).reply.kind, run::ReplyKind::blocked);

  ask_for({});
  const SignedReply other =
      begin(R"({"id":"ask","prompt":"Do it.","gate":{"assurance":"present"}})");
  ASSERT_TRUE(send(*other.ack_token).reply.gate);
  EXPECT_EQ(raise(ChangedHow::call), at_a_terminal) << "the gate that is open asks for more";
  EXPECT_EQ(raise(ChangedHow::terminal), never_stop);
}

TEST_F(OwnerPrefers, MayBeSetWhileTheRunIsHeld) {
  begin(plain);
  engine::Engine engine = with_policy();
  MUST(verbs::hold_run(engine, row(), run::Hold::paused, {"wait", {}}));
  EXPECT_EQ(raise(ChangedHow::call), never_stop);
  EXPECT_EQ(prefer(ChangedHow::call, Autonomy::guided), "guided");
}

}  // namespace
}  // namespace baton::testing
