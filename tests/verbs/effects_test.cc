// Effects on forks: what another branch did outside is not done again by itself, its result is
// taken only where it is the same, and what can be undone is undone once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "adapters/process/testing/scripted_processes.h"
#include "base/core/effect_limits.h"
#include "engine/effects/read_effects.h"
#include "engine/effects/undo_effect.h"
#include "run/checks/artifacts.h"
#include "run/effects/place_effect.h"
#include "support/effects_scene.h"
#include "surface/tokens.h"
#include "verbs/run/answer_gate.h"
#include "verbs/run/complete_step.h"
#include "verbs/run/effects.h"
#include "verbs/run/next_step.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/import_bundle.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using run::EffectOutcome;
using run::UndoOutcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Effects : public ::testing::Test, public Scene {};

constexpr run::PreferencesDelta never_stop{.autonomy = run::Autonomy::full_auto_never_stop,
                                           .risk_policy = {}};

// Enforces: G30
TEST_F(Effects, of_another_branch_waits_for_a_person) {
  write("");
  script("tag", {.output = "v1\n"});
  const SignedReply first = start();
  EXPECT_EQ(advance(*first.ack_token).reply.pending->step_id, "tell");
  const SignedReply forked = advance(*first.ack_token, "another way");
  EXPECT_EQ(times("tag"), 1u);
  EXPECT_EQ(forked.reply.pending->step_id, "tag");
  const run::NodeState state = at(forked);
  ASSERT_NE(state.gate, nullptr);
  EXPECT_EQ(state.gate->kind, run::GateKind::effect);
  EXPECT_THAT(state.gate->question, HasSubstr("the server ran `tag` in /work"));
  EXPECT_THAT(state.gate->question, HasSubstr("(exit code 0)"));
  EXPECT_THAT(state.gate->choices, ElementsAre("reuse", "repeat"));
  EXPECT_EQ(state.process, nullptr);
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, result_of_another_branch_is_taken_where_its_author_says_so) {
  write(R"("on_fork": "reuse")");
  script("tag", {.output = "v1\n"});
  const SignedReply first = start();
  advance(*first.ack_token);
  const SignedReply forked = advance(*first.ack_token, "another way");
  EXPECT_EQ(times("tag"), 1u);
  EXPECT_EQ(forked.reply.pending->prompt, "It said v1.");
  EXPECT_THAT(forked.reply.warnings, ::testing::Contains(HasSubstr("its result is taken")));
  EXPECT_EQ(events("effect_reused"), 1u);
  ASSERT_EQ(receipts(first.reply.run).size(), 1u) << "it happened once";
  EXPECT_TRUE(same(advance(*first.ack_token, "another way"), forked));
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, taken_result_is_recorded_by_whoever_comes_after_a_crash) {
  write(R"("on_fork": "reuse")");
  script("tag", {.output = "v1\n"});
  const SignedReply first = start();
  advance(*first.ack_token);
  // The fork is recorded; the server's own attempt after it is not.
  world.faulty.inject(adapters::FaultyStore::Call::append, 2, {});
  engine::Engine with = engine();
  const auto dying =
      surface::advance(with, world.principal,
                       {.token = *first.ack_token, .state_token = {}, .input = notes_of("other")});
  EXPECT_FALSE(dying.has_value());
  restart();
  const SignedReply forked = advance(*first.ack_token, "other");
  EXPECT_EQ(forked.reply.pending->prompt, "It said v1.");
  EXPECT_EQ(times("tag"), 1u);
  EXPECT_EQ(events("effect_reused"), 1u);
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, with_other_values_are_not_the_same) {
  world.workflows.files.front().text = R"({"id": "demo", "default_state": {"raw": {"name": ""}},
  "state_schema": {"raw": {"name": "string"}}, "steps": [
  {"id": "plan", "prompt": "Plan.",
   "state_update": {"path": "raw.name", "value": "{{ result }}"}},
  {"id": "tag", "type": "shell_command", "command": "tag {{ name }}", "on_fork": "reuse"},
  {"id": "tell", "prompt": "Tell."}]})";
  const std::string command = "tag \"${BATON_V1}\"";
  script(command);
  const SignedReply first = start();
  EXPECT_EQ(advance(*first.ack_token, "v1").reply.pending->step_id, "tell");
  const SignedReply forked = advance(*first.ack_token, "v2");
  EXPECT_EQ(times(command), 1u);
  ASSERT_NE(at(forked).gate, nullptr);
  EXPECT_THAT(at(forked).gate->choices, ElementsAre("repeat"));
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, of_a_command_that_failed_is_not_taken) {
  write(R"("on_fork": "reuse", "on_error": "continue", "fallback_value": "none")");
  script("tag", {.code = 1});
  const SignedReply first = start();
  EXPECT_EQ(advance(*first.ack_token).reply.pending->step_id, "tell");
  const SignedReply forked = advance(*first.ack_token, "another way");
  EXPECT_EQ(times("tag"), 1u);
  ASSERT_NE(at(forked).gate, nullptr);
  EXPECT_THAT(at(forked).gate->question, HasSubstr("exit code 1"));
}

