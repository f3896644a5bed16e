// Gates, as an agent, its user and other processes see them: what waits, what counts as a person's
// word, and what it lets pass.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "adapters/process/testing/scripted_processes.h"
#include "base/core/gate_limits.h"
#include "run/checks/artifacts.h"
#include "run/decide/gate_question.h"
#include "run/log/bundle.h"
#include "support/world.h"
#include "surface/gates.h"
#include "verbs/run/answer_gate.h"
#include "verbs/run/complete_step.h"
#include "verbs/run/waiting_gates.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using run::Assurance;
using run::Autonomy;
using run::BlockerCode;
using run::GateDecision;
using surface::SignedReply;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Autonomy modes[] = {Autonomy::guided, Autonomy::full_auto_stop_on_user_deps,
                              Autonomy::full_auto_never_stop};

json::Value confirmation(std::string words) {
  return json::Object{{"kind", run::confirmation_kind}, {"words", std::move(words)}};
}
json::Value assumption(std::string summary) {
  return json::Object{{"kind", run::assumption_kind}, {"summary", std::move(summary)}};
}

run::PreferencesDelta only(Autonomy autonomy) { return {autonomy, std::nullopt}; }

class GatesTest : public ::testing::Test {
 protected:
  /// Starts a run of these steps.
  SignedReply begin(std::string_view steps, run::PreferencesDelta delta = {}) {
    std::erase_if(world.workflows.files,
                  [](const auto& file) { return file.path == "flows/g.json"; });
    world.workflows.files.push_back(
        {"project", "flows/g.json", cat(R"({"id":"g","steps":[)", steps, "]}"), {}});
    engine::Engine engine = world.engine();
    SignedReply reply = MUST(surface::start(engine, world.principal,
                                            {.workflow_id = "g",
                                             .goal = {},
                                             .context = {},
                                             .preferences = delta,
                                             .workspace_path = {}}));
    run = reply.reply.run;
    return reply;
  }

  Result<SignedReply> send(const std::string& ack, const std::string& notes,
                           json::Array artifacts = {}, run::PreferencesDelta delta = {}) {
    engine::Engine engine = world.engine();
    surface::AttemptRequest request{.token = ack, .state_token = {}, .input = notes_of(notes)};
    request.input.artifacts = std::move(artifacts);
    request.input.preferences = delta;
    return surface::advance(engine, world.principal, request);
  }

  run::RunRow row() { return *world.store.run(run).value(); }

  static verbs::GateAnswer terminal(GateDecision decision, std::string reason = {}) {
    return {.decision = decision,
            .assurance = Assurance::present,
            .reason = std::move(reason),
            .source = {.how = run::ChangedHow::terminal}};
  }

  /// As another process, which the one that serves the agent learns of from the store alone.
  Result<verbs::AnsweredGate> answer(const verbs::GateAnswer& given,
                                     const std::optional<NodeId>& gate = {}) {
    engine::Caches elsewhere;
    engine::Engine engine = world.engine(elsewhere);
    return verbs::answer_gate(engine, row(), gate, given);
  }
  Result<verbs::AnsweredGate> approve() { return answer(terminal(GateDecision::approved)); }

  /// "passed", or the code of the first blocker.
  static std::string told(const Result<SignedReply>& reply) {
    if (!reply) return std::string(name_of(reply.error().code));
    if (reply->reply.kind != run::ReplyKind::blocked) return "passed";
    return std::string(name_of(reply->reply.blockers.front().code));
  }

  std::vector<run::GateDecided> decisions() {
    std::vector<run::GateDecided> out;
    for (const run::Commit& commit : world.whole_log()) {
      for (const run::Event& event : MUST(run::decode_events(commit.body))) {
        if (const auto* decided = std::get_if<run::GateDecided>(&event)) out.push_back(*decided);
      }
    }
    return out;
  }

  std::size_t waiting() {
    return MUST(verbs::waiting_gates(world.engine().reading())).gates.size();
  }

  /// What the log folds to is what every process sees, and the store is sound.
  void TearDown() override {
    for (const auto& [node, state] : world.folded_states()) {
      EXPECT_EQ(world.cold_state(node).value(), state);
    }
    EXPECT_TRUE(verbs::verify(world.store).value().ok());
    if (run == RunId{}) return;
    const std::string bundle = MUST(verbs::export_bundle(world.store, row().session));
    EXPECT_TRUE(run::decode_bundle(bundle)) << run::decode_bundle(bundle).error().message;
  }

  World world;
  RunId run;
};

constexpr std::string_view confirmed =
    R"({"id":"ask","prompt":"Do it.","requireConfirmation":true},{"id":"after","prompt":"Go on."})";
constexpr std::string_view gated =
    R"({"id":"ask","prompt":"Do it.","gate":{"prompt":"Ship it?"}},
       {"id":"after","prompt":"Go on."})";
constexpr std::string_view present_only =
    R"({"id":"ask","prompt":"Do it.","gate":{"assurance":"present"}},
       {"id":"after","prompt":"Go."})";

// --- the mode table -----------------------------------------------------------------------------

