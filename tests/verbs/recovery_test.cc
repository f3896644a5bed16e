// Returning to a run: what rehydrate tells of the path there, of what was done since, and of a
// file that has changed.
// Origin: 004-24, 004-85, 004-92

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "support/world.h"

namespace baton::testing {
namespace {

using engine::Recovery;
using surface::SignedReply;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Recovery recovery(World& world, const std::string& token) {
  const auto reply = world.rehydrate(token);
  EXPECT_TRUE(reply) << reply.error().message;
  return reply && reply->recovery ? *reply->recovery : Recovery{};
}

TEST(recovery, at_a_fresh_start_there_is_only_the_goal_to_tell) {
  World world;
  const SignedReply first = world.start().value();
  const Recovery told = recovery(world, first.state_token);
  EXPECT_EQ(told.goal, "try it");
  EXPECT_EQ(told.recap, "");
  EXPECT_FALSE(told.is_passed);
}

/// A run whose steps are all acknowledged, each with these notes, and where it ends.
SignedReply ended(World& world, const std::vector<std::string>& notes) {
  SignedReply reply = world.start().value();
  for (const std::string& each : notes) {
    reply = world.advance(*reply.ack_token, each).value();
  }
  return reply;
}

TEST(recovery, a_run_without_any_output_says_so_at_its_end_and_to_every_reader) {
  World world(1, 3);
  const SignedReply silent = ended(world, {"", "", ""});
  ASSERT_TRUE(silent.reply.is_complete());
  EXPECT_TRUE(silent.is_silent);
  EXPECT_TRUE(world.rehydrate(silent.state_token).value().is_silent);
  EXPECT_FALSE(ended(world, {"One thing.", "", ""}).is_silent);
  EXPECT_FALSE(ended(world, {"", "", "One thing."}).is_silent);
}

TEST(recovery, a_run_too_long_to_be_read_is_not_called_silent) {
  for (const std::size_t more : {0u, 1u}) {
    World world(1, 1);
    SignedReply reply = world.start().value();
    // Beside the checkpoints there are the first node and the last.
    for (std::size_t i = 2; i < limits::silent_walk_nodes_max + more; ++i) {
      reply = world.checkpoint(*reply.checkpoint_token, "").value();
    }
    EXPECT_EQ(world.advance(*reply.ack_token, "").value().is_silent, more == 0);
  }
}

TEST(recovery, at_a_tip_the_way_there_is_told_newest_first) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply second = world.advance(*first.ack_token, "Planned it.").value();
  (void)world.checkpoint(*second.checkpoint_token, "Half of b.").value();
  const SignedReply back = world.rehydrate(second.state_token).value();
  const SignedReply third = world.advance(*back.ack_token, "Did b.").value();
  const Recovery told = recovery(world, third.state_token);
  EXPECT_EQ(told.recap,
            "## Done before this node (newest first)\n\n### step `b`\nDid b.\n\n"
            "### checkpoint within `b`\nHalf of b.\n\n### step `a`\nPlanned it.\n");
  EXPECT_THAT(told.children, IsEmpty());
  EXPECT_FALSE(told.tip);
}

// Enforces: G6
TEST(recovery, is_the_same_every_time_and_writes_nothing) {
  World world;
  const SignedReply first = world.start().value();
  (void)world.advance(*first.ack_token, "one").value();
  const run::CommitNo last = world.last_commit();
  const SignedReply once = world.rehydrate(first.state_token).value();
  world.forget();
  const SignedReply twice = world.rehydrate(first.state_token).value();
  EXPECT_EQ(once.recovery->recap, twice.recovery->recap);
  EXPECT_EQ(once.tip_token, twice.tip_token);
  EXPECT_EQ(once.child_tokens, twice.child_tokens);
  EXPECT_EQ(once.child_tokens.size(), 1u);
  EXPECT_EQ(world.last_commit(), last);
}

TEST(recovery, at_an_older_point_branches_are_listed_and_the_latest_is_told) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply left = world.advance(*first.ack_token, "Left way.\nMore.").value();
  const SignedReply fork = world.rehydrate(first.state_token).value();
  const SignedReply right = world.advance(*fork.ack_token, "Right way.").value();
  const SignedReply tip = world.advance(*left.ack_token, "Further left.").value();
  const SignedReply back = world.rehydrate(first.state_token).value();
  const Recovery& told = *back.recovery;
  ASSERT_EQ(told.children.size(), 2u);
  EXPECT_EQ(told.children[0].label, "step `a`: Right way.");
  EXPECT_FALSE(told.children[0].is_preferred);
  EXPECT_EQ(told.children[1].label, "step `a`: Left way.");
  EXPECT_TRUE(told.children[1].is_preferred) << "activity counts, not age";
  EXPECT_EQ(told.tip->id, tip.reply.state.node);
  EXPECT_EQ(told.recap,
            "## Already done after this node, on the latest branch (newest first)\n\n"
            "### step `b`\nFurther left.\n\n### step `a`\nLeft way.\nMore.\n");
  // Each token leads where it says.
  EXPECT_EQ(world.rehydrate(back.tip_token).value().reply.state.node, tip.reply.state.node);
  EXPECT_EQ(world.rehydrate(back.child_tokens[0]).value().reply.state.node, right.reply.state.node);
}

