#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/text/text.h"
#include "cli/app.h"
#include "cli/parts.h"
#include "cli/testing/memory_world.h"
#include "plan/config.h"
#include "run/log/types.h"
#include "workflow/check/diagnostic_text.h"

namespace baton::cli {
namespace {

/// What bash prints for `shown` after sourcing our script, for the words typed so far (the last one
/// open).
std::string said_of(std::string_view words, std::string_view shown) {
  MemoryWorld memory;
  memory.world().arguments = {"completion", "bash"};
  EXPECT_EQ(run(memory.world(), Parts{}).exit, ExitCode::ok);
  const std::string command = cat("bash --norc -c 'set -eu; source /dev/stdin; COMP_WORDS=(", words,
                                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _baton; echo \"",
                                  shown, "\"' 2>&1 ", "<<'SCRIPT'\n", memory.output(), "SCRIPT\n");
  FILE* pipe = popen(command.c_str(), "r");
  std::string said;
  char chunk[256];
  while (std::fgets(chunk, sizeof chunk, pipe) != nullptr) said += chunk;
  EXPECT_EQ(pclose(pipe), 0) << said;
  return said;
}

/// What is offered.
std::string offers(std::string_view words) { return said_of(words, "${COMPREPLY[*]:-}"); }

/// As how many words.
std::string offered_words(std::string_view words) { return said_of(words, "${#COMPREPLY[@]}"); }

TEST(completion, bash_completes_verbs_and_flags) {
  EXPECT_EQ(offers("baton cano"), "canon\n");
  EXPECT_EQ(offers("baton can"), "cancel canon\n");
  EXPECT_EQ(offers("baton --ver"), "--version\n");
  EXPECT_EQ(offers("baton canon --h"), "--hash --help\n");
  EXPECT_EQ(offers("baton help cano"), "canon\n");
  EXPECT_EQ(offers("baton completion b"), "bash\n");
}

TEST(completion, after_a_flag_comes_its_value_and_no_flag) {
  EXPECT_EQ(offers("baton serve --surface \"\""), "rail atomic planner all\n");
  EXPECT_EQ(offers("baton serve --surface p"), "planner\n");
  EXPECT_EQ(offers("baton serve --surface ="), "rail atomic planner all\n");
  EXPECT_EQ(offers("baton serve --surface = a"), "atomic all\n");
  EXPECT_EQ(offers("baton serve --http \"\""), "\n");
  EXPECT_EQ(offers("baton runs --count -"), "\n");
}

TEST(completion, files_are_offered_where_a_file_is_expected) {
  const std::string folder = ::testing::TempDir() + "baton completion";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/a b.yaml") << "text";
  const std::string begun = cat('"', folder, "/a\"");
  const std::string whole = cat(folder, "/a b.yaml\n");
  for (const std::string_view words :
       {"serve --db", "serve --token-file", "serve --workflows", "eval --input", "eval --state",
        "import", "validate", "test", "plan parse"}) {
    EXPECT_EQ(offers(cat("baton ", words, ' ', begun)), whole) << words;
  }
  EXPECT_EQ(offered_words(cat("baton validate ", begun)), "1\n");
}

TEST(completion, the_actions_of_a_verb_are_offered_once) {
  EXPECT_EQ(offers("baton keys \"\""), "list rotate retire\n");
  EXPECT_EQ(offers("baton plan m"), "mark\n");
  EXPECT_EQ(offers("baton keys list l"), "\n");
}

/// Asks the code that reads the value. Values of settings are tested beside their table.
bool is_taken(const Verb& verb, const Option& option, std::string_view choice) {
  if (option.name == "--autonomy") return run::from_name<run::Autonomy>(choice).has_value();
  if (option.name == "--risk-policy") return run::from_name<run::RiskPolicy>(choice).has_value();
  if (verb.name == "validate") return workflow::diagnostic_form(choice).has_value();
  if (verb.name == "plan") return plan::named_config(choice).has_value();
  return true;
}

TEST(completion, every_word_offered_for_a_value_is_taken) {
  for (const Verb* verb : verbs()) {
    for (const Option& option : options_of(*verb)) {
      for (const std::string_view choice : option.choices) {
        EXPECT_TRUE(is_taken(*verb, option, choice)) << verb->name << ' ' << choice;
      }
    }
  }
}

TEST(completion, every_verb_and_flag_of_the_table_is_offered) {
  for (const Verb* verb : verbs()) {
    const std::string flags = offers(cat("baton ", verb->name, " --"));
    for (const Option& option : options_of(*verb)) {
      EXPECT_NE(flags.find(option.name), std::string::npos) << verb->name << ' ' << option.name;
    }
    EXPECT_NE(offers("baton \"\"").find(verb->name), std::string::npos);
  }
}

TEST(completion, another_shell_is_refused) {
  MemoryWorld memory;
  memory.world().arguments = {"completion", "zsh"};
  EXPECT_EQ(run(memory.world(), Parts{}).exit, ExitCode::usage);
}

}  // namespace
}  // namespace baton::cli