// Enforces: G30
TEST_F(Effects, whose_output_is_not_all_in_the_log_is_not_taken) {
  for (const std::size_t bytes :
       {limits::process_noted_bytes_max, limits::process_noted_bytes_max + 1}) {
    world.workflows.files.front().text.clear();
    write(R"("on_fork": "reuse")");
    script("tag", {.output = std::string(bytes, 'x')});
    const SignedReply first = start();
    advance(*first.ack_token);
    const SignedReply forked = advance(*first.ack_token, "another way");
    const bool is_whole = bytes == limits::process_noted_bytes_max;
    EXPECT_EQ(forked.reply.pending->step_id, is_whole ? "tell" : "tag");
  }
}

// Enforces: G30
TEST_F(Effects, are_repeated_where_their_author_says_so_and_reads_always) {
  for (const std::string keys : {R"("on_fork": "repeat")", R"("effect": false)"}) {
    const std::size_t before = times("tag");
    write(keys);
    script("tag", {.output = "v1\n"});
    const SignedReply first = start();
    advance(*first.ack_token);
    const SignedReply forked = advance(*first.ack_token, "another way");
    EXPECT_EQ(times("tag") - before, 2u);
    EXPECT_EQ(forked.reply.pending->step_id, "tell");
    const bool is_effect = keys.contains("repeat");
    EXPECT_EQ(receipts(first.reply.run).size(), is_effect ? 2u : 0u);
    const bool is_told = !forked.reply.warnings.empty() &&
                         forked.reply.warnings.front().contains("on_fork says (step)");
    EXPECT_EQ(is_told, is_effect) << "who chose it is recorded with the reply";
  }
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, are_taken_with_a_warning_in_a_run_that_never_stops) {
  write("");
  script("tag", {.output = "v1\n"});
  const SignedReply first = start(never_stop);
  advance(*first.ack_token);
  const SignedReply forked = advance(*first.ack_token, "another way");
  EXPECT_EQ(times("tag"), 1u);
  EXPECT_EQ(forked.reply.pending->prompt, "It said v1.");
  EXPECT_THAT(forked.reply.warnings, ::testing::Contains(HasSubstr("since this run never stops")));
}

// Enforces: G30
TEST_F(Effects, of_a_fork_count_when_the_run_goes_back) {
  write("");
  script("tag", {.output = "v1\n"});
  world.workflows.files.front().text = R"({"id": "demo", "steps": [
  {"id": "plan", "prompt": "Plan."}, {"id": "more", "prompt": "More."},
  {"id": "tag", "type": "shell_command", "command": "tag"}, {"id": "tell", "prompt": "Tell."}]})";
  const SignedReply first = start();
  const SignedReply old = advance(*first.ack_token);
  const SignedReply forked = advance(*first.ack_token, "another way");
  EXPECT_EQ(advance(*forked.ack_token).reply.pending->step_id, "tell");
  EXPECT_EQ(times("tag"), 1u);
  const SignedReply back = advance(*old.ack_token);
  EXPECT_EQ(back.reply.pending->step_id, "tag");
  EXPECT_EQ(times("tag"), 1u) << "the older branch has not had it, and the newer one has";
}

