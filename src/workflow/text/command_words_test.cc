#include "workflow/text/command_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::workflow {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> of(std::vector<std::string> argv) { return file_words(argv).words; }
std::vector<std::string> of_line(std::string line) { return of({"sh", "-c", std::move(line)}); }

TEST(command_words, are_the_program_and_every_argument) {
  EXPECT_THAT(of({"./tool", "a", "tools/b.py"}), ElementsAre("./tool", "a", "tools/b.py"));
  EXPECT_THAT(of({"sh", ".baton/check.sh"}), ElementsAre("sh", ".baton/check.sh"));
  EXPECT_THAT(of({}), IsEmpty());
}

TEST(command_words, of_a_shell_line_are_found_in_every_place) {
  for (const char* line : {
           "./x.sh",
           "sh x.sh && true",
           "cd sub; ./x.sh",
           "if ./x.sh; then true; fi",
           "true | ./x.sh",
           "true & ./x.sh",
           "(./x.sh)",
           "{ ./x.sh; }",
           "X=1 ./x.sh",
           "exec ./x.sh",
           "env -i ./x.sh",
           "\"./x.sh\" 'a b'",
           "'./x.sh'",
           "./x\\.sh",
           "echo $(./x.sh)",
           "echo \"$(./x.sh)\"",
           "echo `./x.sh`",
           "sh -c './x.sh a'",
           "sh -c \"sh -c './x.sh a'\"",
           "eval './x.sh'",
           ">out ./x.sh",
           "2>&1 ./x.sh",
           "sh <./x.sh",
           ". ./x.sh",
           "# words\n./x.sh",
           "true \\\n && ./x.sh",
           "timeout 5 ./x.sh",
           "find . -exec ./x.sh {} +",
           "cat <<END | sh\n./x.sh\nEND\n",
           "cat <<END\ncat '\nEND\nsh x.sh\n: '",
           "echo $(true)#a; sh x.sh",
           "echo `true`#a; sh x.sh",
           "echo $(true)\\\n#a; sh x.sh",
           "echo `true # words`; sh x.sh",
           "(true)#it's\nsh x.sh",
           "echo >#a; sh x.sh",
           "sh ${0+x.sh}",
           "sh ${A-x.sh}",
           "sh ${A%x}x.sh",
           "sh ~/x.sh",
           "sh ~+/x.sh",
       }) {
    EXPECT_THAT(of_line(line), ::testing::AnyOf(Contains("./x.sh"), Contains("x.sh"))) << line;
  }
}

// Enforces: G21
TEST(command_words, of_code_within_words_are_found) {
  for (const char* line : {
           // What a command writes, as a part of a path.
           "sh $(pwd)/x.sh",
           "sh `pwd`/x.sh",
           "sh \"$(pwd)/x.sh\"",
           "sh \"$(pwd)\"/x.sh",
           "sh \"$(dirname \"$0\")/x.sh\"",
           "\"$(git rev-parse --show-toplevel)\"/x.sh",
           "sh `pwd`\"/x.sh\"",
           // And as a command.
           "`printf 'sh x.sh'`",
           "$(printf 'sh x.sh')",
           "true; $(echo sh x.sh)",
           "echo \"$( $(echo sh x.sh) )\"",
           // Where quotes, comments and code are within each other.
           "echo \"# $(sh x.sh)\"",
           "echo \\#\"$(sh x.sh)\"",
           "echo \"cat '$(sh x.sh)'\"",
           "echo `cat \"\\`sh x.sh\\`\"`",
           "cat <<END\n'$(sh x.sh)\nEND",
           "echo \"$(cat \\\";exec ./x.sh)'\"",
           // Quotes that shells read in several ways.
           "echo `cat \\`sh x.sh\\``",
           "echo $'\\''; sh x.sh; echo 'a'",
           "echo \"${A:-\"'\"}\"; sh x.sh; echo \"'\"",
       }) {
    EXPECT_THAT(of_line(line), ::testing::AnyOf(Contains("./x.sh"), Contains("x.sh"))) << line;
  }
}

TEST(command_words, inside_an_argument_are_found) {
  for (const char* word : {"--config=x.js", "-fx.js", "@x.js", "a:x.js:b", "a,x.js", "$PWD/x.js",
                           "${PWD}/x.js", "${TOOL:-x.js}", "A=x.js"}) {
    EXPECT_THAT(of({"tool", word}), Contains("x.js")) << word;
  }
}

