#include <gtest/gtest.h>

#include <cstdio>

#include "base/text.h"
#include "cli/app.h"
#include "cli/parts.h"
#include "cli/testing/memory_world.h"

namespace baton::cli {
namespace {

/// What bash offers after sourcing our script, for the words typed so far (the last one open).
std::string offers(std::string_view words) {
  MemoryWorld memory;
  memory.world().arguments = {"completion", "bash"};
  EXPECT_EQ(run(memory.world(), Parts{}).exit, Exit::ok);
  const std::string command =
      cat("bash --norc -c 'set -eu; source /dev/stdin; COMP_WORDS=(", words,
          "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _baton; echo \"${COMPREPLY[*]:-}\"' 2>&1 ",
          "<<'SCRIPT'\n", memory.output(), "SCRIPT\n");
  FILE* pipe = popen(command.c_str(), "r");
  std::string said;
  char chunk[256];
  while (std::fgets(chunk, sizeof chunk, pipe) != nullptr) said += chunk;
  EXPECT_EQ(pclose(pipe), 0) << said;
  return said;
}

TEST(completion, bash_completes_verbs_and_flags) {
  EXPECT_EQ(offers("baton can"), "canon\n");
  EXPECT_EQ(offers("baton --ver"), "--version\n");
  EXPECT_EQ(offers("baton canon --h"), "--hash --help\n");
  EXPECT_EQ(offers("baton help cano"), "canon\n");
  EXPECT_EQ(offers("baton completion b"), "bash\n");
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
  EXPECT_EQ(run(memory.world(), Parts{}).exit, Exit::usage);
}

}  // namespace
}  // namespace baton::cli
