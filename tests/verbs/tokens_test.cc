// What tokens are good for, and for nothing else.

#include <gtest/gtest.h>

#include "support/world.h"
#include "surface/tokens.h"
#include "verbs/run/revoke.h"

namespace baton::testing {
namespace {

using surface::SignedReply;

struct Used {
  std::string state, ack, checkpoint;
};

/// The codes a caller gets for each kind of token of a reply.
Used use(World& world, const SignedReply& reply) {
  return {code_of(world.rehydrate(reply.state_token)), code_of(world.advance(*reply.ack_token)),
          code_of(world.checkpoint(*reply.checkpoint_token))};
}

void expect_all(const Used& used, const std::string& code) {
  EXPECT_EQ(used.state, code);
  EXPECT_EQ(used.ack, code);
  EXPECT_EQ(used.checkpoint, code);
}

// Enforces: G8
TEST(tokens, of_one_kind_do_not_do_for_another) {
  World world;
  const SignedReply reply = world.start().value();
  for (const std::string& token : {*reply.ack_token, *reply.checkpoint_token}) {
    EXPECT_EQ(code_of(world.rehydrate(token)), "TOKEN_SCOPE_MISMATCH");
  }
  for (const std::string& token : {reply.state_token, *reply.checkpoint_token}) {
    EXPECT_EQ(code_of(world.advance(token)), "TOKEN_SCOPE_MISMATCH");
  }
  for (const std::string& token : {reply.state_token, *reply.ack_token}) {
    EXPECT_EQ(code_of(world.checkpoint(token)), "TOKEN_SCOPE_MISMATCH");
  }
  EXPECT_EQ(world.last_commit().value, 1);
}

// Enforces: G8
TEST(tokens, of_another_caller_are_answered_like_unknown_ones) {
  World world;
  const SignedReply reply = world.start().value();
  world.principal.name = "eve@example";
  expect_all(use(world, reply), "TOKEN_BAD_SIGNATURE");
  const auto foreign = world.rehydrate(reply.state_token);
  run::UnverifiedToken unknown = run::decode_token(reply.state_token).value();
  unknown.node = {16 * 4'711};
  const auto nowhere = world.rehydrate(run::encode_token(unknown));
  EXPECT_EQ(foreign.error(), nowhere.error());
  EXPECT_EQ(world.last_commit().value, 1);
}

// Enforces: G8
TEST(tokens, changed_in_any_field_are_refused) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply other = world.start().value();
  const run::UnverifiedToken good = run::decode_token(*first.ack_token).value();
  const run::UnverifiedToken of_other = run::decode_token(*other.ack_token).value();
  const auto code = [&](auto change) {
    run::UnverifiedToken token = good;
    change(token);
    return code_of(world.advance(run::encode_token(token)));
  };
  const std::string bad = "TOKEN_BAD_SIGNATURE";
  EXPECT_EQ(code([&](auto& t) { t.node = of_other.node; }), bad);
  EXPECT_EQ(code([&](auto& t) { t.mac = of_other.mac; }), bad);
  EXPECT_EQ(code([](auto& t) { t.count = 1; }), bad);
  EXPECT_EQ(code([](auto& t) { t.ordinal = 1; }), bad);
  EXPECT_EQ(code([](auto& t) { t.life_minutes = 1; }), bad);
  EXPECT_EQ(code([](auto& t) { t.key_slot = 1; }), bad);
  for (std::size_t bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(code([&](auto& t) { t.mac[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8)); }),
              bad);
  }
  // The MAC knows the kind too.
  run::UnverifiedToken as_checkpoint = good;
  as_checkpoint.kind = run::TokenKind::checkpoint;
  EXPECT_EQ(code_of(world.checkpoint(run::encode_token(as_checkpoint))), bad);
  EXPECT_EQ(world.last_commit().value, 2);
  EXPECT_EQ(code([](auto&) {}), "ok");
}

// Enforces: G8
TEST(tokens, of_another_store_are_not_ours) {
  World here(1);
  World elsewhere(2);
  const SignedReply reply = elsewhere.start().value();
  ASSERT_TRUE(here.start());
  expect_all(use(here, reply), "TOKEN_BAD_SIGNATURE");
}

// Enforces: G8
TEST(tokens, of_two_runs_do_not_go_together) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply other = world.start().value();
  engine::Engine engine = world.engine();
  const auto send = [&](const std::string& state) {
    return code_of(surface::advance(engine, {}, {*first.ack_token, state, notes_of("done")}));
  };
  EXPECT_EQ(send(other.state_token), "TOKEN_SCOPE_MISMATCH");
  EXPECT_EQ(send("st1nonsense"), "TOKEN_INVALID_FORMAT");
  EXPECT_EQ(send(*first.ack_token), "TOKEN_SCOPE_MISMATCH");
  EXPECT_EQ(world.last_commit().value, 2);
  EXPECT_EQ(send(first.state_token), "ok");
}

