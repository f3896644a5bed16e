// Scripts in runs: asked for when something is decided, and never again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/script/testing/scripted_host.h"
#include "base/text/text.h"
#include "support/world.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using json::Object;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Fails the test that runs a script.
class NoScripts final : public ports::ScriptHost {
 public:
  std::vector<std::optional<state::ScriptProblem>> check(
      std::span<const state::Script> scripts) override {
    ADD_FAILURE() << "scripts were checked";
    return std::vector<std::optional<state::ScriptProblem>>(scripts.size());
  }
  std::vector<state::ScriptResult> evaluate(std::span<const state::Evaluation> batch,
                                            const ports::ScriptQueueKey&) override {
    ADD_FAILURE() << "a script was run: " << batch.front().script.source;
    return {batch.size(), std::unexpected(state::ScriptProblem{})};
  }
};

/// Notes whose turn each batch takes, and has no turn left while it is busy.
class TurnHost final : public ports::ScriptHost {
 public:
  explicit TurnHost(ports::ScriptHost& inner) : inner_(inner) {}
  std::vector<std::optional<state::ScriptProblem>> check(
      std::span<const state::Script> scripts) override {
    return inner_.check(scripts);
  }
  std::vector<state::ScriptResult> evaluate(std::span<const state::Evaluation> batch,
                                            const ports::ScriptQueueKey& turn) override {
    turns.push_back(turn);
    if (!is_busy) return inner_.evaluate(batch, turn);
    return {batch.size(), std::unexpected(state::ScriptProblem{
                              state::ScriptFault::busy, "others wait", "wait for them", 0, 0})};
  }
  std::vector<ports::ScriptQueueKey> turns;
  bool is_busy = false;

 private:
  ports::ScriptHost& inner_;
};

constexpr std::string_view counting = R"({"id":"counting","steps":[
  {"id":"a","prompt":"It is {{ now() }}, chance {{ uuid() }}."},
  {"id":"l","type":"while","condition":"loop.iteration <= rounds","body":[
    {"id":"b","prompt":"Round {{ loop.iteration * 10 }}."}]}]})";

class scripts : public ::testing::Test {
 protected:
  scripts() {
    world.workflows.files.push_back({"project", "flows/counting.json", std::string(counting), {}});
    host.write("now()", [](const json::Value&, const state::ScriptSeed& draw) {
      return cat("at ", draw.now.value);
    });
    host.write("uuid()", [](const json::Value&, const state::ScriptSeed& draw) {
      return cat("seed ", draw.seed);
    });
    host.write("loop.iteration <= rounds", [](const json::Value& scope, const state::ScriptSeed&) {
      return *scope.find("loop")->find("iteration")->if_int() <= *scope.find("rounds")->if_int();
    });
    host.write("loop.iteration * 10", [](const json::Value& scope, const state::ScriptSeed&) {
      return *scope.find("loop")->find("iteration")->if_int() * 10;
    });
  }

  engine::Engine with(ports::ScriptHost* of) {
    engine::Engine engine = world.engine();
    engine.scripts = of;
    return engine;
  }

  Result<surface::SignedReply> start(ports::ScriptHost* of) {
    engine::Engine engine = with(of);
    return surface::start(engine, world.principal,
                          {"counting", "try it", Object{{"rounds", 2}}, {}});
  }

  Result<surface::SignedReply> advance(ports::ScriptHost* of, const std::optional<std::string>& ack,
                                       const std::string& notes = "done") {
    engine::Engine engine = with(of);
    run::StepInput input;
    input.notes = notes;
    return surface::advance(engine, world.principal, {*ack, std::nullopt, std::move(input)});
  }

  World world;
  adapters::ScriptedHost host;
  NoScripts none;
};

TEST_F(scripts, decide_and_fill_in_prompts_with_the_draw_of_the_call) {
  const auto first = MUST(start(&host));
  EXPECT_THAT(first.reply.pending->prompt, HasSubstr(cat("It is at ", morning.value)));
  const auto second = MUST(advance(&host, first.ack_token));
  EXPECT_EQ(second.reply.pending->step_id, "l@0::b");
  EXPECT_THAT(second.reply.pending->prompt, StartsWith("Round 10.\n"));
  const auto third = MUST(advance(&host, second.ack_token));
  EXPECT_THAT(third.reply.pending->prompt, StartsWith("Round 20.\n"));
  EXPECT_TRUE(MUST(advance(&host, third.ack_token)).reply.is_complete());
}

