"""The check of origins sees a line without an answer, and an answer without its test."""

import unittest

import origins
from scratch import ScratchTest

DOCUMENT = "# Title\n\nOne.\nTwo.\n\n```\ncode\n```\nThree.\n"
TEST = "tests/cases/a.case"


class Rows(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant("docs/origins/003.lines", "\n".join(origins.list_of(DOCUMENT)) + "\n")
        self.plant(TEST, "# Origin: 003-1\n")
        self.rows("| 003-1 | 3-4 | It counts. | works | `tests/cases/a.case` |",
                  "| 003-2 | 9 | It sings. | decided | It has no voice. |")

    def rows(self, *rows):
        head = "## 003\n\n| Id | Lines | What | Answer | By |\n|---|---|---|---|---|\n"
        self.plant(origins.PAGE, head + "\n".join(rows) + "\n")

    def problems(self):
        return origins.check(self.root)

    def test_a_document_with_an_answer_to_every_line_passes(self):
        self.assertEqual(self.problems(), [])

    def test_the_kinds_of_lines_are_told_apart(self):
        kinds = [line.split()[1] for line in origins.list_of(DOCUMENT)]
        self.assertEqual(kinds, ["heading", "blank", "prose", "prose", "blank", "code", "code",
                                 "code", "prose"])

    def test_a_line_in_no_row_is_refused(self):
        self.rows("| 003-1 | 3-4 | It counts. | works | `tests/cases/a.case` |")
        self.assert_one(self.problems(), "003.lines:9: is in no row")

    def test_a_line_in_two_rows_is_refused(self):
        self.rows("| 003-1 | 3-4 | It counts. | works | `tests/cases/a.case` |",
                  "| 003-2 | 4, 9 | It sings. | background | A song. |")
        self.assert_one(self.problems(), "line 4 is in 003-1 too")

    def test_a_test_that_is_not_there_is_refused(self):
        self.rows("| 003-1 | 3-4 | It counts. | works | `tests/cases/b.case` |",
                  "| 003-2 | 9 | It sings. | decided | It has no voice. |")
        self.assert_one(self.problems(), "there is no test tests/cases/b.case")

    def test_a_test_without_the_id_is_refused(self):
        self.plant(TEST, "# Origin: 003-11\n")
        self.assert_one(self.problems(), "does not carry 003-1")

    def test_an_answer_without_a_test_or_a_reason_is_refused(self):
        self.rows("| 003-1 | 3-4 | It counts. | works | surely |",
                  "| 003-2 | 9 | It sings. | decided |  |")
        self.assertEqual(len(self.problems()), 2)

    def test_a_document_without_its_list_is_refused(self):
        self.rows("| 003-1 | 3-4 | It counts. | works | `tests/cases/a.case` |",
                  "| 003-2 | 9 | It sings. | decided | It has no voice. |",
                  "| 004-1 | 1 | It dances. | decided | It has no legs. |")
        self.assert_one(self.problems(), "docs/origins/004.lines is missing")

    def test_a_changed_list_is_refused(self):
        self.plant("docs/origins/003.lines", "1 prose nothing\n")
        self.assertTrue(any("is not line 1 of a list" in each for each in self.problems()))


if __name__ == "__main__":
    unittest.main()
