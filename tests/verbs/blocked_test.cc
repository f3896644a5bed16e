// Attempts that do not pass: what is recorded, what is said again, and the ways on from there.

#include <gtest/gtest.h>

#include "support/world.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using surface::SignedReply;

/// A loop of up to three rounds that the agent controls, then an end.
constexpr std::string_view hunt = R"({"id": "demo", "steps": [
  {"id": "find", "type": "loop", "loop": {"type": "while", "maxIterations": 3,
     "conditionSource": {"kind": "artifact_contract", "contractRef": "loop_control"}},
   "body": [{"id": "try", "prompt": "Try."}]},
  {"id": "end", "prompt": "End."}]})";

class Blocked : public ::testing::Test {
 protected:
  Blocked() { world.workflows.files.front().text = hunt; }

  Result<SignedReply> advance(const std::string& ack, std::string_view decision,
                              json::Object context = {}) {
    run::StepInput input = notes_of("tried");
    input.context = std::move(context);
    if (!decision.empty()) {
      input.artifacts.push_back(
          json::Object{{"kind", "baton.loop_control"}, {"decision", decision}});
    }
    engine::Engine with = world.engine();
    return surface::advance(with, world.principal, {ack, std::nullopt, std::move(input)});
  }

  World world;
};

// Enforces: G22
TEST_F(Blocked, attempt_gets_its_block_again_for_ever) {
  const SignedReply first = world.start().value();
  const SignedReply block = world.advance(*first.ack_token).value();
  ASSERT_EQ(block.reply.kind, run::ReplyKind::blocked);
  EXPECT_EQ(block.reply.pending->step_id, "find@0::try");
  EXPECT_NE(block.ack_token, first.ack_token);
  const SignedReply passed = advance(*block.ack_token, "stop").value();
  EXPECT_EQ(passed.reply.pending->step_id, "end");
  const run::CommitNo last = world.last_commit();
  for (int times = 0; times < 2; ++times) {
    EXPECT_TRUE(same(world.advance(*first.ack_token).value(), block));
    EXPECT_TRUE(same(advance(*block.ack_token, "stop").value(), passed));
    world.forget();
  }
  EXPECT_EQ(world.last_commit(), last);
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

// Enforces: G22
TEST_F(Blocked, another_output_with_the_old_token_is_the_next_attempt) {
  const SignedReply first = world.start().value();
  const SignedReply block = advance(*first.ack_token, "", {{"n", 1}}).value();
  const SignedReply second = advance(*first.ack_token, "", {{"n", 2}}).value();
  EXPECT_EQ(second.reply.kind, run::ReplyKind::blocked);
  const SignedReply passed = advance(*first.ack_token, "stop").value();
  EXPECT_EQ(passed.reply.pending->step_id, "end");
  // One chain: neither of them began a branch.
  const SignedReply* above = &first;
  for (const SignedReply* each : {&block, &second, &passed}) {
    EXPECT_FALSE(each->reply.left);
    const auto node = world.store.node_by_id(each->reply.state.node).value();
    EXPECT_EQ(node->parent, world.store.node_by_id(above->reply.state.node).value()->no);
    above = each;
  }
  const run::CommitNo last = world.last_commit();
  for (int process = 0; process < 2; ++process) {
    EXPECT_TRUE(same(advance(*first.ack_token, "", {{"n", 1}}).value(), block));
    EXPECT_TRUE(same(advance(*first.ack_token, "", {{"n", 2}}).value(), second));
    EXPECT_TRUE(same(advance(*first.ack_token, "stop").value(), passed));
    world.forget();
  }
  EXPECT_EQ(world.last_commit(), last);
}

// Enforces: G22
TEST_F(Blocked, another_output_forks_once_the_step_is_settled) {
  const SignedReply first = world.start().value();
  const SignedReply block = advance(*first.ack_token, "").value();
  const SignedReply passed = advance(*block.ack_token, "stop").value();
  const SignedReply fork = advance(*first.ack_token, "", {{"n", 1}}).value();
  EXPECT_EQ(fork.reply.kind, run::ReplyKind::blocked);
  ASSERT_TRUE(fork.reply.left);
  EXPECT_EQ(fork.reply.left->tip.node, passed.reply.state.node);
  // The fork is blocked, so the next output is the next attempt on it.
  const SignedReply next = advance(*first.ack_token, "", {{"n", 2}}).value();
  EXPECT_EQ(next.reply.left, fork.reply.left);
  const auto parent = [&](const SignedReply& reply) {
    return *world.store.node_by_id(reply.reply.state.node).value()->parent;
  };
  const auto no = [&](const SignedReply& reply) {
    return world.store.node_by_id(reply.reply.state.node).value()->no;
  };
  EXPECT_EQ(parent(fork), no(first));
  EXPECT_EQ(parent(next), no(fork));
  // After the run has continued on the first branch, the blocked fork is not where it is.
  const SignedReply end = world.advance(*passed.ack_token).value();
  const SignedReply other = advance(*first.ack_token, "", {{"n", 3}}).value();
  ASSERT_TRUE(other.reply.left);
  EXPECT_EQ(other.reply.left->tip.node, end.reply.state.node);
  EXPECT_EQ(parent(other), no(first));
}

TEST_F(Blocked, next_attempt_at_the_same_point_joins_below_the_block) {
  const SignedReply first = world.start().value();
  const SignedReply block = advance(*first.ack_token, "", {{"learned", 1}}).value();
  // From the node itself, as a caller that never saw the blocked reply.
  const SignedReply again = world.rehydrate(first.state_token).value();
  const SignedReply passed = advance(*again.ack_token, "continue").value();
  EXPECT_EQ(passed.reply.pending->step_id, "find@1::try");
  const auto node = world.store.node_by_id(passed.reply.state.node).value();
  const auto blocked = world.store.node_by_id(block.reply.state.node).value();
  EXPECT_EQ(node->parent, blocked->no);
  EXPECT_EQ(*world.cold_state(passed.reply.state.node).value().context,
            (json::Object{{"learned", 1}}));
}

TEST_F(Blocked, node_is_a_point_like_any_other) {
  const SignedReply first = world.start().value();
  const SignedReply block = world.advance(*first.ack_token).value();
  world.forget();
  const SignedReply back = world.rehydrate(block.state_token).value();
  EXPECT_EQ(back.ack_token, block.ack_token);
  EXPECT_EQ(back.reply.status, run::RunStatus::blocked);
  EXPECT_EQ(back.reply.kind, run::ReplyKind::blocked);
  EXPECT_EQ(back.reply.blockers, block.reply.blockers);
  EXPECT_EQ(back.reply.example, block.reply.example);
  EXPECT_EQ(back.reply.pending->step_id, "find@0::try");
  const SignedReply saved = world.checkpoint(*block.checkpoint_token).value();
  EXPECT_EQ(advance(*saved.ack_token, "stop").value().reply.pending->step_id, "end");
  EXPECT_FALSE(world.store.run(first.reply.run).value()->is_complete);
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

TEST_F(Blocked, never_stop_continues_and_ends_with_a_gap) {
  run::PreferencesDelta never_stop;
  never_stop.autonomy = run::Autonomy::full_auto_never_stop;
  const SignedReply first = world.start({}, never_stop).value();
  const SignedReply end = world.advance(*first.ack_token).value();
  EXPECT_EQ(end.reply.kind, run::ReplyKind::ok);
  EXPECT_EQ(end.reply.pending->step_id, "end");
  ASSERT_EQ(end.reply.gaps.size(), 1u);
  world.forget();
  const SignedReply done = world.advance(*end.ack_token).value();
  EXPECT_EQ(done.reply.status, run::RunStatus::complete_with_gaps);
  EXPECT_EQ(done.reply.gaps, end.reply.gaps);
}

TEST_F(Blocked, refused_call_records_nothing_and_its_token_stays_good) {
  const SignedReply first = world.start().value();
  SignedReply reply = advance(*first.ack_token, "continue").value();
  reply = advance(*reply.ack_token, "continue").value();
  const run::CommitNo last = world.last_commit();
  EXPECT_EQ(code_of(advance(*reply.ack_token, "perhaps")), "INVALID_INPUT");
  EXPECT_EQ(world.last_commit(), last);
  EXPECT_EQ(advance(*reply.ack_token, "stop").value().reply.pending->step_id, "end");
}

// Enforces: G6
TEST_F(Blocked, every_state_is_what_the_log_folds_to) {
  SignedReply reply = world.start({{"k", 1}}).value();
  for (const std::string_view decision : {"", "continue", "", "", "stop", ""}) {
    reply = advance(*reply.ack_token, decision, {{"seen", std::string(decision)}}).value();
  }
  EXPECT_TRUE(reply.reply.is_complete());
  for (const auto& [node, folded] : world.folded_states()) {
    EXPECT_EQ(world.cold_state(node).value(), folded);
  }
}

}  // namespace
}  // namespace baton::testing
