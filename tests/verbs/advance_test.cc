// One run at a time: forward, again, back and sideways.
// Origin: 004-52

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "support/world.h"
#include "verbs/run/history.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using run::NextIntent;
using surface::SignedReply;

std::vector<run::NodeRow> children_of(World& world, const NodeId& node) {
  const auto row = world.store.node_by_id(node).value();
  return world.store.children(row->no, 2'000).value();
}

TEST(advance, leads_from_start_to_complete) {
  World world;
  SignedReply reply = world.start({{"k", 1}}).value();
  EXPECT_EQ(reply.reply.pending->step_id, "a");
  EXPECT_EQ(reply.reply.next_intent, NextIntent::perform_pending_then_continue);
  reply = world.advance(*reply.ack_token).value();
  EXPECT_EQ(reply.reply.pending->step_id, "b");
  EXPECT_EQ(reply.reply.next_intent, NextIntent::perform_pending_then_continue);
  reply = world.advance(*reply.ack_token).value();
  EXPECT_EQ(reply.reply.pending->step_id, "c");
  reply = world.advance(*reply.ack_token).value();
  EXPECT_TRUE(reply.reply.is_complete());
  EXPECT_EQ(reply.reply.next_intent, NextIntent::complete);
  EXPECT_FALSE(reply.ack_token);
  EXPECT_FALSE(reply.checkpoint_token);
  EXPECT_EQ(world.last_commit().value, 4);
  EXPECT_TRUE(world.store.run(reply.reply.run).value()->is_complete);
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

TEST(advance, continues_when_a_nodes_state_left_the_cache_before_the_node) {
  World world;
  SignedReply reply = world.advance(*world.start().value().ack_token).value();
  for (std::size_t i = 0; i < limits::cached_states_max; ++i) {
    world.caches->states.put(1'000'000 + static_cast<std::int64_t>(i), {});
  }
  reply = world.advance(*reply.ack_token).value();
  EXPECT_EQ(reply.reply.pending->step_id, "c");
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

// Enforces: G22
TEST(advance, same_token_and_output_give_the_same_reply_and_record_nothing) {
  for (const std::size_t prompt_bytes : {10u, 5'000u}) {
    World world(1, 3, prompt_bytes);
    const SignedReply first = world.start().value();
    const SignedReply second = world.advance(*first.ack_token).value();
    const SignedReply third = world.advance(*second.ack_token).value();
    const run::CommitNo last = world.last_commit();
    for (int times = 0; times < 3; ++times) {
      EXPECT_TRUE(same(world.advance(*first.ack_token).value(), second));
      EXPECT_TRUE(same(world.advance(*second.ack_token).value(), third));
    }
    engine::Caches cold;
    engine::Engine other = world.engine(cold);
    EXPECT_TRUE(same(
        surface::advance(other, {}, {*first.ack_token, std::nullopt, notes_of("done")}).value(),
        second));
    EXPECT_EQ(world.last_commit(), last);
  }
}

// Enforces: G6
TEST(advance, replay_asks_neither_clock_nor_entropy_nor_workflow_files) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply second = world.advance(*first.ack_token).value();
  const int clock = world.clock.calls;
  const int entropy = world.entropy.calls;
  const int files = world.workflows.calls;
  engine::Caches cold;
  engine::Engine engine = world.engine(cold);
  ASSERT_TRUE(
      same(surface::advance(engine, {}, {*first.ack_token, std::nullopt, notes_of("done")}).value(),
           second));
  EXPECT_EQ(world.workflows.calls, files);
  ASSERT_TRUE(surface::rehydrate(engine.reading(), {}, second.state_token));
  EXPECT_EQ(world.workflows.calls, files + 1) << "whether the file has changed, and nothing else";
  EXPECT_EQ(world.clock.calls, clock);
  EXPECT_EQ(world.entropy.calls, entropy);
}

// Enforces: G22
TEST(advance, replay_is_the_recorded_reply_after_any_change) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply second = world.advance(*first.ack_token).value();
  // The file changes, the run advances and forks, and time jumps.
  world.workflows.files[0].text = demo_workflow(1, 99);
  ASSERT_TRUE(world.advance(*second.ack_token));
  ASSERT_TRUE(world.checkpoint(*second.checkpoint_token));
  const SignedReply rewound = world.rehydrate(first.state_token).value();
  ASSERT_TRUE(world.advance(*rewound.ack_token, "another way"));
  world.manual_clock.set_wall({0});
  EXPECT_TRUE(same(world.advance(*first.ack_token).value(), second));
}

// Enforces: G22
TEST(advance, another_output_at_a_settled_step_forks_once) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply second = world.advance(*first.ack_token, "one").value();
  const SignedReply third = world.advance(*second.ack_token, "on").value();
  const SignedReply forked = world.advance(*first.ack_token, "two").value();
  EXPECT_NE(forked.reply.state.node, second.reply.state.node);
  EXPECT_EQ(forked.reply.pending->step_id, "b");
  EXPECT_EQ(children_of(world, first.reply.state.node).size(), 2u);
  ASSERT_TRUE(forked.reply.left);
  EXPECT_EQ(forked.reply.left->step, "a");
  EXPECT_EQ(forked.left_token, third.state_token) << "the way back";
  EXPECT_FALSE(forked.notice);
  const SignedReply next = world.advance(*forked.ack_token, "on").value();
  EXPECT_FALSE(next.reply.left) << "only the fork itself is one";

  const run::CommitNo last = world.last_commit();
  for (int process = 0; process < 2; ++process) {
    EXPECT_TRUE(same(world.advance(*first.ack_token, "one").value(), second));
    EXPECT_TRUE(same(world.advance(*first.ack_token, "two").value(), forked));
    world.forget();
  }
  EXPECT_EQ(world.last_commit(), last);
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

// Enforces: G22
TEST(advance, same_output_with_a_later_token_of_the_step_is_the_same_attempt) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply one = world.advance(*first.ack_token, "one").value();
  const SignedReply two = world.advance(*first.ack_token, "two").value();
  const std::string later = *world.rehydrate(first.state_token).value().ack_token;
  EXPECT_NE(later, *first.ack_token);
  const run::CommitNo last = world.last_commit();
  for (int process = 0; process < 2; ++process) {
    EXPECT_TRUE(same(world.advance(later, "one").value(), one));
    EXPECT_TRUE(same(world.advance(later, "two").value(), two));
    world.forget();
  }
  EXPECT_EQ(world.last_commit(), last);
  EXPECT_TRUE(world.advance(later, "three").value().reply.left);
}

// Enforces: G22
TEST(advance, branch_left_behind_is_read_up_to_a_bound) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply second = world.advance(*first.ack_token, "one").value();
  std::string token = *second.checkpoint_token;
  for (std::size_t nodes = 1; nodes < limits::fork_walk_nodes_max; ++nodes) {
    token = *world.checkpoint(token).value().checkpoint_token;
  }
  EXPECT_EQ(world.advance(*first.ack_token, "two").value().reply.left->nodes_unread, 0);
  // That fork is the newest branch now; one more node makes the long one the newest again.
  ASSERT_TRUE(world.checkpoint(token));
  EXPECT_EQ(world.advance(*first.ack_token, "three").value().reply.left->nodes_unread, 1);
}

