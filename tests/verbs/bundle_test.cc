// Sessions carried from store to store.

#include <gtest/gtest.h>

#include "support/world.h"
#include "verbs/run/history.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/import_bundle.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using surface::SignedReply;

/// A run with a checkpoint, a fork and enough steps for a snapshot.
SignedReply work(World& world) {
  const SignedReply first = world.start({{"k", 1}}).value();
  (void)world.checkpoint(*first.checkpoint_token).value();
  SignedReply reply = world.advance(*first.ack_token).value();
  for (int i = 0; i < 25; ++i) reply = world.advance(*reply.ack_token, "n", {{"i", i}}).value();
  const SignedReply back = world.rehydrate(first.state_token).value();
  return world.advance(*back.ack_token, "another way").value();
}

std::string exported(World& world, const SessionId& session) {
  return verbs::export_bundle(world.store, session).value();
}

/// A token for a node, as the console would issue it to an authorised user.
std::string mint_state(World& world, run::NodeNo no) {
  const auto row = world.store.node(no).value();
  return surface::sign_claim(world.engine().reading(), world.principal,
                             {run::TokenKind::state, row->id, 0, 0, 0, 0}, *row)
      .value();
}

TEST(bundles, export_import_export_is_identical) {
  for (const std::size_t prompt_bytes : {10u, 400u}) {
    World here(1, 40, prompt_bytes);
    const SignedReply tip = work(here);
    const std::string text = exported(here, tip.reply.session);
    World there(2);
    ASSERT_TRUE(there.start());  // so that commit and node numbers differ
    engine::Engine engine = there.engine();
    const auto imported = verbs::import_bundle(engine, text).value();
    EXPECT_FALSE(imported.renamed);
    EXPECT_EQ(imported.session, tip.reply.session);
    EXPECT_EQ(imported.runs, std::vector{tip.reply.run});
    EXPECT_EQ(exported(there, imported.session), text);
    EXPECT_TRUE(verbs::verify(there.store).value().ok());
    EXPECT_EQ(there.cold_state(tip.reply.state.node).value(),
              here.cold_state(tip.reply.state.node).value());
  }
}

// Enforces: G8
TEST(bundles, tokens_are_new_and_old_ones_are_left_out) {
  World here(1, 40);
  const SignedReply tip = work(here);
  World there(2);
  engine::Engine engine = there.engine();
  ASSERT_TRUE(verbs::import_bundle(engine, exported(here, tip.reply.session)));
  EXPECT_EQ(code_of(there.rehydrate(tip.state_token)), "TOKEN_BAD_SIGNATURE");
  EXPECT_EQ(code_of(there.advance(*tip.ack_token)), "TOKEN_BAD_SIGNATURE");
  const auto run = there.store.run(tip.reply.run).value();
  const SignedReply again = there.rehydrate(mint_state(there, run->tip)).value();
  EXPECT_EQ(again.reply.pending, tip.reply.pending);
  EXPECT_TRUE(there.advance(*again.ack_token));
  EXPECT_TRUE(verbs::verify(there.store).value().ok());
  EXPECT_EQ(code_of(here.rehydrate(tip.state_token)), "ok");
}

// Enforces: G22
TEST(bundles, attempts_recorded_before_are_replayed_after) {
  World here(1, 40, 400);
  const SignedReply first = here.start().value();
  const SignedReply second = here.advance(*first.ack_token).value();
  World there(2);
  engine::Engine engine = there.engine();
  ASSERT_TRUE(verbs::import_bundle(engine, exported(here, first.reply.session)));
  const auto row = there.store.node_by_id(first.reply.state.node).value();
  const std::string ack =
      surface::sign_claim(there.engine().reading(), there.principal, *first.reply.ack, *row)
          .value();
  const run::CommitNo last = there.last_commit();
  EXPECT_EQ(there.advance(ack).value().reply, second.reply);
  EXPECT_EQ(there.last_commit(), last);
}

