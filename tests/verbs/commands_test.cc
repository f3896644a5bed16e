// Commands that the server runs: recorded before they start, run at most once, waited for as long
// as a caller is patient, and never run again when their result is unknown.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/process/testing/scripted_processes.h"
#include "engine/commands/server_steps.h"
#include "engine/load/find_run.h"
#include "support/world.h"
#include "surface/atomic/encode.h"
#include "surface/tokens.h"
#include "verbs/run/complete_step.h"
#include "verbs/run/effects.h"
#include "verbs/run/history.h"
#include "verbs/run/hold_run.h"
#include "verbs/run/next_step.h"
#include "verbs/run/read_state.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using ports::ProcessEnd;
using surface::SignedReply;
using ::testing::HasSubstr;

class EveryWorkflow final : public ports::Trust {
 public:
  Result<ports::TrustVerdict> judge(const Sha256&, const std::string& folder) override {
    ++asked;
    folders.push_back(folder);
    return ports::TrustVerdict{is_trusting, refusal};
  }
  Result<ports::TrustVerdict> judge(const Sha256&, const std::string& folder,
                                    const ports::NamedFiles& command) override {
    folders.push_back(folder);
    commands.push_back(command);
    return ports::TrustVerdict{is_trusting && reason.empty(), reason};
  }
  std::vector<std::string> folders;
  std::vector<ports::NamedFiles> commands;
  std::string refusal;  // why nothing is trusted
  std::string reason;   // why none of them may be started
  bool is_trusting = true;
  int asked = 0;
};

constexpr std::string_view two_commands = R"({"id": "demo", "default_state": {"raw": {"out": ""}},
  "state_schema": {"raw": {"out": "string"}}, "steps": [
  {"id": "plan", "prompt": "Plan."},
  {"id": "build", "type": "shell_command", "command": "make"},
  {"id": "test", "type": "shell_command", "command": "check",
   "state_update": {"path": "raw.out", "value": "{{ result }}"}},
  {"id": "tell", "prompt": "It said {{ out }}."}]})";

class Commands : public ::testing::Test {
 protected:
  Commands() {
    write(two_commands);
    script("make");
    script("check", {.output = "fine\n"});
  }

  void write(std::string_view workflow) { world.workflows.files.front().text = workflow; }
  void script(const std::string& command, adapters::ScriptedProgram program = {}) {
    processes.write(command, [program](const ports::Process&) { return program; });
  }

  engine::Engine engine() {
    engine::Engine out = world.engine();
    out.processes = &processes;
    out.trust = &trust;
    out.commands = &settings;
    return out;
  }
  Result<SignedReply> start(const engine::WaitPolicy& wait = {}) {
    engine::Engine with = engine();
    return surface::start(with, world.principal,
                          {.workflow_id = "demo",
                           .goal = {},
                           .context = {},
                           .preferences = {},
                           .workspace_path = "/work",
                           .wait = wait});
  }
  Result<SignedReply> advance(const std::string& ack, const engine::WaitPolicy& wait = {},
                              const std::string& notes = "done") {
    engine::Engine with = engine();
    return surface::advance(
        with, world.principal,
        {.token = ack, .state_token = {}, .input = notes_of(notes), .wait = wait});
  }
  /// Of the open step, as the atomic surface gives them.
  std::string next_instructions(const RunId& run) {
    engine::Engine with = engine();
    const auto next = verbs::next_step(with, world.principal, run.text(), {});
    return *surface::atomic::step_json(*next.value().point).find("instructions")->if_string();
  }
  std::vector<std::string> ran() const {
    std::vector<std::string> out;
    for (const ports::Process& each : processes.started()) out.push_back(each.argv.back());
    return out;
  }
  /// From now on as another server, after this one was killed.
  void restart() {
    world.forget();
    processes.call("another");
  }
  void expect_sound() {
    EXPECT_TRUE(verbs::verify(world.store).value().ok());
    for (const auto& [node, state] : world.folded_states()) {
      EXPECT_EQ(world.cold_state(node).value(), state);
    }
  }