TEST_F(GatesTest, ConfirmationWaitsWhereTheRunIsGuided) {
  const SignedReply first = begin(confirmed);
  EXPECT_EQ(first.reply.next_intent, run::NextIntent::await_user_confirmation);
  const auto waits = send(*first.ack_token, "did it");
  EXPECT_EQ(told(waits), "GATE_WAITING");
  EXPECT_EQ(waits->reply.gate->kind, run::GateKind::confirmation);
  EXPECT_EQ(waits->reply.next_intent, run::NextIntent::await_user_confirmation);
  const auto passed = send(*waits->ack_token, "did it", {confirmation("Yes, go ahead.")});
  EXPECT_EQ(told(passed), "passed");
  EXPECT_EQ(passed->reply.pending->step_id, "after");
  const auto log = decisions();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].word.assurance, Assurance::claimed);
  EXPECT_EQ(log[0].word.reason, "Yes, go ahead.");
}

TEST_F(GatesTest, ConfirmationIsTheAgentsDecisionInFullAuto) {
  for (const Autonomy mode :
       {Autonomy::full_auto_stop_on_user_deps, Autonomy::full_auto_never_stop}) {
    const SignedReply first = begin(confirmed, only(mode));
    EXPECT_EQ(first.reply.next_intent, run::NextIntent::perform_pending_then_continue);
    const auto said = send(*first.ack_token, "did it", {assumption("It is small, so I did it.")});
    EXPECT_EQ(told(said), "passed");
    const auto last = send(*said->ack_token, "done");
    ASSERT_EQ(last->reply.assumptions.size(), 1u);
    EXPECT_EQ(last->reply.assumptions[0].summary, "It is small, so I did it.");
    const auto silent = send(*begin(confirmed, only(mode)).ack_token, "did it");
    EXPECT_EQ(told(silent),
              mode == Autonomy::full_auto_never_stop ? "passed" : "MISSING_REQUIRED_OUTPUT");
    if (mode == Autonomy::full_auto_never_stop) {
      EXPECT_EQ(silent->reply.gaps.front().severity, run::GapSeverity::critical);
    }
  }
  EXPECT_TRUE(decisions().empty());
}

TEST_F(GatesTest, AGateOfAStepWaitsInEveryMode) {
  for (const Autonomy mode : modes) {
    const SignedReply first = begin(gated, only(mode));
    const bool is_told = std::ranges::any_of(
        first.reply.warnings, [](const std::string& each) { return each.contains("a gate"); });
    EXPECT_EQ(is_told, mode == Autonomy::full_auto_never_stop);
    const auto waits = send(*first.ack_token, "did it", {assumption("Nobody is there.")});
    EXPECT_EQ(told(waits), "GATE_WAITING");
    EXPECT_EQ(waits->reply.gate->question, "Ship it?");
    EXPECT_EQ(told(send(*waits->ack_token, "did it", {confirmation("Ship it.")})), "passed");
  }
}

TEST_F(GatesTest, AQuestionIsAskedOrAssumedByTheMode) {
  constexpr std::string_view plain = R"({"id":"q","type":"user_input","prompt":"Which?"})";
  constexpr std::string_view with_default =
      R"({"id":"q","type":"user_input","prompt":"Which?","default":"blue"})";
  const auto attempt = [&](std::string_view steps, Autonomy mode, const std::string& notes,
                           json::Array artifacts = {}) {
    const SignedReply first = begin(steps, only(mode));
    engine::Engine engine = world.engine();
    surface::AttemptRequest request{.token = *first.ack_token, .state_token = {}, .input = {}};
    if (!notes.empty()) request.input.notes = notes;
    request.input.artifacts = std::move(artifacts);
    return surface::advance(engine, world.principal, request);
  };
  using enum Autonomy;
  EXPECT_EQ(told(attempt(plain, guided, "red")), "passed");
  EXPECT_EQ(told(attempt(plain, guided, "")), "USER_ONLY_DEPENDENCY");
  EXPECT_EQ(told(attempt(with_default, guided, "")), "GATE_WAITING");
  EXPECT_EQ(told(attempt(plain, full_auto_stop_on_user_deps, "")), "USER_ONLY_DEPENDENCY");
  const auto taken = attempt(with_default, full_auto_stop_on_user_deps, "");
  EXPECT_EQ(told(taken), "passed");
  EXPECT_EQ(taken->reply.open_gaps, 0);
  EXPECT_THAT(taken->reply.assumptions.at(0).summary, HasSubstr("blue"));
  const auto alone = attempt(with_default, full_auto_never_stop, "");
  EXPECT_EQ(told(alone), "passed");
  EXPECT_EQ(alone->reply.gaps.at(0).severity, run::GapSeverity::warning);
  const auto assumed =
      attempt(plain, full_auto_never_stop, "red", {assumption("Red, as the logo is.")});
  EXPECT_EQ(assumed->reply.gaps.at(0).severity, run::GapSeverity::warning);
  const auto silent = attempt(plain, full_auto_never_stop, "red");
  EXPECT_EQ(silent->reply.gaps.at(0).severity, run::GapSeverity::critical);
}

