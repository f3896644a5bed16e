// Effects over random runs with forks, undos and crashes: the world is what the receipts say.

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/core/effect_limits.h"
#include "engine/effects/read_effects.h"
#include "support/effects_scene.h"

namespace baton::testing {
namespace {

using run::EffectOutcome;
using run::UndoOutcome;

constexpr std::string_view many_effects = R"({"id": "demo",
  "inputs": {"who": {"type": "string", "default": "ann"}}, "steps": [
  {"id": "plan", "prompt": "Plan."},
  {"id": "rep", "type": "shell_command", "command": "rep", "on_fork": "repeat"},
  {"id": "once", "type": "shell_command", "command": "once {{ inputs.who }}", "on_fork": "reuse"},
  {"id": "middle", "prompt": "Go on."},
  {"id": "ask", "type": "shell_command", "command": "ask", "undo": "unask"},
  {"id": "mail", "prompt": "Mail {{ who }}.", "effect": true, "on_fork": "reuse"},
  {"id": "flaky", "type": "shell_command", "command": "flaky", "on_fork": "reuse",
   "on_error": "retry", "retry_count": 2},
  {"id": "look", "type": "shell_command", "command": "look", "effect": false},
  {"id": "end", "prompt": "End."}]})";

constexpr int random_runs = 150;
constexpr int random_acts = 30;

/// One run that is forked, left, taken up again, undone and killed at random.
class RandomRun : public Scene {
 public:
  explicit RandomRun(std::uint32_t seed) : Scene(seed), random_(seed) {
    world.workflows.files.front().text = many_effects;
    for (const std::string step : {"rep", "ask", "flaky", "look", "unask"}) happens(step, step);
    happens("once \"${BATON_V1}\"", "once");
    first_ = start({}, {{"who", "ann"}});
    acks_.push_back(*first_.ack_token);
  }

  void act() {
    switch (random_() % 8) {
      case 0: return die();
      case 1:
        world.faulty.inject(adapters::FaultyStore::Call::append, 1 + random_() % 3,
                            {random_() % 2 == 0 ? adapters::FaultyStore::Kind::refuse
                                                : adapters::FaultyStore::Kind::commit_then_error});
        return go_on();
      case 2: {
        // Which of several is meant is left open, and then it is refused.
        static_cast<void>(undo(first_.reply.run, "ask"));
        return;
      }
      case 3: {
        const auto answered =
            approve(first_.reply.run, random_() % 2 == 0 ? "repeat" : "reuse",
                    random_() % 4 == 0 ? run::GateDecision::refused : run::GateDecision::approved);
        static_cast<void>(answered);
        return;
      }
      default: return go_on();
    }
  }

  void expect_that_receipts_are_true() {
    die();
    std::map<std::string, int> known;
    std::map<std::string, int> unknown;
    std::map<std::string, int> undone;
    std::map<std::string, int> failed;
    const auto held = engine::read_effects(engine().reading(), first_.reply.session).value();
    for (const EffectReceipt& each : held->ledger.receipts()) {
      const bool is_known =
          each.outcome == EffectOutcome::succeeded || each.outcome == EffectOutcome::failed;
      if (each.end || each.by == run::EffectBy::agent || each.outcome == EffectOutcome::open) {
        ++(is_known ? known : unknown)[each.step];
      }
      undone[each.step] += each.undone == UndoOutcome::done;
      failed[each.step] += each.outcome == EffectOutcome::failed;
    }
    for (const std::string step : {"rep", "once", "ask", "flaky", "look"}) {
      EXPECT_GE(happened_[step], known[step]) << step;
      EXPECT_LE(happened_[step], known[step] + unknown[step]) << step;
    }
    const int chosen = words_recorded();
    EXPECT_LE(happened_["once"], 1 + chosen) << "no person chose to do it again";
    EXPECT_LE(happened_["ask"], 1 + undone["ask"] + chosen);
    EXPECT_LE(happened_["flaky"], 3 * (1 + chosen)) << "its author lets it be tried again twice";
    EXPECT_LE(happened_["unask"], happened_["ask"] + undos_failed_);
    expect_sound();
  }
  int happened(const std::string& step) { return happened_[step]; }

 private:
  /// Of persons, in the log.
  int words_recorded() {
    int out = 0;
    for (const run::Commit& commit : world.whole_log()) {
      out += commit.body.contains("\"kind\":\"gate_answered\"");
    }
    return out;
  }

  void happens(const std::string& command, const std::string& step) {
    processes.write(command, [this, step](const ports::Process&) {
      ++happened_[step];
      adapters::ScriptedProgram out{.output = "fine\n"};
      if (step == "flaky" || step == "unask") out.code = random_() % 3 == 0 ? 1 : 0;
      if (step == "unask" && out.code != 0) ++undos_failed_;
      if (random_() % 5 == 0) out.ms = limits::process_wait_ms_max + 5'000;
      return out;
    });
  }

  void die() {
    world.forget();
    processes.call(cat("server", ++deaths_));
  }

  void go_on() {
    engine::Engine with = engine();
    const std::string& ack = random_() % 3 == 0 ? acks_.front() : acks_[random_() % acks_.size()];
    run::StepInput input = notes_of(cat("way ", random_() % 3));
    if (random_() % 4 == 0) input.context = {{"who", random_() % 2 == 0 ? "ann" : "bob"}};
    const auto reply = surface::advance(
        with, world.principal, {.token = ack, .state_token = {}, .input = input, .wait = {}});
    if (!reply) return die();
    if (reply->ack_token) acks_.push_back(*reply->ack_token);
  }

  std::mt19937 random_;
  SignedReply first_;
  std::vector<std::string> acks_;
  std::map<std::string, int> happened_;
  int undos_failed_ = 0;
  int deaths_ = 0;
};

// Enforces: G30
TEST(effects, world_never_differs_from_the_receipts) {
  int repeated = 0;
  for (std::uint32_t seed = 1; seed <= random_runs; ++seed) {
    RandomRun run(seed);
    for (int i = 0; i < random_acts; ++i) run.act();
    run.expect_that_receipts_are_true();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    repeated += run.happened("rep") > 1;
  }
  EXPECT_GT(repeated, random_runs / 4) << "enough of them forked";
}

}  // namespace
}  // namespace baton::testing