// Enforces: G30
TEST_F(Effects, of_one_branch_are_not_in_its_own_way) {
  write(R"("on_error": "retry", "retry_count": 1)");
  int calls = 0;
  processes.write("tag", [&](const ports::Process&) {
    return adapters::ScriptedProgram{.code = calls++ == 0 ? 1 : 0, .output = "v1\n"};
  });
  const SignedReply first = start();
  EXPECT_EQ(advance(*first.ack_token).reply.pending->step_id, "tell");
  EXPECT_EQ(times("tag"), 2u) << "its author lets it be tried again";
}

/// How far a command came that was cut short is not known: the agent looks, and it runs no more.
// Enforces: G7
TEST_F(Effects, of_a_command_that_was_cut_short_are_unknown) {
  for (const ports::ProcessEnd end :
       {ports::ProcessEnd::timed_out, ports::ProcessEnd::signalled, ports::ProcessEnd::stopped}) {
    const std::size_t before = times("tag");
    write("");
    script("tag", {.end = end, .output = "half of it\n"});
    const SignedReply first = start();
    const SignedReply left = advance(*first.ack_token);
    EXPECT_EQ(left.reply.pending->step_id, "tag");
    EXPECT_THAT(left.reply.pending->prompt, HasSubstr("how far it came is unknown"));
    EXPECT_THAT(left.reply.pending->prompt, HasSubstr("half of it"));
    ASSERT_EQ(receipts(first.reply.run).size(), 1u);
    EXPECT_EQ(receipts(first.reply.run)[0].outcome, run::EffectOutcome::unknown);
    EXPECT_EQ(advance(*left.ack_token, "v1").reply.pending->step_id, "tell");
    EXPECT_EQ(times("tag") - before, 1u);
  }
  expect_sound();
}

/// What its author says of failures, and of steps that only read, holds all the same.
TEST_F(Effects, of_a_command_that_was_cut_short_go_by_its_author) {
  const std::string passes = R"("on_error": "continue", "fallback_value": "none")";
  for (const std::string& keys : {passes, cat(R"("effect": false, )", passes)}) {
    write(keys);
    script("tag", {.end = ports::ProcessEnd::timed_out});
    const SignedReply first = start();
    EXPECT_EQ(advance(*first.ack_token).reply.pending->step_id, "tell");
  }
  write(R"("effect": false)");
  const SignedReply first = start();
  const SignedReply failed = advance(*first.ack_token);
  EXPECT_FALSE(failed.reply.pending);
}

// Enforces: G30
TEST_F(Effects, whose_undo_was_cut_short_are_not_undone_again) {
  for (const ports::ProcessEnd end : {ports::ProcessEnd::timed_out, ports::ProcessEnd::signalled}) {
    const std::size_t before = times("untag");
    write(R"("undo": "untag")");
    script("tag", {.output = "v1\n"});
    script("untag", {.end = end});
    const SignedReply first = start();
    advance(*first.ack_token);
    EXPECT_TRUE(undo(first.reply.run));
    EXPECT_EQ(receipts(first.reply.run)[0].undone, run::UndoOutcome::unknown);
    EXPECT_EQ(code_of(undo(first.reply.run)), "INVALID_INPUT");
    EXPECT_EQ(times("untag") - before, 1u);
  }
}

/// Where there are several choices, an approval without one says nothing.
// Enforces: G30
TEST_F(Effects, that_a_person_chooses_are_named) {
  write("");
  script("tag", {.output = "v1\n"});
  const SignedReply first = start();
  advance(*first.ack_token);
  const SignedReply forked = advance(*first.ack_token, "another way");
  ASSERT_EQ(at(forked).gate->choices.size(), 2u);
  const auto unclear = approve(first.reply.run, "");
  ASSERT_FALSE(unclear);
  EXPECT_THAT(unclear.error().message, HasSubstr("reuse, repeat"));
  EXPECT_TRUE(approve(first.reply.run, "repeat"));
  EXPECT_EQ(advance(*forked.ack_token, "").reply.pending->step_id, "tell");
  EXPECT_EQ(times("tag"), 2u);
}

