"""The check of promises sees one without a test, without mutants, and claims of unknown ones."""

import unittest

import promises
from scratch import ScratchTest


class Promises(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant(promises.PAGE, "# Promises\n\n## G3 One advance\n\nText.\n")
        self.plant("tests/mutants/G3-a.mutant", "")
        self.plant("tests/mutants/G3-b.mutant", "")
        self.plant("src/run/fold_test.cc", "// Enforces: G3\nTEST(a, b) {}\n")

    def test_a_proved_promise_passes(self):
        self.assertEqual(promises.check(self.root), [])

    def test_a_page_without_promises_passes(self):
        self.plant(promises.PAGE, "# Promises\n")
        for path in ("tests/mutants/G3-a.mutant", "tests/mutants/G3-b.mutant",
                     "src/run/fold_test.cc"):
            (self.root / path).unlink()
        self.assertEqual(promises.check(self.root), [])

    def test_a_promise_without_a_test_is_refused(self):
        self.plant("src/run/fold_test.cc", "// Enforces nothing: G3\n")
        self.assert_one(promises.check(self.root), "guarantees.md:3: no test claims G3")

    def test_a_claim_outside_a_test_does_not_count(self):
        (self.root / "src/run/fold_test.cc").rename(self.root / "src/run/fold.cc")
        self.assert_one(promises.check(self.root), "no test claims G3")

    def test_a_promise_with_one_mutant_is_refused(self):
        (self.root / "tests/mutants/G3-a.mutant").unlink()
        self.assert_one(promises.check(self.root), "G3 has 1 mutant(s)")

    def test_a_claim_of_an_unknown_promise_is_refused(self):
        for path, comment in (("tests/e2e/a_test.py", "# Enforces: G4\n"),
                              ("tests/cases/a.case", "# Enforces: G3, G4\n"),
                              ("tests/contract/store.h", "  // Enforces: G4\n")):
            self.plant(path, comment)
            self.assert_one(promises.check(self.root), f"{path}:1: G4 is not promised")
            (self.root / path).unlink()

    def test_a_mutant_of_an_unknown_promise_is_refused(self):
        self.plant("tests/mutants/G4-a.mutant", "")
        self.assert_one(promises.check(self.root), "G4-a.mutant:1: breaks no promise")
        (self.root / "tests/mutants/G4-a.mutant").unlink()
        self.plant("tests/mutants/skip_fsync.mutant", "")
        self.assert_one(promises.check(self.root), "skip_fsync.mutant:1: breaks no promise")

    def test_a_claim_that_cannot_be_read_is_refused(self):
        self.plant("src/run/fold_test.cc", "// Enforces: G3 and more\n")
        self.assert_one(promises.check(self.root), "cannot be read")

    def test_an_id_names_one_promise(self):
        self.plant(promises.PAGE, "# Promises\n\n## G3 One advance\n\n## G3 Another\n")
        self.assert_one(promises.check(self.root), "G3 is promised twice")

    def test_promises_are_in_order(self):
        self.plant(promises.PAGE, "# Promises\n\n## G10 Fail stop\n\n## G3 One advance\n")
        for mutant in ("G10-a", "G10-b"):
            self.plant(f"tests/mutants/{mutant}.mutant", "")
        self.plant("src/run/fold_test.cc", "// Enforces: G3, G10\n")
        self.assert_one(promises.check(self.root), "in the order of their ids")


if __name__ == "__main__":
    unittest.main()