TEST_F(GatesTest, ARaiseInTheMiddleOfARunWaitsAndALoweringIsFree) {
  const run::PreferencesDelta up = only(Autonomy::full_auto_never_stop);
  const SignedReply first = begin(R"({"id":"a","prompt":"A."},{"id":"b","prompt":"B."})");
  const auto waits = send(*first.ack_token, "did it", {}, up);
  EXPECT_EQ(told(waits), "GATE_WAITING");
  EXPECT_EQ(waits->reply.gate->kind, run::GateKind::raise);
  EXPECT_EQ(waits->reply.preferences.autonomy, Autonomy::guided);
  MUST(approve());
  const auto raised = send(*waits->ack_token, "did it", {}, up);
  EXPECT_EQ(told(raised), "passed");
  EXPECT_EQ(raised->reply.preferences.autonomy, Autonomy::full_auto_never_stop);
  const auto lowered = send(*raised->ack_token, "done", {}, only(Autonomy::guided));
  EXPECT_EQ(told(lowered), "passed");
  EXPECT_EQ(decisions().size(), 1u);
}

// --- what counts as a word ----------------------------------------------------------------------

// Enforces: G27
TEST_F(GatesTest, NothingThatAnAgentSendsIsAPresentPersonsWord) {
  const SignedReply first = begin(present_only);
  auto waits = send(*first.ack_token, "did it", {confirmation("Yes, I am at the terminal.")});
  EXPECT_EQ(told(waits), "GATE_WAITING");
  EXPECT_THAT(waits->reply.blockers[0].message, HasSubstr("at least present"));
  // Not with a form that the agent's own client claims to have shown, either.
  engine::Engine engine = world.engine();
  surface::AttemptRequest request{
      .token = *waits->ack_token, .state_token = {}, .input = notes_of("did it")};
  request.asked = run::GateWord{.gate = {}, .assurance = Assurance::present};
  EXPECT_EQ(told(surface::advance(engine, world.principal, request)), "GATE_WAITING");
  verbs::GateAnswer form{.assurance = Assurance::asked, .source = {.how = run::ChangedHow::form}};
  EXPECT_EQ(code_of(answer(form)), "INVALID_INPUT");
  MUST(approve());
  EXPECT_EQ(told(send(*waits->ack_token, "did it")), "passed");
  EXPECT_EQ(decisions().at(0).word.assurance, Assurance::present);
}

// Enforces: G27
TEST_F(GatesTest, ASealThatIsNotCheckedCountsAsNothing) {
  const SignedReply first = begin(
      R"({"id":"ask","prompt":"Do it.","gate":{"assurance":"sealed"}},{"id":"b","prompt":"B."})");
  const auto waits = send(*first.ack_token, "did it");
  EXPECT_EQ(code_of(approve()), "INVALID_INPUT");
  verbs::GateAnswer sealed = terminal(GateDecision::approved);
  sealed.assurance = Assurance::sealed;
  EXPECT_EQ(code_of(answer(sealed)), "INVALID_INPUT");
  sealed.seal = run::Seal{"00", "00"};
  EXPECT_EQ(code_of(answer(sealed)), "INVALID_INPUT");
  // A word that is put into the log by other means is not believed either.
  run::GateAnswered forged{run, {.gate = waits->reply.gate->node}};
  forged.word.assurance = Assurance::sealed;
  forged.word.seal = run::Seal{"00", "00"};
  MUST(world.store.append({row().session, run::owner_key(forged), morning, {run::Event(forged)}}));
  EXPECT_EQ(told(send(*waits->ack_token, "did it")), "GATE_WAITING");
  verbs::GateAnswer named = terminal(GateDecision::approved);
  named.assurance = Assurance::identified;
  EXPECT_THAT(answer(named).error().message, HasSubstr("reserved"));
}

TEST_F(GatesTest, PlaceholdersAreNobodysWords) {
  const SignedReply first = begin(confirmed);
  for (const std::string_view words : {"",
                                       "  ",
                                       "...",
                                       "\xE2\x80\xA6",
                                       "<the user's own words>",
                                       "<yes>",
                                       "yes?",
                                       "TBD",
                                       "?",
                                       "\xE2\x80\x8B",
                                       "\xE2\x81\xA0\xC2\xAD",
                                       "\xE3\x85\xA4",
                                       "\xE2\xA0\x80",
                                       "\xC2\xA0 \xE2\x80\x94",
                                       "[the user's own words]",
                                       "(the user's own words)",
                                       "\"<the user's own words>\"",
                                       "your words here",
                                       "{{words}}",
                                       "the user\xE2\x80\x99s own words."}) {
    EXPECT_EQ(told(send(*first.ack_token, "did it", {confirmation(std::string(words))})),
              "INVALID_INPUT")
        << words;
  }
  EXPECT_EQ(told(send(*first.ack_token, "did it", {json::Object{{"kind", "baton.confirmation"}}})),
            "INVALID_INPUT");
  const auto long_words = [&](std::size_t bytes) {
    return told(send(*first.ack_token, "did it", {confirmation(std::string(bytes, 'y'))}));
  };
  EXPECT_EQ(long_words(limits::gate_reason_bytes_max + 1), "INVALID_INPUT");
  EXPECT_EQ(long_words(limits::gate_reason_bytes_max), "passed");
}