TEST(recovery, on_an_abandoned_branch_its_own_latest_point_is_the_tip) {
  World world(1, 4);
  const SignedReply first = world.start().value();
  const SignedReply left = world.advance(*first.ack_token, "left").value();
  const SignedReply left_tip = world.advance(*left.ack_token, "left again").value();
  const SignedReply fork = world.rehydrate(first.state_token).value();
  (void)world.advance(*fork.ack_token, "right").value();
  const Recovery told = recovery(world, left.state_token);
  EXPECT_EQ(told.tip->id, left_tip.reply.state.node);
  EXPECT_THAT(told.recap, HasSubstr("left again"));
  EXPECT_THAT(told.recap,
              HasSubstr("## Done before this node (newest first)\n\n### step `a`\nleft\n"));
  EXPECT_THAT(told.recap, Not(HasSubstr("right")));
}

// Enforces: G9
TEST(recovery, keeps_its_budget_both_ways) {
  World world(1, 60);
  const SignedReply first = world.start().value();
  SignedReply reply = first;
  SignedReply middle;
  for (int i = 0; i < 50; ++i) {
    reply = world.advance(*reply.ack_token, cat(i, ": ", std::string(1'000, 'n'))).value();
    if (i == 24) middle = reply;
  }
  const Recovery at_tip = recovery(world, reply.state_token);
  EXPECT_LE(at_tip.recap.size(), limits::recap_bytes_max);
  EXPECT_THAT(at_tip.recap, HasSubstr("49: n"));
  EXPECT_TRUE(at_tip.recap.ends_with("[38 earlier entries are not shown]\n"))
      << at_tip.recap.substr(at_tip.recap.size() - 60);
  const Recovery between = recovery(world, middle.state_token);
  EXPECT_LE(between.recap.size(), limits::recap_bytes_max);
  EXPECT_THAT(between.recap, HasSubstr("49: n"));
  EXPECT_THAT(between.recap, HasSubstr("24: n"));
}

// Enforces: G9
TEST(recovery, lists_so_many_branches_and_says_how_many_more) {
  World world;
  const SignedReply first = world.start().value();
  std::string ack = *first.ack_token;
  for (std::size_t i = 0; i < limits::recap_children_max; ++i) {
    (void)world.advance(ack, cat("way ", i)).value();
    ack = *world.rehydrate(first.state_token).value().ack_token;
  }
  EXPECT_EQ(recovery(world, first.state_token).children_omitted, 0);
  (void)world.advance(ack, "one more").value();
  const Recovery told = recovery(world, first.state_token);
  EXPECT_EQ(told.children.size(), limits::recap_children_max);
  EXPECT_EQ(told.children_omitted, 1);
  EXPECT_EQ(told.children.front().label, "step `a`: one more");
}

TEST(recovery, a_long_way_back_is_not_walked_to_its_end) {
  World world(1, 400);
  SignedReply reply = world.start().value();
  for (int i = 0; i < 399; ++i) reply = world.advance(*reply.ack_token, "").value();
  world.forget();
  const std::int64_t before = world.faulty.count(adapters::FaultyStore::Call::read);
  const Recovery told = recovery(world, reply.state_token);
  EXPECT_THAT(told.recap, HasSubstr("(no notes)"));
  EXPECT_LE(told.recap.size(), limits::recap_bytes_max);
  EXPECT_GT(world.faulty.count(adapters::FaultyStore::Call::read), before);
}

// Enforces: G9
TEST(recovery, reads_nodes_below_up_to_a_bound) {
  World world;
  const SignedReply first = world.start().value();
  const SignedReply left = world.advance(*first.ack_token, "left").value();
  SignedReply reply = left;
  for (std::size_t i = 0; i < limits::recap_walk_nodes_max; ++i) {
    reply = world.checkpoint(*reply.checkpoint_token, cat("at ", i)).value();
  }
  const SignedReply fork = world.rehydrate(first.state_token).value();
  (void)world.advance(*fork.ack_token, "right").value();
  EXPECT_EQ(recovery(world, left.state_token).tip->id, *reply.reply.checkpoint_node);
  const SignedReply further = world.checkpoint(*reply.checkpoint_token, "one more").value();
  const SignedReply again = world.rehydrate(first.state_token).value();
  (void)world.advance(*again.ack_token, "right again").value();
  EXPECT_EQ(recovery(world, left.state_token).tip->id, *reply.reply.checkpoint_node);
  EXPECT_NE(*further.reply.checkpoint_node, *reply.reply.checkpoint_node);
}

TEST(recovery, tells_rounds_of_loops_and_blocked_attempts_by_their_names) {
  World world;
  world.workflows.files.front().text = R"({"id": "demo", "steps": [
    {"id": "find", "type": "loop", "loop": {"type": "while", "maxIterations": 3,
       "conditionSource": {"kind": "artifact_contract", "contractRef": "loop_control"}},
     "body": [{"id": "try", "prompt": "Try."}]},
    {"id": "end", "prompt": "End."}]})";
  const SignedReply first = world.start().value();
  const SignedReply blocked = world.advance(*first.ack_token, "Forgot to say.").value();
  run::StepInput input = notes_of("Found it.");
  input.artifacts = {json::Object{{"kind", "baton.loop_control"}, {"decision", "stop"}}};
  engine::Engine engine = world.engine();
  const SignedReply end =
      surface::advance(engine, {}, {*blocked.ack_token, std::nullopt, input}).value();
  EXPECT_EQ(recovery(world, end.state_token).recap,
            "## Done before this node (newest first)\n\n### step `find@0::try`\nFound it.\n\n"
            "### blocked attempt at `find@0::try`\nForgot to say.\n");
  EXPECT_EQ(recovery(world, first.state_token).children.front().label,
            "blocked attempt at `find@0::try`: Forgot to say.");
}

