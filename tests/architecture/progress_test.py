"""tools/progress leaves out what only says how far the work is, and nothing else."""

import importlib.machinery
import importlib.util
import subprocess
import sys
import unittest

import project

TOOL = project.ROOT / "tools/progress"


def load():
    loader = importlib.machinery.SourceFileLoader("progress", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("progress", loader))
    loader.exec_module(module)
    return module


progress = load()
NINJA = "[{}/200] Building CXX object a.o"
CTEST = "  {}/200 Test   #7: base .......   Passed    0.05 sec"


class Progress(unittest.TestCase):
    def told(self, lines, seconds=0):
        """The lines that come out when one comes in every `seconds`."""
        shortener = progress.Shortener(0)
        return [told for number, line in enumerate(lines)
                for told in shortener.take(line, number * seconds)]

    def test_a_line_for_each_tenth(self):
        for form in (NINJA, CTEST):
            lines = [form.format(number) for number in range(1, 201)]
            self.assertEqual(self.told(lines), [form.format(20 * each) for each in range(1, 11)])

    def test_a_line_after_20_seconds(self):
        lines = [NINJA.format(number) for number in range(1, 19)]
        self.assertEqual(self.told(lines, 5), [NINJA.format(5), NINJA.format(9), NINJA.format(13),
                                               NINJA.format(17)])

    def test_a_line_while_none_comes(self):
        shortener = progress.Shortener(0)
        self.assertEqual(shortener.take(NINJA.format(1), 1), [])
        self.assertEqual(shortener.tick(19), [])
        self.assertEqual(shortener.tick(20), [NINJA.format(1)])
        self.assertEqual(shortener.tick(60), [])

    def test_all_else_is_told(self):
        lines = ["FAILED: a.o", "a.cc:1:2: error: no", "",
                 "  3/200 Test #3: run ...***Failed  1 sec",
                 "100% tests passed, 0 tests failed out of 200", "ninja: build stopped"]
        self.assertEqual(self.told([NINJA.format(1), *lines, "      Start  4: base"]), lines)

    def test_a_second_piece_of_work_begins_anew(self):
        lines = [form.format(number) for form in (NINJA, CTEST) for number in (1, 100, 200)]
        self.assertEqual(self.told(lines), [form.format(number) for form in (NINJA, CTEST)
                                            for number in (100, 200)])

    def test_the_program_reads_to_the_end(self):
        text = "".join(NINJA.format(number) + "\n" for number in range(1, 201)) + "ninja: done"
        done = subprocess.run([sys.executable, "-B", str(TOOL)], input=text, capture_output=True,
                              text=True, check=True)
        self.assertEqual(len(done.stdout.splitlines()), 11)
        self.assertTrue(done.stdout.endswith("ninja: done\n"))


if __name__ == "__main__":
    unittest.main()