TEST_F(GatesTest, AssumptionsAreKeptUpToTheirLimits) {
  const SignedReply first = begin(R"({"id":"a","prompt":"A."})");
  const auto with = [&](std::size_t bytes) {
    return told(send(*first.ack_token, "did it", {assumption(std::string(bytes, 'y'))}));
  };
  EXPECT_EQ(with(limits::assumption_bytes_max + 1), "INVALID_INPUT");
  EXPECT_EQ(with(limits::assumption_bytes_max), "passed");
  run::NodeState state;
  for (std::size_t i = 0; i <= limits::kept_assumptions_max; ++i) {
    apply(state, run::AssumptionRecorded{state.run, state.node, {"a", "b"}});
  }
  EXPECT_EQ(state.known().assumptions.size(), limits::kept_assumptions_max);
}

// --- the output that the person saw -------------------------------------------------------------

// Enforces: G27
TEST_F(GatesTest, AWordCountsForTheOutputThatThePersonSaw) {
  const SignedReply first = begin(gated);
  const auto waits = send(*first.ack_token, "the safe way");
  MUST(approve());
  const auto other = send(*waits->ack_token, "another way");
  EXPECT_EQ(told(other), "GATE_WAITING");
  EXPECT_NE(other->reply.gate->node, waits->reply.gate->node);
  EXPECT_NE(other->reply.gate->output, waits->reply.gate->output);
  EXPECT_EQ(told(send(*other->ack_token, "another way")), "GATE_WAITING");
  MUST(approve());
  EXPECT_EQ(told(send(*other->ack_token, "another way")), "passed");
}

// Enforces: G22, G27
TEST_F(GatesTest, TheSameOutputPassesOnceThereIsAWordAndIsReplayedForEver) {
  const SignedReply first = begin(gated);
  const auto waits = send(*first.ack_token, "did it");
  const run::CommitNo last = world.last_commit();
  // While it waits nothing is recorded, with either token, in any process.
  EXPECT_TRUE(same(*send(*first.ack_token, "did it"), *waits));
  EXPECT_TRUE(same(*send(*waits->ack_token, "did it"), *waits));
  world.forget();
  EXPECT_TRUE(same(*send(*waits->ack_token, "did it"), *waits));
  EXPECT_EQ(world.last_commit(), last);
  MUST(approve());
  // The process that would have gone on is gone; another one does.
  world.forget();
  const auto passed = send(*first.ack_token, "did it");
  EXPECT_EQ(told(passed), "passed");
  EXPECT_TRUE(same(*send(*first.ack_token, "did it"), *passed));
  EXPECT_TRUE(same(*send(*waits->ack_token, "did it"), *passed));
  world.forget();
  EXPECT_TRUE(same(*send(*first.ack_token, "did it"), *passed));
}

TEST_F(GatesTest, ARefusalCarriesItsReasonToTheAgent) {
  const SignedReply first = begin(gated);
  const auto waits = send(*first.ack_token, "did it");
  MUST(answer(terminal(GateDecision::refused, "the tests are red")));
  const auto seen = world.rehydrate(waits->state_token);
  EXPECT_THAT(seen->reply.blockers[0].message, HasSubstr("the tests are red"));
  const auto refused = send(*waits->ack_token, "did it");
  EXPECT_EQ(told(refused), "GATE_REFUSED");
  EXPECT_TRUE(refused->reply.retryable);
  EXPECT_THAT(refused->reply.blockers[0].message, HasSubstr("the tests are red"));
  // The refusal counts for that output; another one is asked about anew.
  EXPECT_EQ(told(send(*refused->ack_token, "did it")), "GATE_REFUSED");
  const auto better = send(*refused->ack_token, "did it better");
  EXPECT_EQ(told(better), "GATE_WAITING");
  MUST(approve());
  EXPECT_EQ(told(send(*better->ack_token, "did it better")), "passed");
}

TEST_F(GatesTest, ABranchThatBeginsAboveAsksAgain) {
  const SignedReply first = begin(gated);
  const auto waits = send(*first.ack_token, "did it");
  MUST(approve());
  EXPECT_EQ(told(send(*waits->ack_token, "did it")), "passed");
  EXPECT_EQ(told(send(*first.ack_token, "something else")), "GATE_WAITING");
}

constexpr std::string_view for_an_hour =
    R"({"id":"ask","prompt":"Do it.","gate":{"expires":"1h","assurance":"present"}},)"
    R"({"id":"b","prompt":"B."})";

// Refused: The agent goes on with an approval after the time of its gate.
TEST_F(GatesTest, AnApprovalIsUsedInTimeOrNotAtAll) {
  for (const std::int64_t late_ms : {-1, 0}) {
    const SignedReply first = begin(for_an_hour);
    const auto waits = send(*first.ack_token, "did it");
    MUST(approve());
    world.manual_clock.advance_ms(3'600'000 + late_ms);
    EXPECT_EQ(told(send(*waits->ack_token, "did it")), late_ms < 0 ? "passed" : "GATE_WAITING");
  }
}

// Refused: The agent lets a gate that was refused expire, and sends its output again.
TEST_F(GatesTest, ARefusalIsNotPassedByWaiting) {
  const SignedReply first = begin(for_an_hour);
  const auto waits = send(*first.ack_token, "did it");
  MUST(answer(terminal(GateDecision::refused)));
  world.manual_clock.advance_ms(3'600'000);
  EXPECT_EQ(told(send(*waits->ack_token, "did it")), "GATE_WAITING") << "the user is asked again";
  EXPECT_EQ(told(send(*first.ack_token, "did it")), "GATE_REFUSED");
  EXPECT_EQ(told(send(*first.ack_token, "did more")), "GATE_WAITING") << "it is asked about anew";
}