// Enforces: G22
TEST(advance, outputs_of_more_steps_than_are_kept_in_mind_are_all_found) {
  World world;
  std::vector<std::string> acks;
  std::vector<SignedReply> forks;
  for (std::size_t i = 0; i <= limits::cached_inputs_max; ++i) {
    acks.push_back(*world.start().value().ack_token);
    ASSERT_TRUE(world.advance(acks.back(), "one"));
    forks.push_back(world.advance(acks.back(), "two").value());
  }
  for (std::size_t i = 0; i <= limits::cached_inputs_max; ++i) {
    EXPECT_TRUE(same(world.advance(acks[i], "two").value(), forks[i])) << i;
  }
}

// Enforces: G22
TEST(advance, where_a_surface_does_not_fork_another_output_gets_a_notice_and_changes_nothing) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply second = world.advance(*first.ack_token, "one").value();
  const run::CommitNo last = world.last_commit();
  const auto send = [&](const std::string& ack) {
    engine::Engine engine = world.engine();
    return surface::advance(engine, {},
                            {.token = ack,
                             .state_token = {},
                             .input = notes_of("two"),
                             .other = run::OtherInput::notice})
        .value();
  };
  SignedReply again = send(*first.ack_token);
  ASSERT_TRUE(again.notice);
  EXPECT_EQ(world.last_commit(), last);
  const std::string fork_token = again.notice->ack_token;
  EXPECT_NE(fork_token, *first.ack_token);
  again.notice.reset();
  EXPECT_TRUE(same(again, second));

  const SignedReply forked = send(fork_token);
  EXPECT_NE(forked.reply.state.node, second.reply.state.node);
  EXPECT_TRUE(same(send(fork_token), forked));
  EXPECT_EQ(children_of(world, first.reply.state.node).size(), 2u);
}

