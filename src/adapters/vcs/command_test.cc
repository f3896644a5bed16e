#include "adapters/vcs/command.h"

#include <gtest/gtest.h>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

VcsCommand sh(std::string script) {
  return {.words = {"sh", "-c", std::move(script)},
          .directory = "/",
          .environment = {{"PATH", "/usr/bin:/bin"}, {"WORD", "two  words"}}};
}

TEST(command, gives_exit_output_and_errors) {
  const auto result = run_command(sh("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit, 3);
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_EQ(run_command(sh("kill -9 $$"))->exit, 137);
}

TEST(command, gets_its_words_environment_directory_and_input_as_they_are) {
  VcsCommand command{.words = {"printf", "%s|", "a b", "$WORD", "*", "'"},
                     .directory = "/",
                     .environment = {{"PATH", "/usr/bin"}}};
  EXPECT_EQ(run_command(command)->output, "a b|$WORD|*|'|");
  VcsCommand read = sh("pwd; echo \"$WORD\"; cat");
  read.input = std::string(200'000, 'x');
  EXPECT_EQ(run_command(read)->output, cat("/\ntwo  words\n", read.input));
}

TEST(command, may_write_as_much_as_its_limit_and_no_more) {
  VcsCommand command = sh("printf 12345");
  command.output_bytes_max = 5;
  EXPECT_EQ(run_command(command)->output, "12345");
  command.output_bytes_max = 4;
  const auto refused = run_command(command);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::COMMAND_FAILED);
  EXPECT_EQ(refused.error().message, "'sh' wrote more than 4 bytes");
  command.may_cut = true;
  EXPECT_EQ(run_command(command)->output, "1234");
  EXPECT_TRUE(run_command(command)->cut);
}

TEST(command, is_killed_with_its_children_when_it_takes_too_long) {
  VcsCommand command = sh("sh -c 'while :; do read x; done < /dev/zero' & wait");
  command.ms_max = 50;
  const auto refused = run_command(command);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::COMMAND_FAILED);
  EXPECT_EQ(refused.error().message, "'sh' took longer than 50 ms");
}

TEST(command, that_floods_its_errors_is_stopped_and_the_end_of_them_kept) {
  VcsCommand flood = sh("while :; do echo flood; done >&2");
  flood.ms_max = 50;
  EXPECT_EQ(run_command(flood).error().code, Code::COMMAND_FAILED);
  VcsCommand much =
      sh("i=0; while [ $i -lt 3000 ]; do echo line >&2; i=$((i+1)); done; echo end >&2");
  const auto result = run_command(much);
  EXPECT_EQ(result->errors.size(), limits::command_errors_bytes_max);
  EXPECT_TRUE(result->errors.ends_with("line\nend\n"));
}

TEST(command, ends_though_a_child_of_it_keeps_the_pipes) {
  EXPECT_EQ(run_command(sh("cat /dev/zero > /dev/null & echo started"))->output, "started\n");
}

TEST(command, that_is_not_there_is_named) {
  VcsCommand missing = sh("");
  missing.words = {"no-such-program"};
  EXPECT_EQ(run_command(missing).error().message, "'no-such-program' is not on the PATH");
}

TEST(command, that_cannot_be_started_says_why) {
  VcsCommand command = sh("true");
  command.directory = "/nonexistent";
  const auto refused = run_command(command);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::COMMAND_FAILED);
  EXPECT_TRUE(refused.error().message.contains("cannot be started"));
}

TEST(command, that_failed_is_named_with_what_it_said_on_one_line) {
  const VcsCommand command = sh("echo one >&2; echo two >&2; exit 4");
  const auto error = nonzero_exit(command, *run_command(command)).error();
  EXPECT_EQ(error.code, Code::COMMAND_NONZERO_EXIT);
  EXPECT_EQ(error.message, "'sh -c echo one >&2; echo two >&2; exit 4' ended with 4: one two");
}

}  // namespace
}  // namespace baton::adapters
