// The suite of the ProcessRunner port, run against programs of this machine and against the
// scripted ones.

#include <gtest/gtest.h>

#include <csignal>

#include "adapters/process/host_processes.h"
#include "adapters/process/testing/scripted_processes.h"
#include "base/text/text.h"

namespace baton::contract {
namespace {

using adapters::ScriptedProgram;
using ports::Process;
using ports::ProcessEnd;
using ports::ProcessResult;

constexpr std::int64_t long_ms = 60'000;

std::unique_ptr<ports::ProcessRunner> scripted() {
  auto runner = std::make_unique<adapters::ScriptedProcesses>();
  const auto write = [&](std::string text, ScriptedProgram program) {
    runner->write(std::move(text), [program](const Process&) { return program; });
  };
  write("echo out; echo err >&2; exit 3", {.code = 3, .output = "out\n", .errors = "err\n"});
  write("kill -9 $$", {.end = ProcessEnd::signalled, .code = SIGKILL});
  write("printf 12345; printf 12345 >&2", {.output = "12345", .errors = "12345"});
  write("printf started; exec sleep 1000", {.output = "started", .ms = 1'000'000});
  runner->write("cat; printf \"$WORD\"", [](const Process& process) {
    return ScriptedProgram{.output = cat(process.input, process.environment.at("WORD"))};
  });
  return runner;
}

struct Kind {
  std::string_view name;
  std::unique_ptr<ports::ProcessRunner> (*open)();
};

class ProcessRunner : public ::testing::TestWithParam<Kind> {
 protected:
  static Process sh(std::string text) {
    return {.argv = {"sh", "-c", std::move(text)},
            .directory = "/",
            .environment = {{"PATH", "/usr/bin:/bin"}, {"WORD", "two  words"}}};
  }

  ProcessResult run(Process process) {
    return runner_->start(std::move(process))->wait(long_ms).value();
  }

  std::unique_ptr<ports::ProcessRunner> runner_ = GetParam().open();
};

TEST_P(ProcessRunner, gives_exit_output_and_errors) {
  EXPECT_EQ(run(sh("echo out; echo err >&2; exit 3")),
            (ProcessResult{ProcessEnd::exited, 3, "out\n", "err\n", false, false}));
}

TEST_P(ProcessRunner, a_signal_is_told_from_an_exit) {
  const ProcessResult result = run(sh("kill -9 $$"));
  EXPECT_EQ(result.end, ProcessEnd::signalled);
  EXPECT_EQ(result.code, SIGKILL);
}

TEST_P(ProcessRunner, a_missing_program_is_not_found) {
  Process process = sh("");
  process.argv = {"no-such-program"};
  EXPECT_EQ(run(process), (ProcessResult{ProcessEnd::not_found, 0, "", "", false, false}));
}

TEST_P(ProcessRunner, input_and_environment_arrive_as_they_are) {
  Process process = sh("cat; printf \"$WORD\"");
  process.input = std::string(200'000, 'x');
  EXPECT_EQ(run(process).output, cat(process.input, "two  words"));
}

// Enforces: G9
TEST_P(ProcessRunner, as_much_as_the_limits_is_kept_and_no_more) {
  Process process = sh("printf 12345; printf 12345 >&2");
  process.output_bytes_max = 5;
  process.errors_bytes_max = 5;
  EXPECT_EQ(run(process), (ProcessResult{ProcessEnd::exited, 0, "12345", "12345", false, false}));
  process.output_bytes_max = 4;
  process.errors_bytes_max = 4;
  EXPECT_EQ(run(process), (ProcessResult{ProcessEnd::exited, 0, "1234", "2345", true, true}));
}

TEST_P(ProcessRunner, nothing_is_known_while_it_runs_and_a_stop_ends_it) {
  const auto running = runner_->start(sh("printf started; exec sleep 1000"));
  EXPECT_EQ(running->wait(0), std::nullopt);
  EXPECT_EQ(running->wait(50), std::nullopt);
  running->stop();
  const auto result = running->wait(long_ms);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, ProcessEnd::stopped);
  EXPECT_EQ(running->wait(0), result);
}

TEST_P(ProcessRunner, what_takes_longer_than_it_may_is_killed) {
  Process process = sh("printf started; exec sleep 1000");
  process.ms_max = 50;
  EXPECT_EQ(run(process).end, ProcessEnd::timed_out);
}

TEST_P(ProcessRunner, a_stop_after_the_end_changes_nothing) {
  const auto running = runner_->start(sh("echo out; echo err >&2; exit 3"));
  ASSERT_EQ(running->wait(long_ms)->code, 3);
  running->stop();
  EXPECT_EQ(running->wait(0)->end, ProcessEnd::exited);
}

TEST_P(ProcessRunner, what_may_not_start_is_asked_about_once_and_says_why) {
  int asked = 0;
  Process process = sh("echo out; echo err >&2; exit 3");
  process.why_not = [&] {
    ++asked;
    return std::string("it is another one");
  };
  const ProcessResult refused = run(process);
  EXPECT_EQ(refused.end, ProcessEnd::not_started);
  EXPECT_EQ(refused.refused, "it is another one");
  EXPECT_EQ(refused.output, "");
  EXPECT_EQ(asked, 1);
  process.why_not = [] { return std::string(); };
  EXPECT_EQ(run(process).code, 3);
}

INSTANTIATE_TEST_SUITE_P(, ProcessRunner,
                         ::testing::Values(Kind{"host",
                                                [] {
                                                  return std::unique_ptr<ports::ProcessRunner>(
                                                      std::make_unique<adapters::HostProcesses>());
                                                }},
                                           Kind{"scripted", scripted}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace baton::contract