// Enforces: G22
TEST(advance, output_that_is_rejected_begins_no_branch_and_names_the_settled_step) {
  World world;
  const SignedReply first = world.start().value();
  ASSERT_TRUE(world.advance(*first.ack_token, "one"));
  const run::CommitNo last = world.last_commit();
  const auto rejected = world.advance(*first.ack_token, "two", {{"_baton", 1}});
  ASSERT_EQ(code_of(rejected), "INVALID_INPUT");
  EXPECT_NE(rejected.error().message.find("the step \"a\", which is already settled"),
            std::string::npos)
      << rejected.error().message;
  EXPECT_EQ(world.last_commit(), last);
}

TEST(rehydrate, twice_gives_the_same_and_appends_nothing) {
  World world;
  const SignedReply first = world.start({{"k", 1}}).value();
  const SignedReply second = world.advance(*first.ack_token).value();
  const run::CommitNo last = world.last_commit();
  for (const SignedReply& reply : {first, second}) {
    const SignedReply once = world.rehydrate(reply.state_token).value();
    EXPECT_TRUE(same(once, world.rehydrate(reply.state_token).value()));
    EXPECT_EQ(once.state_token, reply.state_token);
    const bool is_passed = reply.state_token == first.state_token;
    EXPECT_EQ(once.reply.next_intent,
              is_passed ? NextIntent::rehydrate_only : reply.reply.next_intent);
    EXPECT_EQ(once.reply.pending, reply.reply.pending);
  }
  EXPECT_EQ(world.faulty.count(adapters::FaultyStore::Call::append), 2);
  EXPECT_EQ(world.last_commit(), last);
}

TEST(rehydrate, unused_tokens_are_returned_unchanged) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply again = world.rehydrate(first.state_token).value();
  EXPECT_EQ(again.ack_token, first.ack_token);
  EXPECT_EQ(again.checkpoint_token, first.checkpoint_token);
}

TEST(rehydrate, of_a_complete_run_says_so) {
  World world(1, 1);
  const SignedReply end = world.advance(*world.start().value().ack_token).value();
  const SignedReply again = world.rehydrate(end.state_token).value();
  EXPECT_EQ(again.reply.next_intent, NextIntent::complete);
  EXPECT_FALSE(again.ack_token);
}

TEST(rewind, old_state_token_leads_to_a_fork) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply second = world.advance(*first.ack_token, "one").value();
  ASSERT_TRUE(world.advance(*second.ack_token, "two"));
  const SignedReply back = world.rehydrate(first.state_token).value();
  EXPECT_EQ(back.reply.ack->count, 1);
  EXPECT_EQ(back.reply.checkpoint->count, 0);
  const SignedReply fork = world.advance(*back.ack_token, "other").value();
  EXPECT_EQ(fork.reply.pending->step_id, "b");
  const auto events =
      run::decode_events(world.store.commit(world.last_commit()).value()->body).value();
  for (const run::Event& event : events) {
    if (const auto* edge = std::get_if<run::EdgeCreated>(&event)) {
      EXPECT_EQ(edge->from, first.reply.state.node);
      EXPECT_EQ(edge->cause, run::EdgeCause::non_tip_advance);
    }
  }
  EXPECT_EQ(world.rehydrate(first.state_token).value().reply.ack->count, 2);
}

TEST(rewind, branch_does_not_see_the_context_of_the_abandoned_one) {
  World world;
  const SignedReply first = world.start({{"base", 1}, {"gone", 1}}).value();
  const SignedReply left =
      world.advance(*first.ack_token, "left", {{"left", true}, {"gone", nullptr}}).value();
  const SignedReply back = world.rehydrate(first.state_token).value();
  const SignedReply right = world.advance(*back.ack_token, "right", {{"right", true}}).value();
  EXPECT_EQ(*world.cold_state(left.reply.state.node).value().context,
            (json::Object{{"base", 1}, {"left", true}}));
  EXPECT_EQ(*world.cold_state(right.reply.state.node).value().context,
            (json::Object{{"base", 1}, {"gone", 1}, {"right", true}}));
  EXPECT_EQ(*world.cold_state(first.reply.state.node).value().context,
            (json::Object{{"base", 1}, {"gone", 1}}));
}