// Enforces: G30
TEST_F(Effects, that_an_agent_passes_a_choice_on_for_go_by_it) {
  write("");
  script("tag", {.output = "v1\n"});
  const auto says = [&](const SignedReply& to, std::optional<std::string> choice) {
    engine::Engine with = engine();
    run::StepInput input;
    json::Object word{{"kind", run::confirmation_kind}, {"words", "Yes, as you say."}};
    if (choice) word.set("choice", *choice);
    input.artifacts.emplace_back(std::move(word));
    return surface::advance(with, world.principal,
                            {.token = *to.ack_token, .state_token = {}, .input = input})
        .value();
  };
  const SignedReply first = start();
  advance(*first.ack_token);
  const SignedReply forked = advance(*first.ack_token, "another way");
  const SignedReply unclear = says(forked, {});
  ASSERT_EQ(unclear.reply.kind, run::ReplyKind::blocked);
  EXPECT_THAT(unclear.reply.blockers[0].message, HasSubstr("names one of reuse, repeat"));
  EXPECT_EQ(says(unclear, "undo").reply.kind, run::ReplyKind::blocked);
  EXPECT_EQ(times("tag"), 1u);
  EXPECT_EQ(says(unclear, "repeat").reply.pending->step_id, "tell");
  EXPECT_EQ(times("tag"), 2u);
}

// Enforces: G30
TEST_F(Effects, of_an_agent_have_receipts) {
  write_agents(R"("effect": true)");
  const SignedReply first = start({}, {{"who", "ann"}});
  const SignedReply mail = advance(*first.ack_token);
  advance(*mail.ack_token, "Sent it.");
  const auto found = receipts(first.reply.run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].by, run::EffectBy::agent);
  EXPECT_EQ(found[0].step, "mail");
  EXPECT_EQ(found[0].what, "Sent it.");
  EXPECT_EQ(found[0].outcome, EffectOutcome::succeeded);
  const SignedReply forked = advance(*first.ack_token, "another way");
  ASSERT_NE(at(forked).gate, nullptr);
  EXPECT_THAT(at(forked).gate->question, HasSubstr("the agent did it"));
  EXPECT_THAT(forked.reply.left->reported, ElementsAre("mail"));
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, of_an_agent_are_taken_when_it_was_told_the_same) {
  write_agents(R"("effect": true, "on_fork": "reuse")");
  const SignedReply first = start({}, {{"who", "ann"}});
  advance(*advance(*first.ack_token).ack_token, "Sent it.");
  EXPECT_EQ(advance(*first.ack_token, "other").reply.pending->step_id, "tell");
  EXPECT_EQ(events("effect_reported"), 1u);
  const SignedReply forked = advance(*first.ack_token, "third", {{"who", "bob"}});
  EXPECT_EQ(forked.reply.pending->step_id, "mail");
  EXPECT_NE(at(forked).gate, nullptr);
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, that_were_undone_are_not_in_the_way) {
  write(R"("undo": "untag {{ name }}")");
  script("tag", {.output = "v1\n"});
  script("untag \"${BATON_V1}\"");
  const SignedReply first = start();
  advance(*first.ack_token);
  const engine::Undone undone = undo(first.reply.run).value();
  EXPECT_EQ(undone.intended.environment.at("BATON_V1"), "v1");
  EXPECT_EQ(undone.intended.directory, "/work");
  EXPECT_EQ(receipts(first.reply.run).front().undone, UndoOutcome::done);
  const auto again = undo(first.reply.run);
  ASSERT_FALSE(again.has_value());
  EXPECT_THAT(again.error().message, HasSubstr("undone already"));
  EXPECT_EQ(times("untag \"${BATON_V1}\""), 1u);
  const SignedReply forked = advance(*first.ack_token, "another way");
  EXPECT_EQ(forked.reply.pending->step_id, "tell");
  EXPECT_TRUE(forked.reply.left->commands.front().is_undone);
  EXPECT_EQ(times("tag"), 2u);
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, are_undone_at_most_once) {
  write(R"("undo": "untag")");
  script("tag");
  script("untag");
  const SignedReply first = start();
  advance(*first.ack_token);
  // The result of the undo is not recorded: the server dies.
  world.faulty.inject(adapters::FaultyStore::Call::append, 2, {});
  EXPECT_FALSE(undo(first.reply.run).has_value());
  EXPECT_EQ(times("untag"), 1u);
  restart();
  EXPECT_EQ(receipts(first.reply.run).front().undone, UndoOutcome::open);
  const auto again = undo(first.reply.run);
  ASSERT_FALSE(again.has_value());
  EXPECT_THAT(again.error().message, HasSubstr("does not repeat it"));
  EXPECT_EQ(times("untag"), 1u);
  const SignedReply forked = advance(*first.ack_token, "another way");
  EXPECT_EQ(times("tag"), 1u) << "it may still be there";
  EXPECT_NE(at(forked).gate, nullptr);
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, undo_is_recorded_before_it_starts_and_needs_trust) {
  write(R"("undo": "untag")");
  script("tag");
  const SignedReply first = start();
  advance(*first.ack_token);
  trust.is_trusting = false;
  EXPECT_FALSE(undo(first.reply.run).has_value());
  EXPECT_EQ(events("undo_intended"), 0u);
  trust.is_trusting = true;
  bool was_recorded = false;
  processes.write("untag", [&](const ports::Process&) {
    was_recorded = events("undo_intended") == 1;
    return adapters::ScriptedProgram{.code = 3};
  });
  EXPECT_EQ(undo(first.reply.run).value().finished.code, 3);
  EXPECT_TRUE(was_recorded);
  EXPECT_EQ(receipts(first.reply.run).front().undone, UndoOutcome::failed);
  EXPECT_TRUE(undo(first.reply.run).has_value()) << "one that is known to have failed";
}