  World world;
  adapters::ScriptedProcesses processes;
  EveryWorkflow trust;
  const ports::CommandSettings settings{
      .environment = {{"PATH", "/bin"}, {"SERVER_SECRET", "hush"}}};
};

TEST_F(Commands, are_run_one_after_the_other_until_a_step_is_the_agents) {
  const SignedReply first = start().value();
  const SignedReply told = advance(*first.ack_token).value();
  EXPECT_EQ(told.reply.pending->step_id, "tell");
  EXPECT_EQ(told.reply.pending->prompt, "It said fine.");
  EXPECT_THAT(ran(), ::testing::ElementsAre("make", "check"));
  EXPECT_EQ(processes.started()[0].directory, "/work");
  expect_sound();
}

// Enforces: G22
TEST_F(Commands, answer_is_the_same_for_ever_and_nothing_runs_again) {
  const SignedReply first = start().value();
  const SignedReply told = advance(*first.ack_token).value();
  const run::CommitNo last = world.last_commit();
  for (int times = 0; times < 3; ++times) {
    EXPECT_TRUE(same(advance(*first.ack_token).value(), told));
    if (times == 1) restart();
  }
  EXPECT_EQ(world.last_commit(), last);
  EXPECT_EQ(ran().size(), 2u);
}

// Enforces: G7
TEST_F(Commands, intent_is_recorded_before_anything_starts) {
  bool was_recorded = false;
  processes.write("make", [&](const ports::Process&) {
    const auto log = world.store.store_log({}, 100).value();
    for (const run::Commit& commit : log) {
      was_recorded = was_recorded || commit.body.contains("process_intended");
    }
    return adapters::ScriptedProgram{};
  });
  const SignedReply first = start().value();
  EXPECT_TRUE(advance(*first.ack_token).has_value());
  EXPECT_TRUE(was_recorded);
}

// Enforces: G7
TEST_F(Commands, intent_that_was_not_recorded_starts_nothing) {
  const SignedReply first = start().value();
  for (const int nth : {1, 2}) {
    world.faulty.inject(adapters::FaultyStore::Call::append, nth, {});
  }
  EXPECT_FALSE(advance(*first.ack_token).has_value());
  EXPECT_TRUE(ran().empty());
  EXPECT_EQ(advance(*first.ack_token).value().reply.pending->step_id, "tell");
  EXPECT_EQ(ran().size(), 2u);
}

TEST_F(Commands, environment_is_that_of_the_settings_and_the_values_and_only_these_are_recorded) {
  write(R"({"id": "demo", "inputs": {"who": {"type": "string", "default": "a'b"}}, "steps": [
    {"id": "build", "type": "shell_command", "command": "greet {{ inputs.who }}"},
    {"id": "end", "prompt": "End."}]})");
  script("greet \"${BATON_V1}\"");
  const SignedReply end = start().value();
  EXPECT_EQ(end.reply.pending->step_id, "end");
  const ports::Process process = processes.started().at(0);
  EXPECT_EQ(process.environment,
            (ports::Environment{{"BATON_V1", "a'b"}, {"PATH", "/bin"}, {"SERVER_SECRET", "hush"}}));
  const auto log = world.store.store_log({}, 100).value();
  for (const run::Commit& commit : log) {
    EXPECT_FALSE(commit.body.contains("hush"));
  }
}