TEST(preferences, hold_for_descendants_only) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply bold =
      world
          .advance(*first.ack_token, "bold", {},
                   {run::Autonomy::full_auto_never_stop, run::RiskPolicy::aggressive})
          .value();
  const SignedReply bolder = world.advance(*bold.ack_token).value();
  const SignedReply back = world.rehydrate(first.state_token).value();
  const SignedReply calm = world.advance(*back.ack_token, "calm").value();
  EXPECT_EQ(bolder.reply.preferences.autonomy, run::Autonomy::full_auto_never_stop);
  EXPECT_EQ(bolder.reply.preferences.risk_policy, run::RiskPolicy::aggressive);
  EXPECT_EQ(back.reply.preferences, run::Preferences{});
  EXPECT_EQ(calm.reply.preferences, run::Preferences{});
}

TEST(checkpoint, is_idempotent_and_keeps_the_step_pending) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply saved = world.checkpoint(*first.checkpoint_token, "half").value();
  const run::CommitNo last = world.last_commit();
  EXPECT_TRUE(same(world.checkpoint(*first.checkpoint_token, "half").value(), saved));
  EXPECT_EQ(world.last_commit(), last);
  EXPECT_EQ(saved.reply.pending->step_id, "a");
  EXPECT_EQ(saved.reply.checkpoint_node, saved.reply.state.node);
  EXPECT_EQ(world.store.node_by_id(saved.reply.state.node).value()->kind,
            run::NodeKind::checkpoint);
}

TEST(checkpoint, an_old_ack_continues_from_it) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply saved = world.checkpoint(*first.checkpoint_token).value();
  const SignedReply next = world.advance(*first.ack_token).value();
  const auto row = world.store.node_by_id(next.reply.state.node).value();
  EXPECT_EQ(row->parent, world.store.node_by_id(saved.reply.state.node).value()->no);
  EXPECT_TRUE(same(world.advance(*first.ack_token).value(), next));
  // The checkpoint's own ack is another attempt at the same step: a fork from the checkpoint.
  const SignedReply fork = world.advance(*saved.ack_token).value();
  EXPECT_NE(fork.reply.state.node, next.reply.state.node);
  EXPECT_EQ(children_of(world, saved.reply.state.node).size(), 2u);
}

TEST(checkpoint, tokens_count_apart_from_advances) {
  World world;
  const SignedReply first = world.start().value();
  ASSERT_TRUE(world.checkpoint(*first.checkpoint_token));
  const SignedReply again = world.rehydrate(first.state_token).value();
  EXPECT_EQ(again.reply.checkpoint->count, 1);
  EXPECT_EQ(again.reply.ack->count, 0);
  EXPECT_EQ(again.ack_token, first.ack_token);
}