TEST(command_words, that_only_programs_for_data_are_given_do_not_count) {
  EXPECT_THAT(of({"cat", "notes.md"}), IsEmpty());
  EXPECT_THAT(of({"/usr/bin/wc", "-l", "notes.md"}), IsEmpty());
  EXPECT_THAT(of({"git", "hash-object", ".baton/check.sh"}), IsEmpty());
  EXPECT_THAT(of_line("grep -c '^- \\[ \\] ' .baton/plan.md || true"), IsEmpty());
  EXPECT_THAT(of_line("echo made > made.txt; cat < made.txt"), IsEmpty());
  EXPECT_THAT(of_line("test \"$(cat a.txt)\" = b"), IsEmpty());
  for (const char* line : {"echo `cat a.txt`", "echo \"`cat a.txt`\"", "echo \"a${A}\" a.txt",
                           "echo '$' a.txt", "test -n \"$(echo $(cat a.txt))\""}) {
    EXPECT_THAT(of_line(line), IsEmpty()) << line;
  }
}

// Enforces: G21
TEST(command_words, of_programs_for_data_are_still_looked_for_in_the_path) {
  const auto programs = [](std::vector<std::string> argv) { return file_words(argv).programs; };
  EXPECT_THAT(programs({"cat", "notes.md"}), ElementsAre("cat"));
  EXPECT_THAT(programs({"git", "status"}), ElementsAre("git"));
  EXPECT_THAT(programs({"/usr/bin/cat", "notes.md"}), IsEmpty());
  EXPECT_THAT(programs({"sh", "-c", "grep a b | wc -l; test \"$(tail x)\" = \"`head x`\""}),
              ElementsAre("sh", "grep", "wc", "test", "tail", "head"));
  EXPECT_THAT(programs({"sh", "-c", "./tool"}), ElementsAre("sh"));
}

TEST(command_words, that_change_the_folder_are_kept) {
  EXPECT_THAT(of_line("cd a/b && cd .. && ./x.sh"), Contains(".."));
  EXPECT_THAT(of_line("cd && ./x.sh"), Contains("~"));
  EXPECT_THAT(of_line("cd a && ./x.sh"), ::testing::Not(Contains("~")));
}

TEST(command_words, behind_the_mark_of_a_comment_do_not_count) {
  EXPECT_THAT(of_line("make # x.sh"), ElementsAre("make"));
  EXPECT_THAT(of_line("make;# x.sh"), ElementsAre("make"));
  EXPECT_THAT(of_line("cat a # it's\ncat b"), IsEmpty());
}

TEST(command_words, count_again_as_soon_as_anything_else_runs) {
  EXPECT_THAT(of_line("cat x.sh | sh"), Contains("x.sh"));
  EXPECT_THAT(of_line("echo \"$(sh x.sh)\""), Contains("x.sh"));
  EXPECT_THAT(of_line("test \"$(cat x.sh)\" && `cat x.sh`; make"), Contains("x.sh"));
  EXPECT_THAT(of_line("PATH=x.d cat x.sh"), Contains("x.sh"));
  EXPECT_THAT(of({"./cat", "x.sh"}), Contains("x.sh"));
  EXPECT_THAT(of({"git", "bisect", "run", "x.sh"}), Contains("x.sh"));
  EXPECT_THAT(of({"git", "-c", "core.pager=x.sh", "log"}), Contains("x.sh"));
  EXPECT_THAT(of({"git"}), Contains("git"));
}

// Enforces: G9
TEST(command_words, are_bounded_in_number) {
  std::vector<std::string> argv = {"tool"};
  while (argv.size() < limits::command_words_max) argv.push_back(cat("word", argv.size()));
  EXPECT_EQ(of(argv).size(), limits::command_words_max);
  EXPECT_FALSE(file_words(argv).is_cut);
  argv.emplace_back("last");
  EXPECT_EQ(of(argv).size(), limits::command_words_max);
  EXPECT_TRUE(file_words(argv).is_cut);
}

TEST(command_words, of_any_text_are_found_without_harm) {
  for (const char* line : {"'", "\"", "\\", "$(", "`", "<", "2>", "<<", "#", "&&", "${", "\"\\"}) {
    of_line(line);
    of({line, line});
  }
}

}  // namespace
}  // namespace baton::workflow