// Enforces: G8
TEST(tokens, of_a_revoked_run_are_rejected_and_other_runs_continue) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply second = world.advance(*first.ack_token).value();
  const SignedReply other = world.start().value();
  engine::Engine engine = world.engine();
  ASSERT_TRUE(verbs::revoke(engine, *world.store.run(first.reply.run).value()));
  expect_all(use(world, second), "TOKEN_REVOKED");
  expect_all(use(world, first), "TOKEN_REVOKED");
  expect_all(use(world, other), "ok");
}

// Enforces: G8
TEST(tokens, of_a_purged_run_do_nothing) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply other = world.start().value();
  world.purge(first.reply.session);
  expect_all(use(world, first), "TOKEN_UNKNOWN_NODE");
  expect_all(use(world, other), "ok");
}

std::string with_life(World& world, const SignedReply& reply, run::TokenKind kind,
                      std::uint16_t minutes) {
  const auto row = world.store.node_by_id(reply.reply.state.node).value();
  return surface::sign_claim(world.engine().reading(), world.principal,
                             {.kind = kind,
                              .node = row->id,
                              .ordinal = 0,
                              .count = 0,
                              .life_minutes = minutes,
                              .key_slot = 0},
                             *row)
      .value();
}

// Enforces: G8
TEST(tokens, past_their_life_are_refused) {
  World world;
  const SignedReply reply = world.start().value();
  const std::string ack = with_life(world, reply, run::TokenKind::ack, 10);
  const std::string state = with_life(world, reply, run::TokenKind::state, 10);
  world.manual_clock.advance_ms(10 * 60'000 - 1);
  EXPECT_EQ(code_of(world.rehydrate(state)), "ok");
  world.manual_clock.advance_ms(1);
  EXPECT_EQ(code_of(world.rehydrate(state)), "TOKEN_EXPIRED");
  EXPECT_EQ(code_of(world.advance(ack)), "TOKEN_EXPIRED");
  EXPECT_EQ(world.last_commit().value, 1);
  // Rail tokens have no end.
  world.manual_clock.set_wall({morning.value + 100LL * 365 * 86'400'000});
  expect_all(use(world, reply), "ok");
}

// Enforces: G8
TEST(tokens, outlive_a_rotated_key_and_not_a_retired_one) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply second = world.advance(*first.ack_token).value();
  ASSERT_TRUE(world.signer.rotate());
  EXPECT_TRUE(same(world.advance(*first.ack_token).value(), second));
  const SignedReply fresh = world.rehydrate(second.state_token).value();
  EXPECT_NE(fresh.state_token, second.state_token);
  ASSERT_TRUE(world.signer.retire(0));
  expect_all(use(world, second), "TOKEN_BAD_SIGNATURE");
  // Without the recorded key, a replay says the same and signs it with the current one.
  const std::string ack = with_life(world, first, run::TokenKind::ack, 0);
  const SignedReply again = world.advance(ack).value();
  EXPECT_EQ(again.reply, second.reply);
  EXPECT_NE(again.state_token, second.state_token);
  EXPECT_TRUE(world.rehydrate(again.state_token));
}

TEST(tokens, are_cleaned_of_what_agents_put_around_them) {
  World world;
  const SignedReply first = world.start().value();
  for (const std::string& text : {"\"" + first.state_token + "\"", "  " + first.state_token + "\n",
                                  first.state_token + ".", "`" + first.state_token + "`."}) {
    EXPECT_EQ(code_of(world.rehydrate(text)), "ok") << text;
  }
}

TEST(tokens, from_a_later_state_of_the_store_are_told_apart) {
  World world;
  const SignedReply first = world.start().value();
  const auto row = world.store.node_by_id(first.reply.state.node).value();
  const std::string later = surface::sign_claim(world.engine().reading(), world.principal,
                                                {run::TokenKind::ack, row->id, 0, 5, 0, 0}, *row)
                                .value();
  EXPECT_EQ(code_of(world.advance(later)), "TOKEN_UNKNOWN_NODE");
  EXPECT_EQ(world.last_commit().value, 1);
}

}  // namespace
}  // namespace baton::testing