// Refused: The agent claims the user's word at a gate that has expired and asks for more.
TEST_F(GatesTest, AClaimIsNoMoreAfterTheTimeOfAGate) {
  const SignedReply first = begin(for_an_hour);
  const auto waits = send(*first.ack_token, "did it");
  world.manual_clock.advance_ms(3'600'000);
  EXPECT_EQ(told(send(*waits->ack_token, "did it", {confirmation("Fine with me.")})),
            "GATE_WAITING");
}

// Refused: A program approves a gate after its time.
TEST_F(GatesTest, AnApprovalOfAnExpiredGateNoLongerCounts) {
  const SignedReply first =
      begin(R"({"id":"ask","prompt":"Do it.","gate":{"expires":"1h"}},{"id":"b","prompt":"B."})");
  const auto waits = send(*first.ack_token, "did it");
  world.manual_clock.advance_ms(3'600'000);
  EXPECT_EQ(code_of(approve()), "INVALID_INPUT");
  // With the token of the answer the same output opens a gate anew.
  const auto again = send(*waits->ack_token, "did it");
  EXPECT_EQ(told(again), "GATE_WAITING");
  EXPECT_NE(again->reply.gate->node, waits->reply.gate->node);
  MUST(approve());
  world.manual_clock.advance_ms(3'600'000);
  EXPECT_EQ(told(send(*again->ack_token, "did it")), "GATE_WAITING");
}

// Enforces: G22, G27
TEST_F(GatesTest, AnOutputPassesOnceInWhateverWordsAndByWhicheverToken) {
  for (const bool is_claimed : {false, true}) {
    const SignedReply first = begin(present_only);
    const auto waits = send(*first.ack_token, "did it");
    MUST(approve());
    const json::Array words = {confirmation("Yes, do it.")};
    const auto passed = send(*waits->ack_token, "did it", is_claimed ? words : json::Array{});
    EXPECT_EQ(told(passed), "passed");
    const auto later = send(*passed->ack_token, "went on");
    const run::CommitNo last = world.last_commit();
    for (const auto& token : {first.ack_token, waits->ack_token}) {
      for (const json::Array& said : {json::Array{}, words, json::Array{confirmation("Sure.")}}) {
        EXPECT_TRUE(same(*send(*token, "did it", said), *passed));
        world.forget();
      }
    }
    EXPECT_EQ(world.last_commit(), last);
    EXPECT_TRUE(later.has_value());
    // What else such a call asks for is not dropped without a word.
    const auto more = send(*waits->ack_token, "did it", {}, only(Autonomy::full_auto_never_stop));
    EXPECT_EQ(told(more), "passed");
    EXPECT_THAT(more->reply.warnings.back(), HasSubstr("preferences of this call were not set"));
    EXPECT_EQ(world.last_commit(), last);
  }
}

// Enforces: G27
TEST_F(GatesTest, AWordIsAboutItsOutputWhateverCameBetween) {
  for (const bool is_late : {false, true}) {
    const SignedReply first = begin(present_only);
    const auto a = send(*first.ack_token, "A");
    if (!is_late) MUST(approve());
    const auto b = send(*a->ack_token, "B");
    EXPECT_EQ(told(b), "GATE_WAITING");
    if (is_late) MUST(answer(terminal(GateDecision::approved), a->reply.gate->node));
    const auto passed = send(is_late ? *first.ack_token : *b->ack_token, "A");
    EXPECT_EQ(told(passed), "passed");
    EXPECT_EQ(decisions().back().output, a->reply.gate->output);
    EXPECT_EQ(decisions().back().word.gate, a->reply.gate->node);
  }
}

// Enforces: G27
TEST_F(GatesTest, ARefusedOutputStaysRefused) {
  const json::Array claim = {confirmation("Yes, do it.")};
  for (const int sent_between : {0, 1, 2}) {
    const SignedReply first = begin(gated);
    const auto waits = send(*first.ack_token, "drop it");
    MUST(answer(terminal(GateDecision::refused, "never")));
    std::string token = *waits->ack_token;
    for (int i = 0; i < sent_between; ++i) {
      const auto between = send(token, i == 0 ? "drop it" : "keep it");
      EXPECT_EQ(told(between), i == 0 ? "GATE_REFUSED" : "GATE_WAITING");
      token = *between->ack_token;
    }
    const auto claimed = send(token, "drop it", claim);
    EXPECT_EQ(told(claimed), "GATE_REFUSED");
    EXPECT_THAT(claimed->reply.blockers[0].message, HasSubstr("never"));
    EXPECT_EQ(told(send(*claimed->ack_token, "drop it", claim)), "GATE_REFUSED");
    EXPECT_EQ(told(send(*claimed->ack_token, "keep it after all", claim)), "passed");
  }
}