std::string with_functions(std::string_view prompt) {
  return cat(R"({"id": "demo", "functionDefinitions": [
      {"name": "zed", "definition": "Do z."}, {"name": "alpha", "definition": "Do a."}],
      "steps": [{"id": "a", "prompt": ")",
             prompt, R"("}, {"id": "b", "prompt": "Then b."}]})");
}

TEST(recovery, ends_with_the_functions_in_use) {
  World world;
  world.workflows.files.front().text = with_functions("First a.");
  const SignedReply first = world.start().value();
  const SignedReply second = world.advance(*first.ack_token).value();
  EXPECT_EQ(recovery(world, second.state_token).functions,
            "## Functions\n\n- `alpha`: Do a.\n- `zed`: Do z.\n");
}

// --- drift ------------------------------------------------------------------------------------

std::vector<std::string> warnings(World& world, const std::string& token) {
  const auto reply = world.rehydrate(token);
  EXPECT_TRUE(reply) << reply.error().message;
  return reply ? reply->reply.warnings : std::vector<std::string>();
}

TEST(drift, an_unchanged_file_is_not_mentioned) {
  World world;
  const SignedReply first = world.start().value();
  EXPECT_THAT(warnings(world, first.state_token), IsEmpty());
  world.forget();
  EXPECT_THAT(warnings(world, first.state_token), IsEmpty());
}