// Enforces: G30
TEST_F(Effects, are_undone_so_often_in_one_run) {
  write(R"("undo": "untag")");
  script("tag");
  script("untag", {.code = 1});
  const SignedReply first = start();
  advance(*first.ack_token);
  for (std::int64_t i = 0; i < limits::undos_per_run_max; ++i) {
    ASSERT_TRUE(undo(first.reply.run).has_value()) << i;
  }
  EXPECT_EQ(code_of(undo(first.reply.run)), "LIMIT_EXCEEDED");
}

// Enforces: G30
TEST_F(Effects, wait_until_a_person_has_chosen) {
  for (const std::string choice : {"reuse", "repeat"}) {
    const std::size_t before = times("tag");
    write("");
    script("tag", {.output = "v1\n"});
    const SignedReply first = start();
    advance(*first.ack_token);
    const SignedReply waits = advance(*first.ack_token, "another way");
    EXPECT_EQ(waits.reply.next_intent, run::NextIntent::await_user_confirmation);
    const SignedReply still = advance(*waits.ack_token, "I did it myself");
    EXPECT_EQ(still.reply.pending->step_id, "tag") << "no word of an agent takes its place";
    ASSERT_EQ(code_of(approve(first.reply.run, choice)), "ok");
    const SignedReply after = advance(*waits.ack_token, "go on");
    EXPECT_EQ(after.reply.pending->prompt, "It said v1.");
    EXPECT_EQ(times("tag") - before, choice == "repeat" ? 2u : 1u) << choice;
  }
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, are_undone_first_when_a_person_chooses_that) {
  write(R"("undo": "untag")");
  script("tag", {.output = "v1\n"});
  script("untag");
  const SignedReply first = start();
  advance(*first.ack_token);
  const SignedReply waits = advance(*first.ack_token, "another way");
  ASSERT_NE(at(waits).gate, nullptr);
  EXPECT_THAT(at(waits).gate->choices, ElementsAre("reuse", "repeat", "undo"));
  ASSERT_EQ(code_of(approve(first.reply.run, "undo")), "ok");
  EXPECT_EQ(times("untag"), 0u) << "the run does it when it continues";
  const SignedReply after = advance(*waits.ack_token, "go on");
  EXPECT_EQ(after.reply.pending->prompt, "It said v1.");
  EXPECT_EQ(times("untag"), 1u);
  EXPECT_EQ(times("tag"), 2u);
  EXPECT_EQ(events("undo_intended"), 1u) << "an effect with its own receipt";
  std::size_t undone = 0;
  for (const EffectReceipt& each : receipts(first.reply.run)) {
    undone += each.undone == UndoOutcome::done;
  }
  EXPECT_EQ(undone, 1u) << "and the new one holds";
  EXPECT_TRUE(same(advance(*waits.ack_token, "go on"), after));
  EXPECT_EQ(times("untag"), 1u);
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, whose_undo_failed_are_asked_about_again) {
  write(R"("undo": "untag")");
  script("tag", {.output = "v1\n"});
  script("untag", {.code = 3});
  const SignedReply first = start();
  advance(*first.ack_token);
  const SignedReply waits = advance(*first.ack_token, "another way");
  ASSERT_EQ(code_of(approve(first.reply.run, "undo")), "ok");
  const SignedReply still = advance(*waits.ack_token, "go on");
  EXPECT_EQ(still.reply.pending->step_id, "tag");
  EXPECT_EQ(times("untag"), 1u);
  EXPECT_EQ(times("tag"), 1u);
  ASSERT_NE(at(still).gate, nullptr);
  EXPECT_NE(at(still).gate->node, at(waits).gate->node) << "a new question";
  EXPECT_THAT(at(still).gate->question, HasSubstr("undo failed"));
  EXPECT_THAT(at(still).gate->choices, ElementsAre("repeat"));
  advance(*still.ack_token, "go on again");
  EXPECT_EQ(times("untag"), 1u) << "no word for that was said";
  ASSERT_EQ(code_of(approve(first.reply.run, "repeat")), "ok");
  EXPECT_EQ(advance(*still.ack_token, "go on").reply.pending->prompt, "It said v1.");
  EXPECT_EQ(times("tag"), 2u);
  EXPECT_EQ(times("untag"), 1u);
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, of_a_sub_agent_count_on_a_fork_of_the_run_it_works_for) {
  for (const std::string before : {"", R"({"id": "look", "prompt": "Look."},)"}) {
    const std::size_t had = times("tag");
    world.workflows.files.front().text = cat(R"({"id": "demo", "steps": [
  {"id": "plan", "prompt": "Plan."},
  {"id": "work", "type": "parallel_foreach", "items": ["a", "b"], "steps": [)",
                                             before, R"(
    {"id": "tag", "type": "shell_command", "command": "tag"},
    {"id": "say", "prompt": "Say."}]},
  {"id": "tell", "prompt": "Tell."}]})");
    script("tag", {.output = "v1\n"});
    const SignedReply first = start();
    const std::string run = first.reply.run.text();
    RunId child;
    // Where the sub-agent of an item is when the server has run what it may.
    const auto work_on = [&](std::size_t item) {
      engine::Engine with = engine();
      const std::string task = run::task_id("work", item);
      auto next = verbs::next_step_of_task(with, world.principal, run, task, {}).value();
      if (next.point->answer.reply.pending->step_id == cat("work@", item, "::look")) {
        const auto done = verbs::complete_step_of_task(
            with, world.principal, {run, cat("work@", item, "::look"), notes_of("seen")}, task);
        EXPECT_TRUE(done.has_value());
        next = verbs::next_step_of_task(with, world.principal, run, task, {}).value();
      }
      child = next.point->run.run;
      return next.point->answer.reply.pending->step_id;
    };
    advance(*first.ack_token);
    EXPECT_EQ(work_on(0), "work@0::say");
    EXPECT_EQ(times("tag") - had, 1u);
    advance(*first.ack_token, "another way");
    EXPECT_EQ(work_on(0), "work@0::tag") << "waits for a person";
    EXPECT_EQ(times("tag") - had, 1u);
    const run::RunRow row = *world.store.run(child).value();
    const run::NodeRow tip = *world.store.node(row.tip).value();
    const run::NodeState state = world.cold_state(tip.id).value();
    ASSERT_NE(state.gate, nullptr);
    EXPECT_THAT(state.gate->question, HasSubstr("another sub-agent had it"));
    EXPECT_THAT(state.gate->choices, ElementsAre("repeat"));
    ASSERT_EQ(code_of(approve(child, "repeat")), "ok");
    engine::Engine with = engine();
    EXPECT_TRUE(verbs::complete_step_of_task(with, world.principal,
                                             {run, "work@0::tag", notes_of("")},
                                             run::task_id("work", 0))
                    .has_value());
    EXPECT_EQ(work_on(0), "work@0::say");
    EXPECT_EQ(times("tag") - had, 2u) << "a person chose it";
    EXPECT_EQ(work_on(1), "work@1::say") << "the other branch did not come to that item";
    EXPECT_EQ(times("tag") - had, 3u);
    expect_sound();
  }
}