// Enforces: G27
TEST_F(GatesTest, AStepIsNotPassedByTheWordThatItFailed) {
  const json::Array failure = {json::Object{{"kind", "baton.step_failure"}, {"message", "cannot"}}};
  constexpr std::string_view command =
      R"({"id":"ask","type":"shell_command","command":"rm x","gate":true,"on_error":"continue"},
         {"id":"after","prompt":"Go on."})";
  const SignedReply first = begin(command);
  const auto early = send(*first.ack_token, "", failure);
  EXPECT_EQ(told(early), "GATE_WAITING");
  EXPECT_THAT(early->reply.warnings.back(), HasSubstr("had not begun"));
  MUST(approve());
  const auto begun = send(*early->ack_token, "");
  EXPECT_EQ(begun->reply.pending->step_id, "ask");
  // Once it has begun, its author says what a failure does.
  EXPECT_EQ(send(*begun->ack_token, "", failure)->reply.pending->step_id, "after");

  constexpr std::string_view output =
      R"({"id":"ask","type":"mcp_call","tool":"x.deploy","gate":{"assurance":"present"},
          "on_error":"continue"},{"id":"after","prompt":"Go on."})";
  for (const Autonomy mode : modes) {
    for (const bool is_first : {true, false}) {
      const SignedReply start = begin(output, only(mode));
      std::string token = *start.ack_token;
      if (!is_first) token = *send(token, "did it")->ack_token;
      const auto waits = send(token, "", failure);
      EXPECT_EQ(told(waits), "GATE_WAITING");
      EXPECT_THAT(waits->reply.gate->question, HasSubstr("said to have failed: cannot"));
      EXPECT_EQ(told(send(*waits->ack_token, "", failure)), "GATE_WAITING");
      MUST(approve());
      EXPECT_EQ(send(*waits->ack_token, "", failure)->reply.pending->step_id, "after");
    }
  }
}

TEST_F(GatesTest, WhatIsAgreedToIsShownWithItsSizesAndHashes) {
  const SignedReply first = begin(gated);
  engine::Engine engine = world.engine();
  surface::AttemptRequest request{
      .token = *first.ack_token, .state_token = {}, .input = notes_of("did it")};
  request.input.context = json::Object{{"target", "production"}};
  const json::Value big =
      json::Object{{"kind", "plan"}, {"text", std::string(limits::gate_output_bytes_max, 'p')}};
  request.input.artifacts = {big, json::Object{{"kind", "small"}}};
  EXPECT_EQ(told(surface::advance(engine, world.principal, request)), "GATE_WAITING");
  const auto shown = MUST(verbs::waiting_gates(world.engine().reading())).gates.at(0);
  std::vector<std::string> parts;
  for (const verbs::GatePart& each : shown.parts) {
    parts.push_back(
        cat(name_of(each.kind), ' ', each.name, ' ', each.bytes, each.is_cut() ? " cut" : ""));
  }
  std::ranges::sort(parts);
  const std::size_t bytes = MUST(json::canonical(big)).size();
  EXPECT_THAT(parts, ::testing::ElementsAre(cat("artifact plan ", bytes, " cut"),
                                            "artifact small 16", "context target 12", "notes  6"));
  EXPECT_TRUE(shown.is_cut());
}

TEST_F(GatesTest, PartsOfAnOutputAreListedUpToALimit) {
  for (const std::size_t more : {std::size_t{0}, std::size_t{1}}) {
    const SignedReply first = begin(gated);
    json::Array artifacts(limits::gate_parts_max - 1 + more, json::Object{{"kind", "small"}});
    EXPECT_EQ(told(send(*first.ack_token, "did it", std::move(artifacts))), "GATE_WAITING");
    const auto shown = *MUST(verbs::waiting_gate(world.engine().reading(), row()));
    EXPECT_EQ(shown.parts.size(), limits::gate_parts_max);
    EXPECT_EQ(shown.parts_left, more);
    EXPECT_EQ(shown.is_cut(), more > 0);
  }
}

TEST_F(GatesTest, AQuestionNamesWhatItCuts) {
  const auto is_cut = [](const std::string& text) { return text.contains("not shown"); };
  const auto lines = [&](std::size_t command, std::size_t value, std::size_t values) {
    run::ProcessIntended intended;
    intended.argv = {"sh", "-c", std::string(command - 6, 'c')};
    for (std::size_t i = 0; i < values; ++i) {
      intended.environment.emplace(cat("V", i), std::string(value, 'v'));
    }
    return run::command_lines(intended);
  };
  EXPECT_FALSE(is_cut(lines(limits::gate_command_bytes_max, 1, 1)));
  EXPECT_TRUE(is_cut(lines(limits::gate_command_bytes_max + 1, 1, 1)));
  EXPECT_FALSE(is_cut(lines(10, limits::gate_value_bytes_max - 2, 1)));
  EXPECT_TRUE(is_cut(lines(10, limits::gate_value_bytes_max - 1, 1)));
  EXPECT_TRUE(lines(10, 200, limits::gate_values_bytes_max / 200 + 1).contains("more values"));
  const std::string whole(limits::gate_prompt_bytes_max, 'p');
  EXPECT_FALSE(is_cut(run::beginning_of(whole, limits::gate_prompt_bytes_max)));
  EXPECT_TRUE(is_cut(run::beginning_of(whole + 'p', limits::gate_prompt_bytes_max)));
}