// Enforces: G6
TEST_F(scripts, are_not_run_by_a_replay_by_coming_back_or_by_verifying) {
  const auto first = MUST(start(&host));
  const auto second = MUST(advance(&host, first.ack_token));
  world.forget();
  EXPECT_TRUE(same(MUST(advance(&none, first.ack_token)), second));
  for (const auto* each : {&first, &second}) {
    world.forget();
    const auto back =
        MUST(surface::rehydrate(with(&none).reading(), world.principal, each->state_token));
    EXPECT_EQ(back.reply.pending, each->reply.pending);
  }
  EXPECT_TRUE(MUST(verbs::verify(world.store)).problems.empty());
  for (const auto& [node, state] : world.folded_states()) {
    EXPECT_EQ(MUST(world.cold_state(node)), state);
  }
}

TEST_F(scripts, that_fail_where_something_is_decided_change_nothing) {
  const auto first = MUST(start(&host));
  host.refuse("loop.iteration <= rounds",
              {state::ScriptFault::thrown, "rounds is lost", "find it", 1, 1});
  const run::CommitNo before = world.last_commit();
  const auto failed = advance(&host, first.ack_token);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::SCRIPT_FAILED);
  EXPECT_THAT(failed.error().message, HasSubstr("rounds is lost at line 1, column 1, in `loop."));
  EXPECT_EQ(world.last_commit(), before);
}

TEST_F(scripts, without_a_sandbox_are_refused_where_one_would_decide) {
  const auto started = MUST(start(nullptr));
  EXPECT_THAT(started.reply.pending->prompt, HasSubstr("[failed: this engine has no sandbox"));
  const auto failed = advance(nullptr, started.ack_token);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::ENVIRONMENT);
}

TEST_F(scripts, are_not_asked_for_by_a_workflow_without_any) {
  engine::Engine engine = with(&none);
  const auto started =
      MUST(surface::start(engine, world.principal, {"demo", "try it", Object(), {}}));
  EXPECT_TRUE(advance(&none, started.ack_token));
}

TEST_F(scripts, take_the_turn_of_their_workflow_and_run) {
  TurnHost watched(host);
  const auto one = MUST(start(&watched));
  const auto other = MUST(start(&watched));
  static_cast<void>(MUST(advance(&watched, one.ack_token)));
  ASSERT_GE(watched.turns.size(), 3u);
  const ports::ScriptQueueKey& first = watched.turns.front();
  EXPECT_EQ(first.run, one.reply.run.text());
  EXPECT_EQ(first.workflow, MUST(world.store.run(one.reply.run))->workflow_hash.hex());
  EXPECT_EQ(watched.turns.back(), first);
  const ports::ScriptQueueKey others{first.workflow, other.reply.run.text()};
  EXPECT_THAT(watched.turns, ::testing::Contains(others));
}

// Enforces: G9
TEST_F(scripts, without_a_turn_decide_nothing_and_the_same_call_passes_later) {
  TurnHost watched(host);
  watched.is_busy = true;
  const auto refused = start(&watched);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::SCRIPT_BUSY);
  EXPECT_EQ(refused.error().retry.after_ms, limits::retry_after_ms);
  EXPECT_EQ(world.last_commit().value, 0);
  watched.is_busy = false;
  const auto first = MUST(start(&watched));
  const run::CommitNo before = world.last_commit();
  watched.is_busy = true;
  for (const bool is_cold : {false, true}) {
    if (is_cold) world.forget();
    EXPECT_EQ(code_of(advance(&watched, first.ack_token)), "SCRIPT_BUSY");
    EXPECT_EQ(world.last_commit(), before);
  }
  watched.is_busy = false;
  EXPECT_EQ(MUST(advance(&watched, first.ack_token)).reply.pending->step_id, "l@0::b");
}

}  // namespace
}  // namespace baton::testing
