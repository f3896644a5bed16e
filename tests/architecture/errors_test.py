"""The check of error pages sees a missing page, a stray one, and a page of the wrong shape."""

import unittest

import errors
from scratch import ScratchTest

PAGE = ("# NOT_FOUND\n\n## What happened\n\nNo.\n\n## What to do next\n\nLook.\n\n"
        "## Does retrying help?\n\n`retry_with_changes`: yes.\n")


class Pages(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant(errors.CODES, 'CODE(NOT_FOUND, retry_with_changes, "nothing")\n')
        self.plant("docs/errors/NOT_FOUND.md", PAGE)
        self.write_index()

    def write_index(self):
        self.plant(errors.INDEX, errors.index(errors.read_codes(self.root)[0]))

    def test_a_code_with_its_page_passes(self):
        self.assertEqual(errors.check(self.root), [])
        self.plant("docs/errors/NOT_FOUND.md", PAGE + "\n## Example\n\nSo.\n")
        self.assertEqual(errors.check(self.root), [])

    def test_a_code_without_a_page_is_refused(self):
        (self.root / "docs/errors/NOT_FOUND.md").unlink()
        self.assert_one(errors.check(self.root), "codes.inc:1: NOT_FOUND has no page")

    def test_a_page_without_a_code_is_refused(self):
        self.plant("docs/errors/NOT_THERE.md", PAGE)
        self.assert_one(errors.check(self.root), "NOT_THERE.md:1: there is no such code")

    def test_a_wrong_title_is_refused(self):
        self.plant("docs/errors/NOT_FOUND.md", PAGE.replace("# NOT_FOUND", "# NOTFOUND"))
        self.assert_one(errors.check(self.root), "begin the page with '# NOT_FOUND'")

    def test_a_missing_section_is_refused(self):
        self.plant("docs/errors/NOT_FOUND.md", PAGE.replace("## What to do next\n\nLook.\n\n", ""))
        self.assert_one(errors.check(self.root), "the headings are")

    def test_an_empty_section_is_refused(self):
        self.plant("docs/errors/NOT_FOUND.md", PAGE.replace("Look.\n", ""))
        self.assert_one(errors.check(self.root), "nothing stands under 'What to do next'")

    def test_another_retry_kind_than_the_codes_is_refused(self):
        self.plant("docs/errors/NOT_FOUND.md", PAGE.replace("retry_with_changes", "retry_after"))
        self.assert_one(errors.check(self.root), "must begin with '`retry_with_changes`: '")

    def test_an_old_index_is_refused(self):
        self.plant(errors.INDEX, errors.index([]))
        self.assert_one(errors.check(self.root), "--write")

    def test_codes_are_in_order_and_well_formed(self):
        for lines, piece in (
                ('CODE(B, retry_after, "b")\nCODE(A, retry_after, "a")\n', "alphabetical"),
                ('CODE(A, retry_after, "a")\nCODE(A, retry_after, "a")\n', "alphabetical"),
                ('CODE(A, sometimes, "a")\n', "no retry kind"),
                ("CODE(A, retry_after)\n", "cannot be read")):
            self.plant(errors.CODES, lines)
            self.assert_one(errors.read_codes(self.root)[1], piece)


if __name__ == "__main__":
    unittest.main()