TEST_F(GatesTest, AFormShowsAnOutputUpToALimit) {
  for (const std::size_t more : {std::size_t{0}, std::size_t{1}}) {
    const SignedReply first = begin(gated);
    const std::string name(limits::gate_part_name_bytes_max + more, 'k');
    EXPECT_EQ(told(send(*first.ack_token, std::string(limits::gate_form_bytes_max + more, 'n'))),
              "GATE_WAITING");
    const auto waiting = *MUST(verbs::waiting_gate(world.engine().reading(), row()));
    const auto shown = surface::shown_parts(waiting, limits::gate_form_bytes_max);
    EXPECT_EQ(shown.at(0).title.contains("are shown"), more > 0);
    const SignedReply other = begin(gated);
    EXPECT_EQ(told(send(*other.ack_token, "n", {json::Object{{"kind", name}}})), "GATE_WAITING");
    const auto named = *MUST(verbs::waiting_gate(world.engine().reading(), row()));
    EXPECT_EQ(named.parts.back().name == name, more == 0);
  }
}

TEST_F(GatesTest, AConfirmationHasWordsAndAChoiceAlone) {
  const SignedReply first = begin(confirmed);
  json::Object word = *confirmation("Yes.").if_object();
  word.set("also", "the next ones");
  EXPECT_EQ(told(send(*first.ack_token, "did it", {word})), "INVALID_INPUT");
}

// --- decided once -------------------------------------------------------------------------------

