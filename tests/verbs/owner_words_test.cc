// What the owner says about a run: that it is held, and guidance for its agent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "support/world.h"
#include "verbs/run/history.h"
#include "verbs/run/hold_run.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using run::Hold;
using surface::SignedReply;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class owner : public ::testing::Test {
 protected:
  run::RunRow row() { return *world.store.run(first.reply.run).value(); }
  /// As another process: the one that serves the agent learns of it from the store alone.
  Result<run::RunHeld> hold(Hold to, const std::string& why = "because") {
    engine::Caches elsewhere;
    engine::Engine engine = world.engine(elsewhere);
    return verbs::hold_run(engine, row(), to, {why, {.how = run::ChangedHow::terminal}});
  }
  Result<run::Guidance> guide(const std::string& text) {
    engine::Caches elsewhere;
    engine::Engine engine = world.engine(elsewhere);
    return verbs::guide_run(engine, row(), {text, {.how = run::ChangedHow::terminal}});
  }
  static std::vector<std::string> texts(const SignedReply& reply) {
    std::vector<std::string> out;
    for (const run::Guidance& each : reply.reply.guidance) out.push_back(each.text);
    return out;
  }

  World world;
  SignedReply first = world.start().value();
};

// Enforces: G24
TEST_F(owner, holds_a_run_on_every_branch_and_at_once) {
  const SignedReply second = world.advance(*first.ack_token).value();
  const SignedReply saved = world.checkpoint(*second.checkpoint_token).value();
  for (const Hold to : {Hold::paused, Hold::cancelled}) {
    MUST(hold(to));
    const run::CommitNo last = world.last_commit();
    const std::string code = to == Hold::paused ? "RUN_PAUSED" : "RUN_CANCELLED";
    EXPECT_EQ(code_of(world.advance(*second.ack_token)), code);
    EXPECT_EQ(code_of(world.advance(*saved.ack_token)), code);
    EXPECT_EQ(code_of(world.checkpoint(*first.checkpoint_token)), code);
    EXPECT_EQ(world.last_commit(), last);
    const SignedReply seen = world.rehydrate(second.state_token).value();
    EXPECT_EQ(seen.hold->hold, to);
    EXPECT_EQ(seen.reply.next_intent, run::NextIntent::await_user_confirmation);
  }
  MUST(hold(Hold::running));
  EXPECT_FALSE(world.rehydrate(second.state_token).value().hold);
  EXPECT_TRUE(world.advance(*second.ack_token));
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

TEST_F(owner, holds_no_recorded_answer_back) {
  const SignedReply second = world.advance(*first.ack_token).value();
  MUST(hold(Hold::paused));
  EXPECT_TRUE(same(world.advance(*first.ack_token).value(), second));
  world.forget();
  EXPECT_TRUE(same(world.advance(*first.ack_token).value(), second));
}

TEST_F(owner, cannot_say_the_same_twice) {
  EXPECT_EQ(code_of(hold(Hold::running)), "INVALID_INPUT");
  EXPECT_EQ(MUST(hold(Hold::paused)).number, 1);
  EXPECT_EQ(code_of(hold(Hold::paused)), "INVALID_INPUT");
  EXPECT_EQ(MUST(hold(Hold::running)).number, 2);
}

TEST_F(owner, gives_guidance_that_comes_once_on_each_branch) {
  MUST(guide("one"));
  MUST(guide("two"));
  EXPECT_THAT(texts(world.rehydrate(first.state_token).value()), ElementsAre("one", "two"));
  const SignedReply second = world.advance(*first.ack_token).value();
  EXPECT_THAT(texts(second), ElementsAre("one", "two"));
  EXPECT_TRUE(same(world.advance(*first.ack_token).value(), second));
  MUST(guide("three"));
  const SignedReply third = world.advance(*second.ack_token).value();
  EXPECT_THAT(texts(third), ElementsAre("three"));
  EXPECT_THAT(texts(world.rehydrate(third.state_token).value()), IsEmpty());
  // A branch that begins before the guidance was delivered has not had it.
  const SignedReply saved = world.checkpoint(*first.checkpoint_token).value();
  EXPECT_THAT(texts(saved), ElementsAre("one", "two", "three"));
  for (const auto& [node, state] : world.folded_states()) {
    EXPECT_EQ(world.cold_state(node).value(), state);
  }
}

/// By the process that made the nodes, which reads nothing of a run where nothing came since, and
/// by one that has to.
// Enforces: G24
TEST_F(owner, gives_the_rest_of_much_guidance_with_the_next_replies) {
  for (const bool forgets : {false, true}) {
    const std::int64_t count = 2 * limits::guidance_per_reply_max + 1;
    first = world.start().value();
    std::vector<std::string> said;
    for (std::int64_t i = 0; i < count; ++i) said.push_back(cat("word ", i));
    for (const std::string& each : said) MUST(guide(each));
    std::vector<std::string> told;
    SignedReply at = first;
    for (const std::int64_t due : {limits::guidance_per_reply_max, limits::guidance_per_reply_max,
                                   std::int64_t{1}, std::int64_t{0}}) {
      if (forgets) world.forget();
      at = at.checkpoint_token ? world.checkpoint(*at.checkpoint_token).value() : at;
      const std::vector<std::string> now = texts(at);
      EXPECT_EQ(std::ssize(now), due);
      told.insert(told.end(), now.begin(), now.end());
    }
    EXPECT_EQ(told, said);
  }
}

// Enforces: G24
TEST_F(owner, loses_no_word_when_several_people_speak_at_once) {
  constexpr int people = 8;
  std::vector<std::thread> threads;
  for (int i = 0; i < people; ++i) {
    threads.emplace_back([&] { MUST(guide("me too")); });
  }
  for (std::thread& each : threads) each.join();
  const auto told = MUST(verbs::guidance_of(world.store, row()));
  ASSERT_EQ(std::ssize(told), people);
  for (int i = 0; i < people; ++i) {
    EXPECT_EQ(told[static_cast<std::size_t>(i)].guidance.number, i + 1);
  }
}

}  // namespace
}  // namespace baton::testing
