"""tools/mutants in a tiny project: it sees the mutant that no test catches, and tells all else."""

import re
import subprocess
import sys
import unittest

import project
from scratch import ScratchTest

sys.path.insert(0, str(project.ROOT / "tools"))
import mutant_choice  # noqa: E402
import mutant_text  # noqa: E402

TOOL = project.ROOT / "tools/mutants"

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES C)
enable_testing()
add_executable(sum_test sum_test.c)
add_test(NAME sum COMMAND sum_test)
add_executable(other_test other_test.c)
"""
PRESETS = """{"version": 6, "configurePresets": [
  {"name": "dev", "generator": "Ninja", "binaryDir": "${sourceDir}/build/dev"}]}
"""
# Nothing needs the other program, so it must not be built.
OTHER = "#error is built\n"
# The test looks at sums and never at differences; a filter that it does not know fails it.
SUM = "int sum(int a, int b) { return a + b; }\n"
DIFFERENCE = "int difference(int a, int b) { return a - b; }\n"
TEST = """#include <stdlib.h>
#include "sum.h"
int main(void) {
  const char* filter = getenv("GTEST_FILTER");
  if (filter != 0 && filter[0] == '-') return 1;
  return sum(2, 2) == 4 ? 0 : 1;
}
"""


def text(promise, line, mutated, head="", caught_by="sum", path="sum.h"):
    return (head or f"# Breaks: {promise} It counts wrong.\n# Caught by: {caught_by}\n") + (
        f"\nin {path}\n- {line}+ {mutated}\n")


class Mutants(ScratchTest):
    """One build folder for all tests of the class would hide what a fresh one does; it is tiny."""

    def setUp(self):
        super().setUp()
        self.plant("CMakeLists.txt", CMAKE)
        self.plant("CMakePresets.json", PRESETS)
        self.plant("sum.h", SUM + DIFFERENCE)
        self.plant("sum_test.c", TEST)
        self.plant("other_test.c", OTHER)

    def mutant(self, name, *arguments, **options):
        self.plant(f"tests/mutants/{name}.mutant", text(name.split("-")[0], *arguments, **options))

    def run_tool(self, *arguments):
        done = subprocess.run([sys.executable, str(TOOL), "--root", str(self.root), *arguments],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_verdicts(self):
        self.mutant("G1-caught", SUM, "int sum(int a, int b) { return a * b + 1; }")
        status, output = self.run_tool()
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"G1-caught.mutant +caught")
        self.assertIn("1 of 1 caught", output)

        self.mutant("G2-unseen", DIFFERENCE, "int difference(int a, int b) { return b - a; }")
        self.mutant("G2-broken", SUM, "int sum(int a, int b) { return a + ; }")
        self.mutant("G2-stale", "int sum(void);\n", "int sum(int);")
        self.mutant("G2-no-test", SUM, "int sum(int a, int b) { return 0; }", caught_by="other")
        self.mutant("G2-red", SUM, "int sum(int a, int b) { return 0; }", caught_by="sum -x")
        status, output = self.run_tool("--jobs", "2")
        self.assertEqual(status, 1, output)
        self.assertIn("1 of 6 caught", output)
        for name, verdict in (("unseen", "no test failed"), ("broken", "does not build"),
                              ("stale", "does not apply"), ("no-test", "there is no test 'other'"),
                              ("red", "'sum -x' fails without the mutant")):
            self.assertRegex(output, rf"G2-{name}.mutant +MISSED.*\n.*\n.*{verdict}")

        status, output = self.run_tool("G1")
        self.assertEqual(status, 0, output)
        status, output = self.run_tool("tests/mutants/G2-unseen.mutant")
        self.assertEqual(status, 1, output)
        self.assertIn("0 of 1 caught", output)
        self.assertEqual((self.root / "sum.h").read_text(), SUM + DIFFERENCE)

    def test_a_mutant_that_names_another_program_still_builds_its_test(self):
        self.plant("other_test.c", "int main(void) { return 0; }\n")
        head = "# Breaks: G1 It counts wrong.\n# Caught by: sum\n# Builds: other_test\n"
        self.mutant("G1-caught", SUM, "int sum(int a, int b) { return 0; }", head=head)
        status, output = self.run_tool()
        self.assertEqual(status, 0, output)
        self.assertTrue((self.root / "build/mutants/tree-1/build/dev/other_test").exists())

    def test_check_sees_mutants_that_no_longer_apply(self):
        self.mutant("G1-caught", SUM, "int sum(int a, int b) { return a * b + 1; }")
        self.assertEqual(self.run_tool("--check")[0], 0)
        self.mutant("G2-stale", "int sum(void);\n", "int sum(int);")
        status, output = self.run_tool("--check")
        self.assertEqual(status, 1)
        self.assertIn("G2-stale.mutant: does not apply", output)

    def test_check_refuses_heads_that_say_too_little(self):
        for head in ("# Caught by: sum\n", "# Breaks: G2 It is wrong.\n# Caught by: sum\n",
                     "# Breaks: G1\n# Caught by: sum\n", "# Breaks: G1 It is wrong.\n"):
            self.mutant("G1-a", SUM, "int sum(int a, int b) { return 0; }", head=head)
            status, output = self.run_tool("--check")
            self.assertEqual(status, 1, head)
            self.assertIn("G1-a.mutant: ", output)

    def check_block(self, block):
        self.plant("tests/mutants/G1-a.mutant",
                   f"# Breaks: G1 It counts wrong.\n# Caught by: sum\n\n{block}")
        return self.run_tool("--check")

    def test_check_refuses_blocks_that_name_no_place(self):
        for block, piece in (("", "has no block"),
                             ("in sum.h\n+ int a;\n", "names no line that is there"),
                             (f"in sum.h\n  {SUM}", "changes nothing"),
                             (f"in sum.h\n-{SUM}", "begins with none of"),
                             ("in sum.h\n- int twice;\n", "2 times"),
                             (f"in sum.h\n- {SUM}\nin sum.h\n- {SUM}+ int a;\n", "overlap")):
            self.plant("sum.h", SUM + "int twice;\nint twice;\n")
            status, output = self.check_block(block)
            self.assertEqual(status, 1, block)
            self.assertIn("G1-a.mutant: ", output)
            self.assertIn(piece, output)

    def test_lines_around_a_place_make_it_the_only_one(self):
        self.plant("sum.h", "int twice;\n\nint a;\nint twice;\n" + SUM)
        self.assertEqual(self.check_block("in sum.h\n- int twice;\n\n  int a;\n"),
                         (0, "mutants: 1 looked at\n"))
        made = mutant_text.Mutant(self.root / "tests/mutants/G1-a.mutant").mutated(self.root)
        self.assertEqual(made, {"sum.h": "\nint a;\nint twice;\n" + SUM})

    def test_blocks_of_one_file_are_placed_in_what_it_was(self):
        self.plant("sum.h", SUM + DIFFERENCE)
        status, output = self.check_block(f"in sum.h\n- {DIFFERENCE}+ {SUM}\n"
                                          f"in sum.h\n- {SUM}+\n+ {DIFFERENCE}")
        self.assertEqual(status, 0, output)
        made = mutant_text.Mutant(self.root / "tests/mutants/G1-a.mutant").mutated(self.root)
        self.assertEqual(made, {"sum.h": "\n" + DIFFERENCE + SUM})

    def test_a_place_is_found_wherever_it_moves(self):
        self.mutant("G1-a", SUM, "int sum(int a, int b) { return 0; }")
        self.plant("sum.h", "int other;\n" + DIFFERENCE + SUM)
        self.assertEqual(self.run_tool("--check")[0], 0)
        (self.root / "sum.h").rename(self.root / "plus.h")
        status, output = self.run_tool("--check")
        self.assertEqual(status, 1)
        self.assertIn("sum.h is gone; the lines are in plus.h now", output)
        self.assertEqual(self.run_tool("--follow"), (0, "G1-a.mutant: sum.h -> plus.h\n"))
        self.assertEqual(self.run_tool("--check")[0], 0)
        self.plant("plus.h", DIFFERENCE)
        self.plant("one.h", SUM)
        self.plant("two.h", SUM)
        self.assertIn("the lines are in one.h and in two.h now", self.run_tool("--check")[1])
        self.assertEqual(self.run_tool("--follow"), (0, ""))
        for name in ("one.h", "two.h"):
            (self.root / name).unlink()
        self.assertIn("no other file has them", self.run_tool("--check")[1])

    def test_list_and_unknown_names(self):
        self.mutant("G1-caught", SUM, "int sum(int a, int b) { return 0; }")
        self.assertEqual(self.run_tool("--list"),
                         (0, "G1   G1-caught: It counts wrong. [sum]\n"))
        status, output = self.run_tool("G7")
        self.assertEqual(status, 1)
        self.assertIn("no promise or mutant 'G7'", output)

    def test_a_change_chooses_the_mutants_it_touched(self):
        self.plant("other.h", DIFFERENCE)
        self.plant("sum_test.c", TEST.replace('"sum.h"', '"sum.h" \n#include "other.h"'))
        self.plant("sum.h", SUM)
        self.plant(".gitignore", "build/\n")
        self.mutant("G1-sum", SUM, "int sum(int a, int b) { return 0; }")
        self.mutant("G1-difference", DIFFERENCE, "int difference(int a, int b) { return 0; }",
                    path="other.h")
        self.git("init", "-q")
        self.commit()
        self.assertEqual(self.chosen("--touched", "HEAD"), [])
        self.plant("other.h", "int more;\n" + DIFFERENCE)
        self.assertEqual(self.chosen("--touched", "HEAD"), ["G1-difference"])
        self.commit()
        self.plant("sum.h", "int less;\n" + SUM)
        self.commit()
        self.assertEqual(self.chosen("--touched", "HEAD"), [])
        self.assertEqual(self.chosen("--touched", "HEAD~1"), ["G1-sum"])
        self.assertEqual(self.chosen("--touched", "HEAD~2"), ["G1-sum", "G1-difference"])
        self.assertEqual(self.chosen("--touched", "HEAD~2", "--most", "1"), ["G1-sum"])
        self.assertEqual(self.chosen("--touched", "--most", "1"), ["G1-sum"])
        self.mutant("G1-difference", DIFFERENCE, "int difference(int a, int b) { return 1; }",
                    path="other.h")
        self.assertEqual(self.chosen("--touched", "HEAD"), ["G1-difference"])
        self.assertEqual(self.run_tool("--touched", "nowhere")[0], 1)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "run: Change")

    def chosen(self, *arguments):
        """The mutants that were tried, in their order."""
        output = self.run_tool(*arguments)[1]
        return re.findall(r"^(G\S+)\.mutant +(?:caught|MISSED)", output, re.MULTILINE)

    def test_a_change_of_the_named_test_touches_its_mutants(self):
        for filter_, expected in (("", ["run/a_test.cc", "run/b_test.cc"]),
                                  (" a.*", ["run/a_test.cc"]),
                                  (" *first", ["run/a_test.cc"]),
                                  (" x/b.*/sh:none.*", ["run/b_test.cc"]),
                                  (" none.*", ["run/a_test.cc", "run/b_test.cc"])):
            self.plant("src/run/a_test.cc", "TEST(a, first) {}\n")
            self.plant("src/run/b_test.cc", "TEST_P(b, second) {}\n")
            self.mutant("G1-a", SUM, "int a;", caught_by=f"run{filter_}")
            found = mutant_choice.test_sources(
                self.root, mutant_text.Mutant(self.root / "tests/mutants/G1-a.mutant"))
            self.assertEqual(found, [f"src/{path}" for path in expected], filter_)

    def test_a_test_is_found_by_the_folder_that_names_it(self):
        self.plant("tests/deep/CMakeLists.txt", "add_test(NAME deep COMMAND deep_test)\n")
        self.plant("tests/deep/walk.cc", "int main() {}\n")
        self.mutant("G1-a", SUM, "int a;", caught_by="deep")
        found = mutant_choice.test_sources(
            self.root, mutant_text.Mutant(self.root / "tests/mutants/G1-a.mutant"))
        self.assertEqual(found, ["tests/deep/walk.cc"])


if __name__ == "__main__":
    unittest.main()
