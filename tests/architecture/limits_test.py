"""The check of the limits sees one that no test names."""

import unittest
from unittest import mock

import limits
from scratch import ScratchTest

HEADER = """#pragma once
// Every limit.
inline constexpr std::size_t glob_bytes_max = 10;
inline constexpr std::int64_t wait_ms = 5;
"""


class Limits(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant("src/base/core/limits.h", HEADER)
        for table, empty in (("EXCUSED", {}),):
            patch = mock.patch.object(limits, table, empty)
            patch.start()
            self.addCleanup(patch.stop)

    def test_a_limit_that_a_test_names_passes(self):
        self.plant("src/base/text/glob_test.cc", "x(limits::glob_bytes_max);\n")
        self.plant("tests/contract/wait.cc", "x(limits::wait_ms);\n")
        self.assertEqual(limits.check(self.root), [])

    def test_a_limit_that_only_code_names_is_refused(self):
        self.plant("src/base/text/glob_test.cc", "x(limits::glob_bytes_max);\n")
        self.plant("src/base/text/glob.cc", "x(limits::wait_ms);\n")
        self.assert_one(limits.check(self.root), "src/base/core/limits.h:4: no test names wait_ms")

    def test_part_of_a_name_is_not_the_name(self):
        self.plant("src/base/a_test.cc", "glob_bytes_max wait_ms_max\n")
        self.assert_one(limits.check(self.root), "wait_ms")

    def test_an_excuse_needs_a_limit(self):
        self.plant("src/base/a_test.cc", "glob_bytes_max\n")
        limits.EXCUSED["wait_ms"] = "a wait"
        self.assertEqual(limits.check(self.root), [])
        limits.EXCUSED["gone_max"] = "it was there once"
        self.assert_one(limits.check(self.root), "gone_max, which is no limit")


if __name__ == "__main__":
    unittest.main()
