"""The check of cycles sees two files that need one another, and a list that says too much."""

import unittest

import cycles
from scratch import ScratchTest


class Cycles(ScratchTest):
    def include(self, path, *targets):
        self.plant(f"src/{path}", "".join(f'#include "{target}"\n' for target in targets))

    def test_includes_without_a_cycle_pass(self):
        self.include("run/a.h")
        self.include("run/a.cc", "run/a.h", "run/b.h")
        self.include("run/b.h", "base/c.h")
        self.include("base/c.h")
        self.assertEqual(cycles.check(self.root), [])

    def test_a_source_file_counts_with_its_header(self):
        self.include("run/a.cc", "run/a.h", "run/b.h")
        self.include("run/a.h")
        self.include("run/b.cc", "run/b.h", "run/a.h")
        self.include("run/b.h")
        problems = cycles.check(self.root)
        self.assertEqual(len(problems), 2, problems)
        self.assertIn("src/run/a: includes run/b", problems[0])
        self.assertIn("run/a -> run/b -> run/a", problems[0])
        self.assertIn("src/run/b: includes run/a", problems[1])

    def test_a_long_cycle_is_told_as_its_way(self):
        self.include("run/a.h", "run/b.h")
        self.include("run/b.h", "run/c.h", "run/d.h")
        self.include("run/c.h", "run/a.h")
        self.include("run/d.h")
        problems = cycles.check(self.root)
        self.assertEqual(len(problems), 3, problems)
        self.assertIn("run/a -> run/b -> run/c -> run/a", problems[0])

    def test_tests_do_not_count(self):
        self.include("run/a.h")
        self.include("run/a_test.cc", "run/b.h", "run/testing/c.h")
        self.include("run/b.h", "run/a.h")
        self.include("run/testing/c.h", "run/b.h")
        self.include("run/a.cc", "run/a.h")
        self.assertEqual(cycles.check(self.root), [])


if __name__ == "__main__":
    unittest.main()