TEST_F(Commands, long_one_answers_that_it_runs_and_the_next_call_returns_its_end) {
  script("make", {.ms = limits::process_wait_ms_max + 5'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  EXPECT_EQ(waits.reply.pending->step_id, "build");
  EXPECT_EQ(waits.reply.pending->kind, workflow::StepKind::shell_command);
  EXPECT_EQ(waits.reply.next_intent, run::NextIntent::rehydrate_only);
  EXPECT_EQ(ran().size(), 1u);
  // With either token, and it is the same run of the command.
  EXPECT_EQ(advance(*waits.ack_token).value().reply.pending->step_id, "tell");
  EXPECT_EQ(advance(*first.ack_token).value().reply.pending->step_id, "tell");
  EXPECT_EQ(ran().size(), 2u);
  expect_sound();
}

// Enforces: G24
TEST_F(Commands, of_a_run_that_is_held_end_and_no_other_starts) {
  script("make", {.ms = limits::process_wait_ms_max + 5'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  const run::RunRow row = *world.store.run(first.reply.run).value();
  engine::Engine owner = engine();
  ASSERT_TRUE(verbs::hold_run(owner, row, run::Hold::paused, {.text = "wait"}));
  const SignedReply held = advance(*waits.ack_token).value();
  EXPECT_EQ(held.hold->reason, "wait");
  EXPECT_EQ(held.reply.pending->step_id, "test");
  EXPECT_THAT(ran(), ::testing::ElementsAre("make"));
  ASSERT_TRUE(verbs::hold_run(owner, row, run::Hold::running, {}));
  EXPECT_EQ(advance(*held.ack_token).value().reply.pending->step_id, "tell");
  EXPECT_THAT(ran(), ::testing::ElementsAre("make", "check"));
  expect_sound();
}

// Enforces: G24
TEST_F(Commands, a_run_that_was_held_while_one_ran_takes_no_call_after_its_end) {
  write(R"({"id": "demo", "steps": [
    {"id": "plan", "prompt": "Plan."},
    {"id": "build", "type": "shell_command", "command": "make"},
    {"id": "tell", "prompt": "Tell."},
    {"id": "test", "type": "shell_command", "command": "check"},
    {"id": "end", "prompt": "End."}]})");
  script("make", {.ms = limits::process_wait_ms_max + 5'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  const run::RunRow row = *world.store.run(first.reply.run).value();
  engine::Caches elsewhere;
  engine::Engine owner = world.engine(elsewhere);
  ASSERT_TRUE(verbs::hold_run(owner, row, run::Hold::paused, {.text = "wait"}));
  const SignedReply ended = advance(*waits.ack_token).value();
  EXPECT_EQ(ended.reply.pending->step_id, "tell");
  const std::int64_t nodes = world.store.run(first.reply.run).value()->nodes;
  EXPECT_EQ(advance(*ended.ack_token).error().code, Code::RUN_PAUSED);
  EXPECT_EQ(world.store.run(first.reply.run).value()->nodes, nodes);
  EXPECT_THAT(ran(), ::testing::ElementsAre("make"));
  ASSERT_TRUE(verbs::hold_run(owner, row, run::Hold::running, {}));
  EXPECT_EQ(advance(*ended.ack_token).value().reply.pending->step_id, "end");
  EXPECT_THAT(ran(), ::testing::ElementsAre("make", "check"));
  expect_sound();
}

TEST_F(Commands, a_call_for_a_held_run_whose_command_was_killed_is_not_told_that_it_runs) {
  script("make", {.ms = 60'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  EXPECT_THAT(waits.reply.pending->prompt, HasSubstr("Baton is running the command"));
  const run::RunRow row = *world.store.run(first.reply.run).value();
  engine::Engine owner = engine();
  ASSERT_TRUE(verbs::hold_run(owner, row, run::Hold::cancelled, {.text = "stop"}));
  restart();
  for (const std::string& token : {*first.ack_token, *waits.ack_token}) {
    const SignedReply held = advance(token).value();
    EXPECT_EQ(held.hold->reason, "stop");
    EXPECT_THAT(held.reply.pending->prompt, HasSubstr("No command is running for this step"));
  }
}

// The server's own attempt at the end of a command may be seen by no caller, so it takes no
// guidance.
TEST_F(Commands, guidance_given_while_one_runs_reaches_the_agent) {
  script("make", {.ms = limits::process_wait_ms_max + 5'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  engine::Engine owner = engine();
  ASSERT_TRUE(verbs::guide_run(owner, *world.store.run(first.reply.run).value(), {.text = "slow"}));
  const SignedReply told = advance(*waits.ack_token).value();
  EXPECT_EQ(told.reply.pending->step_id, "tell");
  const SignedReply end = advance(*told.ack_token).value();
  ASSERT_EQ(end.reply.guidance.size(), 1u);
  EXPECT_EQ(end.reply.guidance.front().text, "slow");
  expect_sound();
}

TEST_F(Commands, caller_who_gives_up_waiting_does_not_stop_it) {
  script("make", {.ms = 10'000});
  int asked = 0;
  engine::WaitPolicy wait;
  wait.goes_on = [&](const engine::Waited& waited) {
    EXPECT_EQ(waited.step, "build");
    return ++asked < 3;
  };
  const SignedReply first = start().value();
  EXPECT_EQ(advance(*first.ack_token, wait).value().reply.pending->step_id, "build");
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(advance(*first.ack_token).value().reply.pending->step_id, "tell");
  EXPECT_EQ(ran().size(), 2u);
}

// Enforces: G7
TEST_F(Commands, after_a_crash_it_is_the_agents_and_never_run_again) {
  script("make", {.ms = 60'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  restart();
  const SignedReply unknown = advance(*waits.ack_token).value();
  EXPECT_EQ(unknown.reply.pending->step_id, "build");
  EXPECT_NE(unknown.reply.pending->kind, workflow::StepKind::shell_command);
  EXPECT_THAT(unknown.reply.pending->prompt, HasSubstr("It will not run it again"));
  EXPECT_THAT(unknown.reply.pending->prompt, ::testing::Not(HasSubstr("Run this command")));
  const std::string told = next_instructions(unknown.reply.run);
  EXPECT_THAT(told, HasSubstr("It will not run it again"));
  EXPECT_THAT(told, ::testing::Not(HasSubstr("Run definition.command")));
  EXPECT_TRUE(same(advance(*waits.ack_token).value(), unknown));
  EXPECT_TRUE(same(advance(*first.ack_token).value(), unknown));
  EXPECT_THAT(ran(), ::testing::ElementsAre("make"));
  // The agent checks, and sends the result.
  EXPECT_EQ(advance(*unknown.ack_token).value().reply.pending->step_id, "tell");
  EXPECT_THAT(ran(), ::testing::ElementsAre("make", "check"));
  expect_sound();
}

// Enforces: G7
TEST_F(Commands, a_crash_between_intent_and_start_does_not_start_it) {
  const SignedReply first = start().value();
  // The reads before it come before the intent, and a fault there is only a slower attempt.
  world.faulty.inject(adapters::FaultyStore::Call::read, 5, {});
  const auto dying = advance(*first.ack_token);
  ASSERT_FALSE(dying.has_value());
  ASSERT_TRUE(ran().empty());
  restart();
  EXPECT_THAT(advance(*first.ack_token).value().reply.pending->prompt,
              HasSubstr("It will not run it again"));
  EXPECT_TRUE(ran().empty());
}

TEST_F(Commands, one_that_runs_elsewhere_is_waited_for_until_it_must_be_over) {
  script("make", {.ms = 60'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  engine::Caches of_other_process;
  engine::Engine other = world.engine(of_other_process);
  other.trust = &trust;
  const auto ask = [&] {
    return surface::advance(
        other, world.principal,
        {.token = *waits.ack_token, .state_token = {}, .input = {}, .wait = {}});
  };
  class Alive final : public ports::ProcessRunner {
   public:
    std::unique_ptr<ports::RunningProcess> start(ports::Process) override { return nullptr; }
    std::string identity() override { return "other"; }
    std::optional<bool> is_alive(std::string_view identity) override {
      return identity == "scripted";
    }
  } alive;
  other.processes = &alive;
  EXPECT_EQ(ask().value().reply.pending->kind, workflow::StepKind::shell_command);
  world.manual_clock.advance_ms(limits::process_ms_max + limits::process_kill_ms_max + 1);
  EXPECT_THAT(ask().value().reply.pending->prompt, HasSubstr("It will not run it again"));
  // The thread that ran it finds that out too.
  EXPECT_THAT(advance(*waits.ack_token).value().reply.pending->prompt,
              HasSubstr("It will not run it again"));
  EXPECT_EQ(ran().size(), 1u);
}

TEST_F(Commands, agent_cannot_settle_what_the_server_runs) {
  script("make", {.ms = 60'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  const run::CommitNo last = world.last_commit();
  engine::WaitPolicy none;
  none.ms_max = 0;
  const SignedReply again = advance(*waits.ack_token, none, "I say it is done").value();
  EXPECT_EQ(again.reply.pending->step_id, "build");
  EXPECT_FALSE(again.notice);
  EXPECT_EQ(world.last_commit(), last);
}

TEST_F(Commands, checkpoint_taken_meanwhile_has_the_command_too) {
  script("make", {.ms = limits::process_wait_ms_max + 1'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  const SignedReply saved = world.checkpoint(*waits.checkpoint_token).value();
  EXPECT_EQ(advance(*saved.ack_token).value().reply.pending->step_id, "tell");
  EXPECT_EQ(advance(*saved.ack_token).value().reply.pending->step_id, "tell");
  EXPECT_EQ(ran().size(), 2u);
  expect_sound();
}

TEST_F(Commands, run_that_was_abandoned_meanwhile_stays_so) {
  script("make", {.ms = limits::process_wait_ms_max + 1'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  engine::Engine with = engine();
  EXPECT_TRUE(verbs::end_run(with, world.principal, first.reply.run.text(),
                             run::RunEnd{run::RunState::abandoned, "enough"})
                  .has_value());
  EXPECT_EQ(code_of(advance(*waits.ack_token)), "INVALID_INPUT");
  EXPECT_EQ(world.rehydrate(waits.state_token).value().recovery->tip->open_steps.size(), 0u);
  EXPECT_EQ(ran().size(), 1u);
}

TEST_F(Commands, result_that_the_state_refuses_does_not_run_it_again) {
  write(R"({"id": "demo", "default_state": {"raw": {"out": 0}},
    "state_schema": {"raw": {"out": "number"}}, "steps": [
    {"id": "test", "type": "shell_command", "command": "check",
     "state_update": {"path": "raw.out", "value": "{{ result }}"}},
    {"id": "tell", "prompt": "Tell."}]})");
  const SignedReply reply = start().value();
  EXPECT_EQ(ran().size(), 1u);
  EXPECT_NE(reply.reply.pending ? reply.reply.pending->step_id : "", "tell");
  expect_sound();
}

TEST_F(Commands, failing_one_is_tried_again_after_its_delay_as_often_as_its_step_says) {
  write(R"({"id": "demo", "default_state": {"raw": {"out": ""}},
    "state_schema": {"raw": {"out": "string"}}, "steps": [
    {"id": "test", "type": "shell_command", "command": "check", "on_error": "retry",
     "retry_count": 2, "retry_delay": 700, "fallback_value": "none",
     "state_update": {"path": "raw.out", "value": "{{ result }}"}},
    {"id": "tell", "prompt": "It said {{ out }}."}]})");
  script("check", {.code = 1});
  const SignedReply reply = start().value();
  EXPECT_EQ(reply.reply.pending->prompt, "It said none.");
  EXPECT_EQ(reply.reply.kind, run::ReplyKind::ok);
  ASSERT_EQ(ran().size(), 3u);
  EXPECT_EQ(processes.started()[0].delay_ms, 0);
  EXPECT_EQ(processes.started()[1].delay_ms, 700);
  EXPECT_EQ(processes.started()[2].delay_ms, 700);
  EXPECT_FALSE(reply.reply.warnings.empty());
  expect_sound();
}

TEST_F(Commands, delay_of_a_retry_counts_as_waiting) {
  write(R"({"id": "demo", "steps": [
    {"id": "test", "type": "shell_command", "command": "check", "on_error": "retry",
     "retry_count": 1, "retry_delay": 3600000}, {"id": "tell", "prompt": "Tell."}]})");
  script("check", {.code = 1});
  const SignedReply waits = start().value();
  EXPECT_EQ(waits.reply.pending->kind, workflow::StepKind::shell_command);
  EXPECT_EQ(waits.reply.status, run::RunStatus::in_progress);
  EXPECT_EQ(waits.reply.kind, run::ReplyKind::ok);
  EXPECT_EQ(ran().size(), 2u);
  expect_sound();
}

// Enforces: G7
TEST_F(Commands, unknown_one_is_never_retried) {
  write(R"({"id": "demo", "steps": [
    {"id": "test", "type": "shell_command", "command": "check", "on_error": "retry",
     "retry_count": 5}, {"id": "tell", "prompt": "Tell."}]})");
  script("check", {.ms = 60'000});
  const SignedReply waits = start().value();
  restart();
  EXPECT_THAT(advance(*waits.ack_token).value().reply.pending->prompt,
              HasSubstr("It will not run it again"));
  EXPECT_EQ(ran().size(), 1u);
}

TEST_F(Commands, failing_one_without_a_word_about_it_fails_the_run) {
  script("make", {.code = 2, .errors = "no rule"});
  const SignedReply first = start().value();
  const SignedReply end = advance(*first.ack_token).value();
  EXPECT_EQ(end.reply.status, run::RunStatus::failed);
  EXPECT_FALSE(end.reply.pending);
  EXPECT_THAT(end.reply.warnings, ::testing::Contains(HasSubstr("exit code 2: no rule")));
  EXPECT_EQ(ran().size(), 1u);
  expect_sound();
}

// Enforces: G21
TEST_F(Commands, what_is_not_as_it_was_trusted_is_handed_to_the_agent_with_the_reason) {
  const SignedReply first = start().value();
  trust.reason = "check.sh has changed; run `baton trust demo`";
  const SignedReply handed = advance(*first.ack_token).value();
  EXPECT_EQ(handed.reply.pending->step_id, "build");
  EXPECT_NE(handed.reply.pending->kind, workflow::StepKind::shell_command);
  EXPECT_THAT(handed.reply.pending->prompt,
              HasSubstr("Baton did not run the command of this step: check.sh has changed; run "
                        "`baton trust demo`"));
  EXPECT_THAT(next_instructions(handed.reply.run), HasSubstr("check.sh has changed"));
  // For ever, also in another process and when it is trusted by then.
  trust.reason.clear();
  EXPECT_TRUE(same(advance(*first.ack_token).value(), handed));
  restart();
  EXPECT_TRUE(same(advance(*first.ack_token).value(), handed));
  // The next command is judged by itself.
  EXPECT_EQ(advance(*handed.ack_token).value().reply.pending->step_id, "tell");
  EXPECT_THAT(trust.commands.back().directory, "/work");
  expect_sound();
}

// Enforces: G21
TEST_F(Commands, are_judged_in_the_folder_of_the_run_by_the_words_that_their_author_wrote) {
  write(R"({"id": "demo", "inputs": {"who": {"type": "string", "default": "x.sh"}}, "steps": [
    {"id": "build", "type": "shell_command", "argv": ["sh", "tools/y.sh", "{{ inputs.who }}"],
     "working_directory": "sub"},
    {"id": "end", "prompt": "End."}]})");
  script("x.sh");
  EXPECT_EQ(start().value().reply.pending->step_id, "end");
  EXPECT_THAT(trust.folders, ::testing::Each(std::string("/work")));
  ASSERT_EQ(trust.commands.size(), 1u);
  EXPECT_EQ(trust.commands[0].directory, "/work/sub");
  EXPECT_THAT(trust.commands[0].words, ::testing::ElementsAre("sh", "tools/y.sh"));
}

TEST_F(Commands, reason_why_none_is_run_is_told_at_the_start) {
  trust.is_trusting = false;
  EXPECT_TRUE(start().value().reply.warnings.empty());
  trust.refusal = "the workflow is trusted for /a and not for /work";
  EXPECT_THAT(start().value().reply.warnings,
              ::testing::ElementsAre("Baton does not run the commands of this workflow itself: the "
                                     "workflow is trusted for /a and not for /work"));
}

TEST_F(Commands, trust_is_asked_once_for_each_decision) {
  const SignedReply first = start().value();
  EXPECT_EQ(trust.asked, 1);
  EXPECT_TRUE(advance(*first.ack_token).has_value());
  EXPECT_EQ(trust.asked, 4);  // the agent's step and each command's end
}

TEST_F(Commands, of_a_workflow_that_is_not_trusted_are_the_agents) {
  trust.is_trusting = false;
  const SignedReply first = start().value();
  const SignedReply build = advance(*first.ack_token).value();
  EXPECT_EQ(build.reply.pending->step_id, "build");
  EXPECT_NE(build.reply.pending->kind, workflow::StepKind::shell_command);
  EXPECT_TRUE(ran().empty());
  // Trusted meanwhile: what was handed to the agent stays the agent's.
  trust.is_trusting = true;
  EXPECT_EQ(advance(*build.ack_token).value().reply.pending->step_id, "tell");
  EXPECT_THAT(ran(), ::testing::ElementsAre("check"));
}

/// What is told of the open step by those who look and write nothing.
struct Told {
  std::string prompt;
  std::string instructions;
  std::string run;
  verbs::OpenMark mark = verbs::OpenMark::open;
  bool operator==(const Told&) const = default;
};

Told told_at(World& world, const engine::ReadContext& reading, const SignedReply& at) {
  Told out;
  const auto reply = surface::rehydrate(reading, world.principal, at.state_token).value();
  out.prompt = reply.reply.pending->prompt;
  const std::string run = at.reply.run.text();
  const auto point = engine::find_open_step(reading, world.principal, run).value();
  out.instructions = *surface::atomic::step_json(point).find("instructions")->if_string();
  const run::RunRow row = engine::find_run(reading.store, run).value();
  out.run = verbs::words_of(verbs::progress_of(reading, row).value());
  out.mark = verbs::run_tree(reading, row).value().back().open_mark;
  return out;
}

TEST_F(Commands, a_read_reports_a_running_command_only_while_it_runs) {
  script("make", {.ms = 60'000});
  const SignedReply waits = advance(*start().value().ack_token).value();
  const run::CommitNo last = world.last_commit();
  const Told runs = told_at(world, engine().reading(), waits);
  EXPECT_THAT(runs.prompt, HasSubstr("Baton is running the command"));
  EXPECT_THAT(runs.instructions, HasSubstr("Baton is running the command"));
  EXPECT_EQ(runs.run, "in progress, a command is running");
  EXPECT_EQ(runs.mark, verbs::OpenMark::running);
  restart();
  const Told lost = told_at(world, engine().reading(), waits);
  EXPECT_THAT(lost.prompt, HasSubstr("No command is running for this step"));
  EXPECT_THAT(lost.prompt, HasSubstr("the result, which is unknown"));
  EXPECT_THAT(lost.instructions, HasSubstr("the result, which is unknown"));
  EXPECT_EQ(lost.run, "in progress, no command is running: its result is unknown");
  EXPECT_EQ(lost.mark, verbs::OpenMark::unknown_end);
  EXPECT_EQ(world.last_commit(), last) << "looking writes nothing";
  // Where it ended and was recorded, an old point says that too.
  EXPECT_TRUE(advance(*waits.ack_token).has_value());
  const auto old =
      surface::rehydrate(engine().reading(), world.principal, waits.state_token).value();
  EXPECT_THAT(old.reply.pending->prompt, HasSubstr("has ended"));
  const run::RunRow row =
      engine::find_run(engine().reading().store, waits.reply.run.text()).value();
  const auto tree = verbs::run_tree(engine().reading(), row).value();
  EXPECT_EQ(tree.back().mark.mark, run::StepMark::unknown_end);
  EXPECT_EQ(tree.back().open_mark, verbs::OpenMark::open) << "it is the agent's now";
}

TEST_F(Commands, one_that_a_held_run_did_not_start_is_said_to_run_by_no_process) {
  script("make", {.ms = limits::process_wait_ms_max + 5'000});
  const SignedReply first = start().value();
  const SignedReply waits = advance(*first.ack_token).value();
  const run::RunRow row = *world.store.run(first.reply.run).value();
  engine::Engine owner = engine();
  ASSERT_TRUE(verbs::hold_run(owner, row, run::Hold::paused, {.text = "wait"}));
  const auto mark = [&] { return told_at(world, engine().reading(), waits).mark; };
  EXPECT_EQ(mark(), verbs::OpenMark::running) << "a command that runs comes to its end";
  const SignedReply held = advance(*waits.ack_token).value();
  ASSERT_EQ(held.reply.pending->step_id, "test");
  EXPECT_THAT(held.reply.pending->prompt, HasSubstr("has not started the command"));
  class Elsewhere final : public ports::ProcessWatch {
   public:
    std::string identity() override { return "here"; }
    std::optional<bool> is_alive(std::string_view) override { return true; }
  } elsewhere;
  engine::Caches of_other_process;
  engine::ReadContext other = world.engine(of_other_process).reading();
  other.processes = &elsewhere;
  for (const engine::ReadContext& reading : {engine().reading(), other}) {
    const Told told = told_at(world, reading, held);
    EXPECT_THAT(told.prompt, HasSubstr("nothing runs"));
    EXPECT_THAT(told.instructions, HasSubstr("nothing runs"));
    EXPECT_EQ(told.run,
              "in progress, paused by the user, no command is running: it was not started");
    EXPECT_EQ(told.mark, verbs::OpenMark::held);
    const auto effects = verbs::effects_of(reading, row).value();
    EXPECT_THAT(effects.front().commands,
                ::testing::ElementsAre(std::pair(held.reply.state.node, run::CommandStatus::held)));
  }
  ASSERT_TRUE(verbs::hold_run(owner, row, run::Hold::running, {}));
  EXPECT_EQ(told_at(world, other, held).mark, verbs::OpenMark::running) << "it may have started";
  EXPECT_EQ(advance(*held.ack_token).value().reply.pending->step_id, "tell");
}

TEST_F(Commands, one_on_another_machine_is_said_to_run_until_its_time_is_over) {
  script("make", {.ms = 60'000});
  const SignedReply waits = advance(*start().value().ack_token).value();
  class Elsewhere final : public ports::ProcessWatch {
   public:
    std::string identity() override { return "here"; }
    std::optional<bool> is_alive(std::string_view) override { return std::nullopt; }
  } elsewhere;
  engine::Caches of_other_process;
  engine::ReadContext reading = world.engine(of_other_process).reading();
  reading.processes = &elsewhere;
  EXPECT_EQ(told_at(world, reading, waits).mark, verbs::OpenMark::running);
  world.manual_clock.advance_ms(limits::process_ms_max + limits::process_kill_ms_max + 1);
  EXPECT_EQ(told_at(world, reading, waits).mark, verbs::OpenMark::unknown_end);
}

TEST_F(Commands, run_is_continued_by_its_id) {
  script("make", {.ms = 60'000});
  const SignedReply first = start().value();
  EXPECT_TRUE(advance(*first.ack_token).has_value());
  restart();
  engine::Engine with = engine();
  const engine::RunPoint point =
      engine::run_server_steps_of(with, world.principal, first.reply.run.text(), {}).value();
  EXPECT_THAT(point.answer.reply.pending->prompt, HasSubstr("It will not run it again"));
}

}  // namespace
}  // namespace baton::testing
