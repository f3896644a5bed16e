"""The format check sees planted disorder, and does not pass without its tool."""

import unittest
from unittest import mock

import format as layout
import project
from scratch import ScratchTest

TIDY = "int f(int n) { return n + 1; }\n"


class Format(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant(".clang-format", (project.ROOT / ".clang-format").read_text())

    def test_formatted_files_pass(self):
        self.plant("src/run/a.cc", TIDY)
        self.plant("docs/a.md", "int   f ( );\n")
        self.assertEqual(layout.check(self.root), [])

    def test_a_file_with_another_layout_is_named_once(self):
        self.plant("src/run/a.cc", TIDY + "\nint   g( int n ){return n;}\nint  h;\n")
        self.plant("src/run/a.h", "#pragma once\n// A planted header.\nint  *p;\n")
        problems = layout.check(self.root)
        self.assertEqual(len(problems), 2, problems)
        self.assertIn("src/run/a.cc:3: not formatted", problems[0])
        self.assertIn("src/run/a.h:3: not formatted", problems[1])

    def test_without_the_formatter_nothing_passes(self):
        self.plant("src/run/a.cc", TIDY)
        with mock.patch.object(layout, "FORMATTER", "no-such-formatter"):
            self.assert_one(layout.check(self.root), "no-such-formatter is missing")

    def test_a_formatter_that_cannot_work_does_not_pass(self):
        self.plant(".clang-format", "NoSuchOption: 1\n")
        self.plant("src/run/a.cc", TIDY)
        self.assert_one(layout.check(self.root), "failed")


if __name__ == "__main__":
    unittest.main()
