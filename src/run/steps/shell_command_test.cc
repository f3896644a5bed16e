#include "run/steps/shell_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/decide/decide.h"
#include "run/testing/sample_run.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Object;
using testing::decide_with;
using testing::draw_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// A run of a workflow whose first step is a command.
class server_command : public ::testing::Test {
 protected:
  Result<Decided> start(std::string_view step, Object context = {}, std::string runner = "here") {
    pinned_ = testing::yaml_workflow(cat("id: w\nsteps:\n  - id: c\n    type: shell_command\n",
                                         step, "\n  - {id: after, prompt: go on}\n"));
    schemas_ = MUST(Schemas::of(pinned_.workflow));
    return decide_with(Decider::start({.workflow = &pinned_,
                                       .schemas = schemas_.get(),
                                       .goal = "",
                                       .workspace_path = "/work",
                                       .context = std::move(context),
                                       .preferences = {},
                                       .minting = {},
                                       .may_run = true,
                                       .runner = std::move(runner)}),
                       draw_of(1));
  }

  ProcessIntended intended(std::string_view step, Object context = {}) {
    const Decided decided = MUST(start(step, std::move(context)));
    EXPECT_NE(decided.state.process, nullptr);
    NodeState empty;
    empty.session = decided.state.session;
    EXPECT_EQ(MUST(fold(empty, decided.commit.events)), decided.state);
    EXPECT_EQ(MUST(read_snapshot(MUST(write_snapshot(decided.state)))), decided.state);
    return decided.state.process == nullptr ? ProcessIntended{} : *decided.state.process;
  }

  /// The server's own attempt at the last node.
  Decided finish(const Decided& at, ProcessReport report) {
    AdvanceCommand command;
    command.workflow = &pinned_.workflow;
    command.schemas = schemas_.get();
    command.parent = at.state;
    command.token_node = at.state.process->node;
    command.step = "c";
    command.input.process = std::move(report);
    command.runner = "here";
    Decided decided = MUST(decide_with(Decider::advance(command), draw_of(++nodes_)));
    EXPECT_EQ(MUST(fold(at.state, decided.commit.events)), decided.state);
    EXPECT_EQ(MUST(read_snapshot(MUST(write_snapshot(decided.state)))), decided.state);
    return decided;
  }

  workflow::Pinned pinned_;
  std::shared_ptr<const Schemas> schemas_;
  std::size_t nodes_ = 1;
};

TEST_F(server_command, command_is_read_by_a_shell_and_its_values_are_in_the_environment) {
  const ProcessIntended out =
      intended("    command: echo {{ name }} > \"{{ file }}\"\n    timeout_ms: 70",
               {{"name", "a; rm -rf /"}, {"file", Object{{"x", 1}}}});
  EXPECT_THAT(out.argv, ElementsAre("sh", "-c", "echo \"${BATON_V1}\" > \"${BATON_V2}\""));
  EXPECT_THAT(out.environment,
              ElementsAre(Pair("BATON_V1", "a; rm -rf /"), Pair("BATON_V2", R"({"x":1})")));
  EXPECT_EQ(out.directory, "/work");
  EXPECT_EQ(out.timeout_ms, 70);
  EXPECT_EQ(out.step, "c");
  EXPECT_EQ(out.runner, "here");
}

TEST_F(server_command, each_argument_stays_one_word) {
  const ProcessIntended out =
      intended("    argv: [printf, '%s', 'a {{ v }} b']", {{"v", "x y 'z'"}});
  EXPECT_THAT(out.argv, ElementsAre("printf", "%s", "a x y 'z' b"));
  EXPECT_TRUE(out.environment.empty());
  EXPECT_EQ(out.timeout_ms, limits::process_ms_max);
}

TEST_F(server_command, timeout_is_bounded) {
  constexpr std::int64_t most = limits::process_timeout_ms_max;
  EXPECT_EQ(intended(cat("    command: 'true'\n    timeout_ms: ", most)).timeout_ms, most);
  EXPECT_EQ(intended(cat("    command: 'true'\n    timeout_ms: ", most + 1)).timeout_ms, most);
}

TEST_F(server_command, directory_is_inside_of_the_workspace_or_absolute) {
  const auto directory = [&](std::string_view text) {
    return intended(cat("    command: pwd\n    working_directory: ", text)).directory;
  };
  EXPECT_EQ(directory("a/b"), "/work/a/b");
  EXPECT_EQ(directory("./a//../b/."), "/work/b");
  EXPECT_EQ(directory("/elsewhere"), "/elsewhere");
  const auto refused =
      start("    command: pwd\n    working_directory: 'a/../{{ up }}'", {{"up", "../etc"}});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::INVALID_INPUT);
  EXPECT_THAT(refused.error().message, HasSubstr("is outside the run's workspace"));
}

TEST_F(server_command, value_that_is_not_set_starts_nothing) {
  const auto refused = start("    command: echo {{ missing }}");
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("\"command\" of the step \"c\""));
}