TEST(bundles, imported_where_they_come_from_get_other_names) {
  World world(1, 40, 400);
  const SignedReply tip = work(world);
  const std::string text = exported(world, tip.reply.session);
  engine::Engine engine = world.engine();
  const auto imported = verbs::import_bundle(engine, text).value();
  EXPECT_TRUE(imported.renamed);
  EXPECT_NE(imported.session, tip.reply.session);
  EXPECT_EQ(exported(world, tip.reply.session), text);
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
  const auto old_run = world.store.run(tip.reply.run).value();
  const auto new_run = world.store.run(imported.runs.at(0)).value();
  EXPECT_EQ(new_run->nodes, old_run->nodes);
  const auto old_tree = verbs::run_tree(world.engine().reading(), *old_run).value();
  const auto new_tree = verbs::run_tree(world.engine().reading(), *new_run).value();
  for (std::size_t i = 0; i < old_tree.size(); ++i) {
    EXPECT_EQ(new_tree[i].parent, old_tree[i].parent);
    EXPECT_EQ(new_tree[i].notes, old_tree[i].notes);
    EXPECT_EQ(*world.cold_state(new_tree[i].id).value().context,
              *world.cold_state(old_tree[i].id).value().context);
  }
  const SignedReply again = world.rehydrate(mint_state(world, new_run->tip)).value();
  EXPECT_TRUE(world.advance(*again.ack_token));
  // The copy is a session of its own: a third import gets names of its own again.
  EXPECT_NE(verbs::import_bundle(engine, text).value().session, imported.session);
}

TEST(bundles, imported_after_a_purge_do_not_bring_old_tokens_back) {
  World world(1, 40);
  const SignedReply tip = work(world);
  const std::string text = exported(world, tip.reply.session);
  world.purge(tip.reply.session);
  engine::Engine engine = world.engine();
  EXPECT_TRUE(verbs::import_bundle(engine, text).value().renamed);
  EXPECT_NE(code_of(world.rehydrate(tip.state_token)), "ok");
}

// Enforces: G2
TEST(bundles, damaged_ones_change_nothing) {
  World here(1, 3);
  const SignedReply first = here.start().value();
  ASSERT_TRUE(here.advance(*first.ack_token));
  const std::string text = exported(here, first.reply.session);
  World there(2);
  engine::Engine engine = there.engine();
  for (std::size_t i = 0; i < text.size(); i += 13) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(verbs::import_bundle(engine, damaged)) << i;
  }
  EXPECT_EQ(there.last_commit().value, 0);
  EXPECT_EQ(there.faulty.count(adapters::FaultyStore::Call::append), 0);
  EXPECT_TRUE(verbs::import_bundle(engine, text));
}

// Enforces: G2
TEST(bundles, are_taken_whole_or_not_at_all_when_the_store_fails) {
  World here(1, 3);
  const SignedReply first = here.start().value();
  ASSERT_TRUE(here.advance(*first.ack_token));
  const std::string text = exported(here, first.reply.session);
  using Store = adapters::FaultyStore;
  for (int nth = 1; nth <= 3; ++nth) {
    World there(2);
    there.faulty.inject(Store::Call::append, nth, {Store::Kind::refuse, Code::STORE_FULL});
    engine::Engine engine = there.engine();
    const bool taken = verbs::import_bundle(engine, text).has_value();
    EXPECT_EQ(there.last_commit().value, taken ? 2 : 0) << nth;
  }
}

TEST(bundles, of_no_session_are_not_found) {
  World world;
  EXPECT_EQ(code_of(verbs::export_bundle(world.store, SessionId{})), "NOT_FOUND");
}

TEST(bundles, hold_revocations_too) {
  World here(1, 3);
  const SignedReply first = here.start().value();
  ASSERT_TRUE(here.store.append(
      {first.reply.session, "revoke:x", morning, {run::TokensRevoked{first.reply.run}}}));
  World there(2);
  engine::Engine engine = there.engine();
  ASSERT_TRUE(verbs::import_bundle(engine, exported(here, first.reply.session)));
  EXPECT_TRUE(there.store.node_by_id(first.reply.state.node).value()->revoked);
}

}  // namespace
}  // namespace baton::testing