TEST(drift, a_changed_file_is_a_warning_and_the_run_stays_as_it_was) {
  World world;
  const SignedReply first = world.start().value();
  world.workflows.files.front().text = demo_workflow(5, 99);
  EXPECT_THAT(warnings(world, first.state_token),
              ElementsAre(HasSubstr("flows/demo.json has changed")));
  SignedReply reply = world.rehydrate(first.state_token).value();
  EXPECT_EQ(reply.reply.pending, first.reply.pending);
  for (int i = 0; i < 3; ++i) reply = world.advance(*reply.ack_token).value();
  EXPECT_TRUE(reply.reply.is_complete()) << "three steps, as when it began";
}

TEST(drift, a_change_without_effect_is_not_a_change) {
  World world;
  const SignedReply first = world.start().value();
  world.workflows.files.front().text += "\n\n";
  EXPECT_THAT(warnings(world, first.state_token), IsEmpty());
}

TEST(drift, a_file_with_mistakes_is_a_warning) {
  World world;
  const SignedReply first = world.start().value();
  world.workflows.files.front().text = R"({"id": "demo", "steps": [{"id": "a", "prmpt": "x"}]})";
  EXPECT_THAT(warnings(world, first.state_token),
              ElementsAre(HasSubstr("flows/demo.json cannot be compiled now")));
}

TEST(drift, a_run_whose_file_is_missing_continues_from_its_pin) {
  World world;
  const SignedReply first = world.start().value();
  world.workflows.files.clear();
  world.forget();
  EXPECT_THAT(warnings(world, first.state_token),
              ElementsAre(HasSubstr("no file of the workflow demo that can be read was found")));
  SignedReply reply = world.rehydrate(first.state_token).value();
  for (int i = 0; i < 3; ++i) reply = world.advance(*reply.ack_token).value();
  EXPECT_TRUE(reply.reply.is_complete());
}

TEST(drift, a_file_that_cannot_be_read_fails_nothing) {
  World world;
  const SignedReply first = world.start().value();
  world.workflows.files.front().text.clear();
  world.workflows.files.front().problem = "permission denied";
  EXPECT_THAT(warnings(world, first.state_token), ElementsAre(HasSubstr("that can be read")));
}

TEST(drift, a_file_of_any_name_is_found) {
  World world;
  const SignedReply first = world.start().value();
  world.workflows.files.front().path = "flows/other.json";
  EXPECT_THAT(warnings(world, first.state_token), IsEmpty());
  world.workflows.files.front().text = demo_workflow(5, 99);
  EXPECT_THAT(warnings(world, first.state_token),
              ElementsAre(HasSubstr("flows/other.json has changed")));
}

TEST(drift, what_a_file_compiles_to_is_found_out_once) {
  World world;
  const SignedReply first = world.start().value();
  (void)warnings(world, first.state_token);
  const int asked = world.workflows.calls;
  (void)warnings(world, first.state_token);
  EXPECT_EQ(world.workflows.calls, asked + 1) << "its name alone is asked for";
}

}  // namespace
}  // namespace baton::testing
