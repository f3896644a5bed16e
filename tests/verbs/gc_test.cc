// Removing quiet sessions, also while a caller returns to one.

#include <gtest/gtest.h>

#include <functional>

#include "support/world.h"
#include "verbs/run/revoke.h"
#include "verbs/store/gc.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using surface::SignedReply;

constexpr std::int64_t day_ms = 86'400'000;

TEST(gc, removes_quiet_sessions_and_keeps_the_others) {
  World world;
  const SignedReply old = world.start().value();
  world.manual_clock.advance_ms(50 * day_ms);
  const SignedReply fresh = world.start().value();
  world.manual_clock.advance_ms(40 * day_ms - 1);
  engine::Engine engine = world.engine();
  EXPECT_TRUE(verbs::gc(engine, {}).value().removed.empty());
  world.manual_clock.advance_ms(1);
  EXPECT_TRUE(verbs::gc(engine, {.only_completed = true}).value().removed.empty());
  const auto dry = verbs::gc(engine, {.dry_run = true}).value();
  EXPECT_EQ(dry.removed, std::vector{old.reply.session});
  EXPECT_EQ(dry.kept, 1);
  EXPECT_FALSE(world.store.purged(old.reply.session).value());
  EXPECT_EQ(verbs::gc(engine, {}).value().removed, std::vector{old.reply.session});
  EXPECT_TRUE(world.store.purged(old.reply.session).value());
  EXPECT_EQ(code_of(world.rehydrate(fresh.state_token)), "ok");
}

/// Runs an action between gc's read of a session and its removal.
class BeforePurge final : public adapters::FaultyStore {
 public:
  BeforePurge(World& world, std::function<void()> act)
      : adapters::FaultyStore(world.store), world_(world), act_(std::move(act)) {
    world.port = this;
  }

  Result<ports::PurgeOutcome> purge(const SessionId& session, run::Seq expected,
                                    WallMs at) override {
    world_.port = &world_.store;
    if (act_) std::exchange(act_, nullptr)();
    return FaultyStore::purge(session, expected, at);
  }

 private:
  World& world_;
  std::function<void()> act_;
};

// Enforces: G5
TEST(gc, keeps_a_run_that_becomes_active_meanwhile) {
  World world;
  const SignedReply old = world.start().value();
  world.manual_clock.advance_ms(100 * day_ms);
  std::string ack;
  BeforePurge racing(world, [&] { ack = *world.advance(*old.ack_token).value().ack_token; });
  engine::Engine engine = world.engine();
  const auto report = verbs::gc(engine, {}).value();
  EXPECT_TRUE(report.removed.empty());
  EXPECT_EQ(report.kept, 1);
  EXPECT_EQ(code_of(world.advance(ack)), "ok");
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

TEST(gc, keeps_a_session_in_which_only_tokens_were_revoked) {
  World world;
  const SignedReply old = world.start().value();
  world.manual_clock.advance_ms(100 * day_ms);
  engine::Engine engine = world.engine();
  ASSERT_TRUE(verbs::revoke(engine, *world.store.run(old.reply.run).value()));
  EXPECT_TRUE(verbs::gc(engine, {}).value().removed.empty());
  world.manual_clock.advance_ms(90 * day_ms);
  EXPECT_EQ(verbs::gc(engine, {}).value().removed, std::vector{old.reply.session});
}

TEST(gc, takes_the_texts_of_a_run_with_it_but_not_those_of_others) {
  World world(1, 3, 1000);
  const SignedReply old = world.start().value();
  ASSERT_TRUE(world.advance(*old.ack_token));
  world.manual_clock.advance_ms(100 * day_ms);
  const SignedReply fresh = world.start().value();
  const SignedReply next = world.advance(*fresh.ack_token).value();
  engine::Engine engine = world.engine();
  EXPECT_EQ(verbs::gc(engine, {}).value().removed, std::vector{old.reply.session});
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
  EXPECT_EQ(code_of(world.advance(*fresh.ack_token)), "ok") << "its recorded reply is whole";
  const Sha256 text = sha256(next.reply.pending->prompt);
  EXPECT_TRUE(world.store.blob(text).value());
  world.manual_clock.advance_ms(100 * day_ms);
  EXPECT_EQ(verbs::gc(engine, {}).value().removed, std::vector{fresh.reply.session});
  EXPECT_FALSE(world.store.blob(text).value());
}

// Enforces: G9
TEST(gc, takes_days_up_to_its_limit) {
  World world;
  ASSERT_TRUE(world.start());
  engine::Engine engine = world.engine();
  EXPECT_TRUE(verbs::gc(engine, {.quiet_days = limits::gc_quiet_days_max}));
  for (const std::int64_t days : {limits::gc_quiet_days_max + 1, std::int64_t{-1}, INT64_MAX}) {
    EXPECT_EQ(code_of(verbs::gc(engine, {.quiet_days = days})), "INVALID_INPUT") << days;
  }
  EXPECT_EQ(verbs::gc(engine, {.quiet_days = 0}).value().removed.size(), 1u);
}

}  // namespace
}  // namespace baton::testing