// Enforces: G30
TEST_F(Effects, that_a_person_refused_are_not_done) {
  write("");
  script("tag", {.output = "v1\n"});
  const SignedReply first = start();
  advance(*first.ack_token);
  const SignedReply waits = advance(*first.ack_token, "another way");
  ASSERT_EQ(code_of(approve(first.reply.run, "", run::GateDecision::refused)), "ok");
  const SignedReply after = advance(*waits.ack_token, "go on");
  EXPECT_EQ(after.reply.status, run::RunStatus::failed);
  EXPECT_EQ(times("tag"), 1u);
  EXPECT_EQ(receipts(first.reply.run).size(), 1u);
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, of_an_agent_are_the_agents_again_when_a_person_lets_it_repeat) {
  write_agents(R"("effect": true)");
  const SignedReply first = start({}, {{"who", "ann"}});
  advance(*advance(*first.ack_token).ack_token, "Sent it.");
  const SignedReply waits = advance(*first.ack_token, "another way");
  EXPECT_EQ(advance(*waits.ack_token, "Sent it again.").reply.pending->step_id, "mail");
  EXPECT_EQ(events("effect_reported"), 1u) << "before it may begin nothing is a report";
  ASSERT_EQ(code_of(approve(first.reply.run, "repeat")), "ok");
  const SignedReply begins = advance(*waits.ack_token, "go on");
  EXPECT_EQ(begins.reply.pending->prompt, "Send the mail to ann.");
  EXPECT_EQ(advance(*begins.ack_token, "Sent it again.").reply.pending->step_id, "tell");
  EXPECT_EQ(events("effect_reported"), 2u);
  expect_sound();
}

// Enforces: G30
TEST_F(Effects, travel_with_their_run) {
  write(R"("undo": "untag")");
  script("tag", {.output = "v1\n"});
  script("untag", {.code = 1});
  const SignedReply first = start();
  advance(*first.ack_token);
  ASSERT_TRUE(undo(first.reply.run).has_value());
  advance(*first.ack_token, "another way");
  const std::string text = verbs::export_bundle(world.store, first.reply.session).value();
  Scene there(2);
  engine::Engine importing = there.engine();
  ASSERT_TRUE(verbs::import_bundle(importing, text).has_value());
  EXPECT_EQ(there.receipts(first.reply.run), receipts(first.reply.run));
  EXPECT_EQ(verbs::export_bundle(there.world.store, first.reply.session).value(), text);
  there.expect_sound();
}

// --- the world and the receipts -----------------------------------------------------------------

}  // namespace
}  // namespace baton::testing
