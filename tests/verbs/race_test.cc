// Two processes at one run: what one does while the other is about to append.

#include <gtest/gtest.h>

#include <functional>

#include "support/world.h"
#include "verbs/run/revoke.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using surface::SignedReply;

/// In a process that made the node itself, and in one that has just started: they go other ways.
class race : public ::testing::TestWithParam<bool> {
 protected:
  SignedReply start() {
    SignedReply reply = world.start().value();
    if (GetParam()) world.forget();
    return reply;
  }
  World world;
};
class faults : public race {};

std::string name_of_process(const ::testing::TestParamInfo<bool>& info) {
  return info.param ? "just_started" : "its_own_node";
}

INSTANTIATE_TEST_SUITE_P(each, race, ::testing::Values(false, true), name_of_process);
INSTANTIATE_TEST_SUITE_P(each, faults, ::testing::Values(false, true), name_of_process);

/// Runs an action just before the first append that comes through here.
class RacingStore final : public adapters::FaultyStore {
 public:
  RacingStore(World& world, std::function<void()> act)
      : adapters::FaultyStore(world.store), world_(world), act_(std::move(act)) {
    world.port = this;
  }
  ~RacingStore() override { world_.port = &world_.store; }

  Result<ports::AppendOutcome> append(run::CommitDraft append) override {
    if (act_) {
      world_.port = &world_.store;
      std::exchange(act_, nullptr)();
    }
    return FaultyStore::append(std::move(append));
  }

 private:
  World& world_;
  std::function<void()> act_;
};

NodeId parent_of(World& world, const SignedReply& reply) {
  const auto row = world.store.node_by_id(reply.reply.state.node).value();
  return world.store.node(*row->parent).value()->id;
}

// Enforces: G5
TEST_P(race, tokens_revoked_meanwhile_are_void) {
  const SignedReply first = start();
  const RacingStore racing(world, [&] {
    engine::Engine engine = world.engine();
    ASSERT_TRUE(verbs::revoke(engine, *world.store.run(first.reply.run).value()));
  });
  EXPECT_EQ(code_of(world.advance(*first.ack_token)), "TOKEN_REVOKED");
  EXPECT_EQ(world.last_commit().value, 2);
}

// Enforces: G5
TEST_P(race, advance_that_comes_second_reads_again_and_joins_the_checkpoint) {
  const SignedReply first = start();
  NodeId saved;
  const RacingStore racing(
      world, [&] { saved = world.checkpoint(*first.checkpoint_token).value().reply.state.node; });
  const SignedReply next = world.advance(*first.ack_token).value();
  EXPECT_EQ(parent_of(world, next), saved);
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

// Enforces: G22, G5
TEST_P(race, same_attempt_made_twice_at_once_has_one_outcome) {
  const SignedReply first = start();
  std::optional<SignedReply> winner;
  const RacingStore racing(world, [&] { winner = world.advance(*first.ack_token).value(); });
  const SignedReply second = world.advance(*first.ack_token).value();
  EXPECT_TRUE(same(second, *winner));
  EXPECT_EQ(world.last_commit().value, 2);
}

// Enforces: G22, G5
TEST_P(race, another_output_that_comes_second_forks_from_what_won) {
  const SignedReply first = start();
  std::optional<SignedReply> winner;
  const RacingStore racing(world, [&] { winner = world.advance(*first.ack_token, "one").value(); });
  const SignedReply second = world.advance(*first.ack_token, "two").value();
  ASSERT_TRUE(second.reply.left);
  EXPECT_EQ(second.reply.left->tip.node, winner->reply.state.node);
  EXPECT_EQ(parent_of(world, second), first.reply.state.node);
  EXPECT_EQ(world.last_commit().value, 3);
  EXPECT_TRUE(same(world.advance(*first.ack_token, "one").value(), *winner));
  EXPECT_TRUE(same(world.advance(*first.ack_token, "two").value(), second));
  EXPECT_EQ(world.last_commit().value, 3);
}

// Enforces: G22, G5
TEST_P(race, same_fork_made_twice_at_once_is_made_once) {
  const SignedReply first = start();
  ASSERT_TRUE(world.advance(*first.ack_token, "one"));
  std::optional<SignedReply> winner;
  const RacingStore racing(world, [&] { winner = world.advance(*first.ack_token, "two").value(); });
  const SignedReply second = world.advance(*first.ack_token, "two").value();
  EXPECT_TRUE(same(second, *winner));
  EXPECT_EQ(world.last_commit().value, 3);
}

// Enforces: G22
TEST_P(race, where_a_surface_does_not_fork_the_loser_gets_the_winners_reply_and_a_notice) {
  const SignedReply first = start();
  std::optional<SignedReply> winner;
  const RacingStore racing(world, [&] { winner = world.advance(*first.ack_token, "one").value(); });
  engine::Engine engine = world.engine();
  SignedReply second = surface::advance(engine, {},
                                        {.token = *first.ack_token,
                                         .state_token = {},
                                         .input = notes_of("two"),
                                         .other = run::OtherInput::notice})
                           .value();
  EXPECT_TRUE(second.notice);
  second.notice.reset();
  EXPECT_TRUE(same(second, *winner));
  EXPECT_EQ(world.last_commit().value, 2);
}

TEST_P(race, run_removed_meanwhile_gets_no_commit) {
  const SignedReply first = start();
  const RacingStore racing(world, [&] { world.purge(first.reply.session); });
  EXPECT_FALSE(world.advance(*first.ack_token));
  EXPECT_EQ(code_of(world.rehydrate(first.state_token)), "TOKEN_UNKNOWN_NODE");
}

// Enforces: G9
TEST_P(race, repeated_conflicts_end_with_a_time_to_retry) {
  const SignedReply first = start();
  adapters::FaultyStore faulty(world.store);
  using Store = adapters::FaultyStore;
  for (int nth = 1; nth <= limits::append_tries_max; ++nth) {
    faulty.inject(Store::Call::append, nth, {Store::Kind::head_moved, Code::STORE_FAILED});
  }
  world.port = &faulty;
  const auto busy = world.advance(*first.ack_token);
  ASSERT_EQ(code_of(busy), "TOKEN_SESSION_LOCKED");
  EXPECT_EQ(busy.error().retry.after_ms, limits::retry_after_ms);
  EXPECT_TRUE(world.advance(*first.ack_token));
  EXPECT_EQ(world.last_commit().value, 2);
}

// Enforces: G2, G22
TEST_P(faults, commit_whose_outcome_is_unknown_is_looked_up) {
  const SignedReply first = start();
  using Store = adapters::FaultyStore;
  world.faulty.inject(Store::Call::append, 1, {Store::Kind::commit_then_error, Code::STORE_FAILED});
  const SignedReply next = world.advance(*first.ack_token).value();
  EXPECT_EQ(world.last_commit().value, 2);
  EXPECT_TRUE(same(world.advance(*first.ack_token).value(), next));
  world.faulty.inject(Store::Call::append, 1, {Store::Kind::refuse, Code::STORE_FULL});
  EXPECT_EQ(code_of(world.advance(*next.ack_token)), "STORE_FULL");
  EXPECT_EQ(world.last_commit().value, 2);
  EXPECT_TRUE(world.advance(*next.ack_token));
}

}  // namespace
}  // namespace baton::testing