// Enforces: G9
TEST(attempts, at_one_step_are_bounded_by_what_a_token_counts) {
  World world;
  const SignedReply first = world.start().value();
  std::string ack = *first.ack_token;
  for (int count = 0; count < 1'023; ++count) {
    ASSERT_TRUE(world.advance(ack, cat("output ", count))) << count;
    ack = *world.rehydrate(first.state_token).value().ack_token;
  }
  EXPECT_EQ(world.rehydrate(first.state_token).value().reply.ack->count, 1'023);
  const run::CommitNo last = world.last_commit();
  for (const std::string& token : {ack, *first.ack_token}) {
    EXPECT_EQ(code_of(world.advance(token, "another")), "ATTEMPTS_EXHAUSTED");
    // What was recorded is still answered.
    EXPECT_TRUE(world.advance(token, "output 0"));
    EXPECT_TRUE(world.advance(token, "output 1022"));
  }
  EXPECT_EQ(world.last_commit(), last);
  // Checkpoints are counted apart.
  EXPECT_TRUE(world.checkpoint(*first.checkpoint_token));
}

// Enforces: G9
TEST(attempts, walk_to_the_tip_is_bounded) {
  World world;
  const SignedReply first = world.start().value();
  std::string token = *first.checkpoint_token;
  NodeId newest;
  const auto save = [&] {
    const SignedReply saved = world.checkpoint(token).value();
    token = *saved.checkpoint_token;
    newest = saved.reply.state.node;
  };
  for (std::size_t i = 0; i < limits::rebase_walk_nodes_max; ++i) save();
  const auto parent_of = [&](const SignedReply& reply) {
    const auto row = world.store.node_by_id(reply.reply.state.node).value();
    return world.store.node(*row->parent).value()->id;
  };
  // At the limit the old ack joins the last checkpoint; one more, and it forks at its own node.
  const SignedReply second = world.start().value();
  EXPECT_EQ(parent_of(world.advance(*first.ack_token).value()), newest);
  token = *second.checkpoint_token;
  for (std::size_t i = 0; i <= limits::rebase_walk_nodes_max; ++i) save();
  EXPECT_EQ(parent_of(world.advance(*second.ack_token).value()), second.reply.state.node);
}

TEST(advance, bad_input_changes_nothing_and_leaves_the_token_good) {
  World world;
  const SignedReply first = world.start().value();
  engine::Engine engine = world.engine();
  const auto send = [&](run::StepInput input) {
    return surface::advance(engine, {}, {*first.ack_token, std::nullopt, std::move(input)});
  };
  run::StepInput input;
  input.context = {{"_baton", 1}};
  EXPECT_EQ(code_of(send(input)), "INVALID_INPUT");
  input.context = {{"n", std::int64_t{1} << 60}};
  EXPECT_EQ(code_of(send(input)), "NUMBER_INEXACT");
  EXPECT_EQ(code_of(send(notes_of(std::string(limits::blob_bytes_max + 1, 'n')))),
            "LIMIT_EXCEEDED");
  EXPECT_EQ(world.last_commit().value, 1);
  EXPECT_TRUE(send(notes_of("good")));
}

TEST(start, bad_input_changes_nothing) {
  World world;
  engine::Engine engine = world.engine();
  EXPECT_EQ(code_of(surface::start(engine, {}, {"demo", "", {{"_baton", 1}}, {}})),
            "INVALID_INPUT");
  EXPECT_EQ(code_of(surface::start(engine, {}, {"dem", "", {}, {}})), "WORKFLOW_NOT_FOUND");
  EXPECT_EQ(code_of(surface::start(engine, {}, {"../demo", "", {}, {}})), "INVALID_INPUT");
  EXPECT_EQ(world.last_commit().value, 0);
}

TEST(snapshots, are_taken_on_long_paths_and_change_no_state) {
  World world(1, 200);
  SignedReply reply = world.start().value();
  for (int i = 0; i < 150; ++i) {
    const auto next = world.advance(*reply.ack_token, "step", {{i % 2 == 0 ? "even" : "odd", i}});
    ASSERT_TRUE(next) << i << ": " << next.error().message;
    reply = *next;
  }
  const auto row = world.store.node_by_id(reply.reply.state.node).value();
  ASSERT_TRUE(row->snapshot);
  EXPECT_LE(row->path_events, 2 * limits::snapshot_path_events_min);
  const auto folded = world.folded_states();
  for (const auto& [node, state] : folded) {
    const auto cold = world.cold_state(node);
    ASSERT_TRUE(cold) << cold.error().message;
    EXPECT_EQ(*cold, state);
  }
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

// Enforces: G11
TEST(clock, jumps_change_no_order_and_lose_nothing) {
  World world;
  constexpr std::int64_t ten_years = 10LL * 365 * 86'400'000;
  SignedReply reply = world.start().value();
  const SignedReply first = reply;
  std::vector<NodeId> nodes{reply.reply.state.node};
  for (const std::int64_t wall : {morning.value - ten_years, std::int64_t{0}, morning.value,
                                  morning.value + ten_years, morning.value - 1}) {
    world.manual_clock.set_wall({wall});
    if (reply.ack_token) {
      reply = world.advance(*reply.ack_token).value();
    } else {
      const SignedReply back = world.rehydrate(first.state_token).value();
      reply = world.advance(*back.ack_token, "again").value();
    }
    nodes.push_back(reply.reply.state.node);
  }
  const auto run = world.store.run(reply.reply.run).value();
  const auto tree = verbs::run_tree(world.engine().reading(), *run).value();
  ASSERT_EQ(tree.size(), nodes.size());
  for (std::size_t i = 0; i < tree.size(); ++i) EXPECT_EQ(tree[i].id, nodes[i]);
  EXPECT_TRUE(std::ranges::is_sorted(nodes)) << "ids go on growing";
  EXPECT_EQ(world.store.node(run->tip).value()->id, nodes.back());
  EXPECT_TRUE(verbs::verify(world.store).value().ok());
}

}  // namespace
}  // namespace baton::testing