TEST_F(server_command, without_a_runner_the_step_is_the_agents) {
  const Decided decided = MUST(start("    command: 'true'", {}, ""));
  EXPECT_EQ(decided.state.process, nullptr);
  EXPECT_NE(decided.reply.pending->kind, workflow::StepKind::shell_command);
}

TEST_F(server_command, while_it_runs_there_is_nothing_to_do_but_to_ask_again) {
  const Decided decided = MUST(start("    command: 'true'"));
  EXPECT_EQ(decided.reply.pending->kind, workflow::StepKind::shell_command);
  EXPECT_EQ(decided.reply.next_intent, NextIntent::rehydrate_only);
  EXPECT_TRUE(decided.reply.ack.has_value());
  EXPECT_EQ(decided.reply.status, RunStatus::in_progress);
}

TEST_F(server_command, result_advances_to_the_next_step) {
  const Decided begun = MUST(start("    command: 'true'"));
  const Decided decided = finish(begun, {{ProcessEnd::exited, 0, "done\n", "", false, false}});
  EXPECT_EQ(decided.reply.pending->step_id, "after");
  EXPECT_EQ(decided.state.process, nullptr);
  EXPECT_EQ(decided.state.ran, nullptr);
}

// Enforces: G7
TEST_F(server_command, unknown_end_makes_it_the_agents_and_nothing_is_run_again) {
  const Decided begun = MUST(start("    command: 'true'"));
  const Decided decided = finish(begun, {});
  EXPECT_EQ(decided.state.process, nullptr);
  EXPECT_EQ(decided.reply.pending->step_id, "c");
  EXPECT_NE(decided.reply.pending->kind, workflow::StepKind::shell_command);
  EXPECT_THAT(decided.reply.pending->prompt, HasSubstr("It will not run it again"));
}

TEST_F(server_command, unusable_result_is_given_to_the_agent_with_its_output) {
  const Decided begun = MUST(start("    command: 'true'"));
  ProcessReport report{{ProcessEnd::exited, 0, "42\n", "", false, false}, "no such field", true};
  const Decided decided = finish(begun, report);
  EXPECT_EQ(decided.state.process, nullptr);
  EXPECT_THAT(decided.reply.pending->prompt, HasSubstr("do not run it again"));
  EXPECT_THAT(decided.reply.pending->prompt, HasSubstr("no such field"));
  EXPECT_THAT(decided.reply.pending->prompt, HasSubstr("42"));
}

// --- what an end means ---

class command_meaning : public ::testing::Test {
 protected:
  static std::string of(std::string_view format, ProcessResult result) {
    workflow::Step step;
    workflow::ShellCommand command;
    command.output_format = format;
    step.body = std::move(command);
    ProcessIntended intended;
    intended.argv = {"tool"};
    intended.directory = "/work";
    intended.timeout_ms = 50;
    const auto meaning = meaning_of(step, intended, result);
    if (const auto* value = std::get_if<json::Value>(&meaning)) return json::print(*value);
    const auto& failure = std::get<StepFailure>(meaning);
    return cat(failure.type, ": ", failure.message);
  }
  static std::string ended(ProcessEnd end, int code, std::string errors = {}) {
    return of("text", {end, code, "", std::move(errors), false, false});
  }
};

TEST_F(command_meaning, of_a_good_end_is_the_output_in_its_format) {
  const ProcessResult good{ProcessEnd::exited, 0, "A=1\nB=\n", "noise", false, false};
  EXPECT_EQ(of("text", good), R"("A=1\nB=")");
  EXPECT_EQ(of("lines", good), R"(["A=1","B="])");
  EXPECT_EQ(of("key_value", good), R"({"A":"1","B":""})");
  EXPECT_THAT(of("json", good), HasSubstr("output: the command's output"));
  EXPECT_EQ(of("json", {ProcessEnd::exited, 0, "[1]", "", false, false}), "[1]");
}

TEST_F(command_meaning, of_a_bad_end_is_a_failure_that_says_what_happened) {
  EXPECT_EQ(ended(ProcessEnd::exited, 2, "no such file\n"),
            "command: the command ended with exit code 2: no such file");
  EXPECT_EQ(ended(ProcessEnd::signalled, 11), "command: the command was killed by signal 11");
  EXPECT_EQ(ended(ProcessEnd::timed_out, 0),
            "timeout: the command was killed: it was still running after 50 ms");
  EXPECT_EQ(ended(ProcessEnd::not_found, 0), "command: there is no program \"tool\"");
  EXPECT_THAT(ended(ProcessEnd::not_started, 2), HasSubstr("in /work: its folder"));
  EXPECT_THAT(ended(ProcessEnd::not_started, 0), HasSubstr("NUL byte"));
  EXPECT_EQ(ended(ProcessEnd::stopped, 0), "command: the command was stopped");
}

TEST_F(command_meaning, shows_the_end_of_long_errors) {
  const std::string text = ended(ProcessEnd::exited, 1, std::string(5'000, 'x') + "the reason");
  EXPECT_TRUE(text.ends_with("the reason"));
  EXPECT_LT(text.size(), limits::blocker_message_bytes_max);
}

}  // namespace
}  // namespace baton::run
