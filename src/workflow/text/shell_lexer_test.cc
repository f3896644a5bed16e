#include "workflow/text/shell_lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"

namespace baton::workflow {
namespace {

using ::testing::HasSubstr;

/// The lowered command, or the first problem.
std::string lowered(std::string_view command) {
  const LoweredShell out = lower_shell(command);
  return out.problems.empty() ? out.command : cat("! ", out.problems[0].message);
}

TEST(lower_shell, slot_becomes_a_variable_quoted_for_its_place) {
  EXPECT_EQ(lowered("git show {{ rev }}"), R"(git show "${BATON_V1}")");
  EXPECT_EQ(lowered("git show --x={{ rev }}.txt"), R"(git show --x="${BATON_V1}".txt)");
  EXPECT_EQ(lowered(R"(echo "a {{ b }} c")"), R"(echo "a ${BATON_V1} c")");
  EXPECT_EQ(lowered("echo 'a {{ b }} c'"), R"(echo 'a '"${BATON_V1}"' c')");
  EXPECT_EQ(lowered("echo \"$(cat {{ f }})\" {{ g }}"),
            "echo \"$(cat \"${BATON_V1}\")\" \"${BATON_V2}\"");
  EXPECT_EQ(lowered("cd {{ d }} && make > {{ log }} 2>&1"),
            R"(cd "${BATON_V1}" && make > "${BATON_V2}" 2>&1)");
  EXPECT_EQ(lowered("NAME={{ n }} make all"), R"(NAME="${BATON_V1}" make all)");
  EXPECT_EQ(lowered("for f in {{ a }}; do echo \"$f\"; done"),
            R"(for f in "${BATON_V1}"; do echo "$f"; done)");
  EXPECT_EQ(lowered("echo ${x:-\"}\"} {{ a }}"), R"(echo ${x:-"}"} "${BATON_V1}")");
  EXPECT_EQ(lowered("echo ${x:-'}'} {{ a }}"), R"(echo ${x:-'}'} "${BATON_V1}")");
  EXPECT_EQ(lowered("echo ${x:-\\}} {{ a }}"), R"(echo ${x:-\}} "${BATON_V1}")");
  EXPECT_EQ(lowered("echo \"${x:-'}\" {{ a }}"), R"(echo "${x:-'}" "${BATON_V1}")");
  EXPECT_EQ(lowered("cat <<< {{ a }}"), R"(cat <<< "${BATON_V1}")");
  EXPECT_EQ(lowered("bash run.sh {{ a }}"), R"(bash run.sh "${BATON_V1}")");
  EXPECT_EQ(lowered("echo $((1 + (2))) {{ a }}"), R"(echo $((1 + (2))) "${BATON_V1}")");
  EXPECT_EQ(lowered("echo '#' {{ a }} # comment"), R"(echo '#' "${BATON_V1}" # comment)");
  EXPECT_EQ(lowered("sudo -u me make {{ a }}"), R"(sudo -u me make "${BATON_V1}")");
  EXPECT_EQ(lowered("make >> log 2>&1 {{ a }}"), R"(make >> log 2>&1 "${BATON_V1}")");
  EXPECT_EQ(lowered("cat <<E {{ a }}\nE\n"), "cat <<E \"${BATON_V1}\"\nE\n");
  EXPECT_EQ(lowered("awk -v x={{ a }} '{print x}' {{ b }}"),
            R"(awk -v x="${BATON_V1}" '{print x}' "${BATON_V2}")");
  EXPECT_EQ(lowered("sed -n 1p {{ a }}"), R"(sed -n 1p "${BATON_V1}")");
  EXPECT_EQ(lowered("python3 -m pytest {{ a }}"), R"(python3 -m pytest "${BATON_V1}")");
  EXPECT_EQ(lowered("export A={{ a }}"), R"(export A="${BATON_V1}")");
  EXPECT_EQ(lowered("echo {{ a }} | bash run.sh"), R"(echo "${BATON_V1}" | bash run.sh)");
  EXPECT_EQ(lowered("echo {{ a }}; sh"), R"(echo "${BATON_V1}"; sh)");
  EXPECT_EQ(lowered("(true)# it's\necho {{ a }}"), "(true)# it's\necho \"${BATON_V1}\"");
  EXPECT_EQ(lowered("echo \\\n{{ a }}"), "echo \\\n\"${BATON_V1}\"");
}

TEST(lower_shell, command_without_slots_is_unchanged) {
  for (const std::string_view command :
       {"", "true", "eval \"$X\"", "sh -c 'echo $1'", "cat <<EOF\nx\nEOF\n", "a | b && c; d &",
        "$((1+2))", "`x`", "case $x in a) b;; esac", "echo \\", "'", "\"", "$(", "${", "((",
        "<<"}) {
    const LoweredShell out = lower_shell(command);
    EXPECT_EQ(out.command, command);
    EXPECT_TRUE(out.problems.empty()) << command;
  }
}

// Enforces: G14
TEST(lower_shell, places_where_no_quoting_is_safe_are_refused) {
  const std::pair<std::string_view, std::string_view> refused[] = {
      {"{{ x }} a", "program"},
      {"\"{{ x }}\" a", "program"},
      {"./{{ x }}", "program"},
      {"a; {{ x }}", "program"},
      {"a && {{ x }}", "program"},
      {"a | {{ x }}", "program"},
      {"a\n{{ x }}", "program"},
      {"$({{ x }})", "program"},
      {"a `\\{{ x }}`", "backticks"},
      {"a \"\\{{ x }}\"", "backslash"},
      {"sudo {{ x }}", "program"},
      {"timeout 5s {{ x }}", "program"},
      {"if {{ x }}; then a; fi", "program"},
      {"if a; then {{ x }}; fi", "program"},
      {"A=1 {{ x }}", "program"},
      {"a[{{ x }}]=1", "program"},
      {"> out {{ x }}", "program"},
      {"eval echo {{ x }}", "code"},
      {"sh -c {{ x }}", "code"},
      {"sh -c \"echo {{ x }}\"", "code"},
      {"/bin/bash -ec 'echo {{ x }}'", "code"},
      {"find . -exec sh -c 'echo {{ x }}' \\;", "code"},
      {"ssh host ls {{ x }}", "code"},
      {"python3 -c \"print('{{ x }}')\"", "code"},
      {"eval \"$(cat {{ x }})\"", "code"},
      {"echo $(( {{ x }} + 1 ))", "arithmetic"},
      {"(( {{ x }} ))", "arithmetic"},
      {"let a={{ x }}", "code"},
      {"echo `cat {{ x }}`", "backticks"},
      {"echo ${a:-{{ x }}}", "${ }"},
      {"[[ {{ x }} -eq 1 ]]", "[[ ]]"},
      {"a # {{ x }}", "comment"},
      {"cat <<EOF\n{{ x }}\nEOF\n", "heredoc"},
      {"cat <<-'EOF' > f\n\t{{ x }}\n\tEOF\n", "heredoc"},
      {"echo \\{{ x }}", "backslash"},
      {"echo $'{{ x }}'", "$'...'"},
      {"x=$(case a in b) echo;; esac; echo {{ x }})", "case"},
  };
  for (const auto& [command, why] : refused) {
    EXPECT_THAT(lowered(command), ::testing::AllOf(HasSubstr("! "), HasSubstr(std::string(why))))
        << command;
  }
}

// Enforces: G14
TEST(lower_shell, programs_and_code_in_disguise_are_refused) {
  const std::pair<std::string_view, std::string_view> refused[] = {
      // A program by way of another one.
      {"sudo -u me {{ x }}", "program"},
      {"timeout -s KILL 5 {{ x }}", "program"},
      {"xargs -I X {{ x }}", "program"},
      {"find . -exec {{ x }} \\;", "program"},
      {">> out {{ x }}", "program"},
      {"<<E {{ x }}\nE\n", "program"},
      {"coproc {{ x }}", "program"},
      // Code by another name.
      {"\"eval\" {{ x }}", "code"},
      {"e'va'l {{ x }}", "code"},
      {"ev\\\nal {{ x }}", "code"},
      {"'sh' -c {{ x }}", "code"},
      {". {{ x }}", "code"},
      {"source {{ x }}", "code"},
      {"bash {{ x }}", "code"},
      {"sudo bash -x {{ x }}", "code"},
      {"sh 2>&1 {{ x }}", "code"},
      {"python3 -m {{ x }}", "code"},
      {"sed \"s/a/{{ x }}/\" f", "code"},
      {"sed -n {{ x }} f", "code"},
      {"awk '{print \"{{ x }}\"}' f", "code"},
      {"watch {{ x }}", "code"},
      {"env -S {{ x }}", "code"},
      // What a shell reads.
      {"echo {{ x }} | sh", "input of a shell"},
      {"echo {{ x }} |\n bash -s", "input of a shell"},
      {"sh < {{ x }}", "code"},
      {"bash <<< {{ x }}", "code"},
      {"echo \"$(cat {{ x }})\" | sh", "input of a shell"},
      {"sh <<E\n\tE\necho {{ x }}\nE\n", "heredoc"},
      // Names and subscripts are evaluated.
      {"export {{ x }}", "name"},
      {"declare -a {{ x }}=1", "name"},
      {"read {{ x }}", "code"},
      {"printf -v {{ x }} 1", "code"},
      {"test -v {{ x }}", "code"},
      {"echo ${a[\"{{ x }}\"]}", "${ }"},
      {"echo \"${a:\"{{ x }}\"}\"", "${ }"},
      {"echo $[ {{ x }} ]", "arithmetic"},
      {"for (( i=0; i<{{ x }}; i++ )); do a; done", "arithmetic"},
      {"echo ${{ x }}", "dollar"},
      // Variables that steer.
      {"PATH={{ x }} make", "what is run"},
      {"export LD_PRELOAD={{ x }}", "what is run"},
      {"env BASH_ENV={{ x }} make", "what is run"},
      {"echo `echo \"{{ x }}\"`", "backticks"},
  };
  for (const auto& [command, why] : refused) {
    EXPECT_THAT(lowered(command), ::testing::AllOf(HasSubstr("! "), HasSubstr(std::string(why))))
        << command;
  }
}

TEST(lower_shell, text_behind_a_heredoc_is_a_command_again) {
  EXPECT_EQ(lowered("cat <<A\nx\nA\necho {{ x }}"), "cat <<A\nx\nA\necho \"${BATON_V1}\"");
}

TEST(lower_shell, every_refused_slot_is_reported_with_its_place) {
  const LoweredShell out = lower_shell("{{ a }} | {{ b }}");
  ASSERT_EQ(out.problems.size(), 2u);
  EXPECT_EQ(out.problems[0].at, 0u);
  EXPECT_EQ(out.problems[1].at, 10u);
}

TEST(lower_shell, slots_keep_what_was_written) {
  const LoweredShell out = lower_shell("echo {{ a | json }} {{b}}");
  ASSERT_EQ(out.slots.size(), 2u);
  EXPECT_EQ(out.slots[0].variable, "BATON_V1");
  EXPECT_EQ(out.slots[0].expression, "{{ a | json }}");
  EXPECT_EQ(out.slots[1].expression, "{{b}}");
}

TEST(lower_shell, broken_braces_are_reported) {
  EXPECT_THAT(lowered("echo {{ a"), HasSubstr("no }}"));
}

/// For every command, no expression's text is left in what a shell will read.
RC_GTEST_PROP(lower_shell, no_slot_is_left_in_the_command, ()) {
  const std::string pieces[] = {"{{ secret }}", "'",  "\"", "`",     "$(", ")", "(", "((",
                                "))",           "${", "}",  "echo ", "\n", ";", "|", "<<E\n",
                                "E\n",          "#",  "\\", " "};
  std::string command;
  for (const auto index : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 20))) {
    command += pieces[index];
  }
  const LoweredShell out = lower_shell(command);
  if (!out.problems.empty()) return;
  RC_ASSERT(out.command.find("secret") == std::string::npos);
}

}  // namespace
}  // namespace baton::workflow