// Enforces: G27
TEST_F(GatesTest, IsDecidedOnceByWhoeverIsFirst) {
  const SignedReply first = begin(gated);
  const auto waits = send(*first.ack_token, "did it");
  constexpr int people = 8;
  std::atomic<int> heard = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < people; ++i) {
    threads.emplace_back([&, i] {
      const auto decision = i % 2 == 0 ? GateDecision::approved : GateDecision::refused;
      if (answer(terminal(decision))) ++heard;
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(heard, 1);
  const auto late = approve();
  EXPECT_THAT(late.error().message, HasSubstr("is decided: the user (local)"));
  EXPECT_NE(told(send(*waits->ack_token, "did it")), "GATE_WAITING");
}

// Enforces: G27
TEST_F(GatesTest, AWordThatCameWithTheAttemptDecidesToo) {
  const SignedReply first = begin(gated);
  const auto waits = send(*first.ack_token, "did it");
  const NodeId gate = waits->reply.gate->node;
  EXPECT_EQ(told(send(*waits->ack_token, "did it", {confirmation("Fine with me.")})), "passed");
  const auto late = answer(terminal(GateDecision::refused), gate);
  EXPECT_THAT(late.error().message, HasSubstr("is decided"));
}

// --- commands -----------------------------------------------------------------------------------

TEST_F(GatesTest, AGateOfACommandOpensBeforeItStarts) {
  const SignedReply first = begin(
      R"({"id":"rm","type":"shell_command","command":"rm x","gate":true},{"id":"b","prompt":"B."})",
      only(Autonomy::full_auto_never_stop));
  ASSERT_TRUE(first.reply.gate);
  EXPECT_EQ(first.reply.gate->kind, run::GateKind::command);
  EXPECT_THAT(first.reply.gate->question, HasSubstr("Command: sh -c rm x\nThe agent runs it."));
  EXPECT_THAT(first.reply.pending->prompt, HasSubstr("has not begun. Do nothing for it yourself."));
  // The result of a command that must not have been run yet is not taken.
  const auto early = send(*first.ack_token, "I ran it");
  EXPECT_EQ(told(early), "GATE_WAITING");
  MUST(approve());
  const auto begun = send(*early->ack_token, "I ran it");
  EXPECT_EQ(told(begun), "passed");
  EXPECT_EQ(begun->reply.pending->step_id, "rm");
  EXPECT_THAT(begun->reply.pending->prompt, HasSubstr("rm x"));
  EXPECT_EQ(send(*begun->ack_token, "done")->reply.pending->step_id, "b");
}

TEST_F(GatesTest, ARefusedCommandFailsItsStep) {
  const SignedReply first = begin(
      R"({"id":"rm","type":"shell_command","command":"rm x","gate":true,"on_error":"continue"},
         {"id":"b","prompt":"B."})");
  MUST(answer(terminal(GateDecision::refused, "keep it")));
  const auto next = send(*first.ack_token, "");
  EXPECT_EQ(next->reply.pending->step_id, "b");
}

class TrustsAll final : public ports::Trust {
 public:
  Result<ports::TrustVerdict> judge(const Sha256&, const std::string&) override {
    return ports::TrustVerdict{true, ""};
  }
  Result<ports::TrustVerdict> judge(const Sha256&, const std::string&,
                                    const ports::NamedFiles&) override {
    return ports::TrustVerdict{true, ""};
  }
};

// Enforces: G7, G30
TEST_F(GatesTest, NoCallSettlesAStepWhoseCommandRunsBecauseAPersonLetIt) {
  adapters::ScriptedProcesses processes;
  TrustsAll trust;
  processes.write("tag", [](const ports::Process&) {
    return adapters::ScriptedProgram{.output = "REAL", .ms = 60'000};
  });
  std::erase_if(world.workflows.files,
                [](const auto& file) { return file.path == "flows/g.json"; });
  world.workflows.files.push_back(
      {"project",
       "flows/g.json",
       R"({"id":"g","default_state":{"raw":{"out":""}},"state_schema":{"raw":{"out":"string"}},
           "steps":[{"id":"one","prompt":"One."},
           {"id":"tag","type":"shell_command","command":"tag","gate":{"assurance":"present"},
            "state_update":{"path":"raw.out","value":"{{ result }}"}},
           {"id":"rest","prompt":"It said {{ out }}."}]})",
       {}});
  engine::Caches elsewhere;
  const auto engine = [&](bool is_elsewhere) {
    engine::Engine out = is_elsewhere ? world.engine(elsewhere) : world.engine();
    out.processes = &processes;
    out.trust = &trust;
    return out;
  };
  const auto send_to = [&](bool is_elsewhere, const std::string& ack, const std::string& notes,
                           std::int64_t ms) {
    engine::Engine with = engine(is_elsewhere);
    return surface::advance(
               with, world.principal,
               {.token = ack, .state_token = {}, .input = notes_of(notes), .wait = {.ms_max = ms}})
        .value();
  };
  engine::Engine with = engine(false);
  const SignedReply first = MUST(surface::start(with, world.principal,
                                                {.workflow_id = "g",
                                                 .goal = {},
                                                 .context = {},
                                                 .preferences = {},
                                                 .workspace_path = "/work"}));
  run = first.reply.run;
  const SignedReply gate = send_to(false, *first.ack_token, "one", 1);
  ASSERT_TRUE(gate.reply.gate);
  EXPECT_THAT(gate.reply.gate->question, HasSubstr("Command: sh -c tag\nFolder: /work"));
  MUST(approve());
  EXPECT_EQ(send_to(false, *gate.ack_token, "go", 1).reply.pending->step_id, "tag");
  const run::CommitNo last = world.last_commit();
  const SignedReply early = send_to(false, *gate.ack_token, "FAKE", 1);
  EXPECT_EQ(early.reply.pending->step_id, "tag");
  EXPECT_THAT(early.reply.pending->prompt, HasSubstr("running"));
  EXPECT_EQ(world.last_commit(), last);
  const SignedReply ended = send_to(false, *gate.ack_token, "go", 120'000);
  EXPECT_EQ(ended.reply.pending->prompt, "It said REAL.");
  for (const bool is_elsewhere : {false, true}) {
    const SignedReply late = send_to(is_elsewhere, *gate.ack_token, "FAKE", 1);
    EXPECT_EQ(late.reply.pending->prompt, "It said REAL.");
    EXPECT_FALSE(late.reply.left);
  }
  EXPECT_EQ(processes.started().size(), 1u);
}

TEST_F(GatesTest, AreListedWhileTheyWait) {
  EXPECT_EQ(waiting(), 0u);
  const SignedReply first = begin(gated);
  EXPECT_EQ(waiting(), 0u);
  const auto waits = send(*first.ack_token, std::string(limits::gate_output_bytes_max + 1, 'x'));
  const auto listed = MUST(verbs::waiting_gates(world.engine().reading()));
  ASSERT_EQ(listed.gates.size(), 1u);
  EXPECT_EQ(listed.gates[0].gate, *waits->reply.gate);
  EXPECT_EQ(listed.gates[0].run.run, run);
  ASSERT_EQ(listed.gates[0].parts.size(), 1u);
  EXPECT_EQ(listed.gates[0].parts[0].text.size(), limits::gate_output_bytes_max);
  EXPECT_EQ(listed.gates[0].parts[0].bytes, limits::gate_output_bytes_max + 1);
  EXPECT_TRUE(listed.gates[0].is_cut());
  MUST(approve());
  EXPECT_EQ(waiting(), 0u);
  EXPECT_EQ(code_of(answer(terminal(GateDecision::approved), NodeId{})), "NOT_FOUND");
}

TEST_F(GatesTest, AreListedUpToALimit) {
  for (std::size_t i = 0; i < limits::listed_gates_max; ++i) {
    ASSERT_EQ(told(send(*begin(gated).ack_token, "did it")), "GATE_WAITING");
  }
  EXPECT_FALSE(MUST(verbs::waiting_gates(world.engine().reading())).has_more);
  EXPECT_EQ(told(send(*begin(gated).ack_token, "did it")), "GATE_WAITING");
  const auto listed = MUST(verbs::waiting_gates(world.engine().reading()));
  EXPECT_TRUE(listed.has_more);
  EXPECT_EQ(listed.gates.size(), limits::listed_gates_max);
}

TEST_F(GatesTest, AreTheSameForCallersWithoutTokens) {
  begin(gated);
  const auto complete = [&](const std::string& notes) {
    engine::Engine engine = world.engine();
    return verbs::complete_step(engine, world.principal,
                                {.run = run.text(), .step = "ask", .input = notes_of(notes)});
  };
  const auto waits = complete("did it");
  ASSERT_TRUE(waits->reply.gate);
  const run::CommitNo last = world.last_commit();
  EXPECT_EQ(complete("did it")->reply.blockers, waits->reply.blockers);
  EXPECT_EQ(world.last_commit(), last);
  MUST(approve());
  EXPECT_EQ(complete("did it")->reply.pending->step_id, "after");
}

}  // namespace
}  // namespace baton::testing
