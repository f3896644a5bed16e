#include "cli/app.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "cli/config/config.h"
#include "cli/help.h"
#include "cli/parts.h"
#include "cli/testing/memory_world.h"

namespace baton::cli {
namespace {

struct Ran {
  int exit = -1;
  std::string output;
  std::string errors;
};

Ran run_with(MemoryWorld& memory, std::vector<std::string> words) {
  memory.world().arguments = std::move(words);
  const int exit = static_cast<int>(run(memory.world(), Parts{}).exit);
  return {exit, memory.output(), memory.errors()};
}

Ran run_words(std::vector<std::string> words, std::string_view input = "") {
  MemoryWorld memory;
  memory.set_input(input);
  return run_with(memory, std::move(words));
}

TEST(cli, without_a_verb_the_overview_goes_to_standard_error) {
  const Ran ran = run_words({});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.output, "");
  EXPECT_EQ(ran.errors, overview());
}

TEST(cli, the_version_is_one_line) {
  EXPECT_EQ(run_words({"--version"}).output, cat("baton ", BATON_VERSION, "\n"));
}

TEST(cli, every_verb_says_the_same_by_help_and_by_its_flag) {
  for (const Verb* verb : verbs()) {
    const std::string name(verb->name);
    const Ran by_flag = run_words({name, "--help"});
    EXPECT_EQ(by_flag.exit, 0) << name;
    EXPECT_EQ(by_flag.output, run_words({"help", name}).output) << name;
    EXPECT_EQ(by_flag.output, run_words({name, "-h"}).output) << name;
    EXPECT_NE(by_flag.output.find(verb->help), std::string::npos) << name;
  }
}

TEST(cli, help_fits_a_terminal_of_80_columns_and_summaries_have_no_full_stop) {
  for (const Verb* verb : verbs()) {
    std::string_view text = verb->help;
    EXPECT_TRUE(text.ends_with('\n')) << verb->name;
    EXPECT_FALSE(verb->summary.ends_with('.')) << verb->name;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      EXPECT_LE(end, 80u) << verb->name << ": " << text.substr(0, end);
      text.remove_prefix(end + 1);
    }
  }
}

TEST(cli, colours_appear_on_a_terminal_only_and_not_with_no_color) {
  MemoryWorld plain;
  EXPECT_EQ(run_with(plain, {"cannon"}).errors.find('\033'), std::string::npos);

  MemoryWorld terminal;
  terminal.world().errors_are_terminal = true;
  EXPECT_NE(run_with(terminal, {"cannon"}).errors.find('\033'), std::string::npos);

  MemoryWorld no_color;
  no_color.world().errors_are_terminal = true;
  no_color.world().environment["NO_COLOR"] = "1";
  EXPECT_EQ(run_with(no_color, {"cannon"}).errors.find('\033'), std::string::npos);
}

TEST(cli, what_was_typed_is_shown_as_a_clean_line) {
  const Ran verb = run_words({"no\033[31m\nsuch\xff"});
  EXPECT_EQ(verb.errors,
            "baton: there is no verb 'no\\u001b[31m\\nsuch\\ufffd'\nhint: 'baton help' lists "
            "them\n");
  EXPECT_EQ(run_words({"explain", "x\033"}).errors.find('\033'), std::string::npos);
  EXPECT_EQ(run_words({"canon", "--\033\n"}).errors.find('\033'), std::string::npos);
}

TEST(cli, no_line_of_an_error_looks_like_one_of_the_programs_own) {
  const Error error = Error::make(Code::WORKFLOW_INVALID, "one\nhint: two\033", "three\nfour");
  EXPECT_EQ(paint(error_text(error), false),
            "baton: one\n  hint: two\\u001b [WORKFLOW_INVALID]\nhint: three\n  four\n");
}

TEST(cli, a_project_is_said_not_to_set_what_it_may_not_set) {
  for (const Setting& setting : settings()) {
    if (setting.project_may_set) continue;
    EXPECT_TRUE(config_verb.help.contains(setting.name)) << setting.name;
  }
}

TEST(cli, config_takes_the_flag_of_every_setting) {
  for (const Setting& setting : settings()) {
    if (setting.flag.empty()) continue;  // only the user's file says it
    EXPECT_EQ(std::ranges::count(config_verb.settings, setting.name), 1) << setting.name;
  }
}

TEST(cli, the_input_of_canon_has_a_limit) {
  const std::string fits(limits::message_bytes_max - 2, 'a');
  EXPECT_EQ(run_words({"canon"}, cat('"', fits, '"')).exit, 0);
  const Ran over = run_words({"canon"}, cat('"', fits, "a\""));
  EXPECT_EQ(over.exit, 1);
  EXPECT_NE(over.errors.find("LIMIT_EXCEEDED"), std::string::npos);
}

TEST(cli, an_output_that_cannot_be_written_is_the_environments_fault) {
  MemoryWorld memory;
  memory.set_input("1");
  World world = memory.world();
  world.arguments = {"canon"};
  world.output = -1;
  EXPECT_EQ(run(world, Parts{}).exit, ExitCode::environment);
}

}  // namespace
}  // namespace baton::cli
