"""The check of commits sees each wrong subject and a merge, and only among the new ones."""

import unittest

import commits
import project
from scratch import ScratchTest


class Subjects(unittest.TestCase):
    def test_good_subjects_pass(self):
        for subject in ("run: Fold events along the ancestry", "house: Start the build",
                        "docs: Say what G3 means", "run: " + "A" + "b" * 66):
            self.assertEqual(list(commits.check_subject(subject)), [], subject)

    def test_wrong_subjects_are_refused(self):
        for subject, piece in (
                ("x", "has no prefix"),
                ("Fold events", "has no prefix"),
                ("run:Fold events", "has no prefix"),
                ("runs: Fold events", "is no room"),
                ("run: fold events", "capital letter"),
                ("run: Fold events.", "full stop"),
                ("run: " + "A" + "b" * 67, "73 columns")):
            problems = list(commits.check_subject(subject))
            self.assertEqual(len(problems), 1, subject)
            self.assertIn(piece, problems[0])


class History(ScratchTest):
    def commit(self, subject):
        self.git("commit", "-q", "--allow-empty", "-m", subject)

    def test_a_folder_without_git_passes(self):
        self.assertEqual(commits.check(self.root), [])

    def test_every_commit_is_looked_at(self):
        self.git("init", "-q")
        self.commit("run: Fold events")
        self.assertEqual(commits.check(self.root), [])
        self.commit("fix stuff")
        self.commit("run: Fold more events")
        self.assert_one(commits.check(self.root), '"fix stuff"', "has no prefix")

    def test_a_merge_is_refused(self):
        self.git("init", "-q")
        self.commit("run: Begin")
        self.git("checkout", "-q", "-b", "other")
        self.commit("run: Go left")
        self.git("checkout", "-q", "main")
        self.commit("run: Go right")
        self.git("merge", "-q", "other", "-m", "run: Join")
        self.assert_one(commits.check(self.root), '"run: Join"', "a merge")

    def name_base(self):
        self.plant(commits.BASE, "# why\n\n" + self.git("rev-parse", "HEAD"))

    def test_what_is_older_than_the_base_is_left_alone(self):
        self.git("init", "-q")
        self.commit("run: Begin")
        self.git("checkout", "-q", "-b", "other")
        self.commit("fix stuff")
        self.git("checkout", "-q", "main")
        self.commit("run: Go right")
        self.git("merge", "-q", "other", "-m", "run: Join")
        self.assertEqual(len(commits.check(self.root)), 2)
        self.name_base()
        self.assertEqual(commits.check(self.root), [])
        self.commit("fix more stuff")
        self.assert_one(commits.check(self.root), '"fix more stuff"', "has no prefix")

    def test_a_base_of_another_history_is_refused(self):
        self.git("init", "-q")
        self.commit("run: Begin")
        self.git("checkout", "-q", "-b", "other")
        self.commit("run: Go left")
        self.name_base()
        self.git("checkout", "-q", "main")
        self.assert_one(commits.check(self.root), "is no ancestor of HEAD")

    def test_a_shallow_history_that_ends_before_the_base_is_new(self):
        self.git("init", "-q", "full")
        self.root = self.root / "full"
        self.commit("run: Begin")
        self.name_base()
        self.commit("fix stuff")
        self.git("clone", "-q", "--depth", "1", f"file://{self.root}", "../shallow")
        self.root = self.root.parent / "shallow"
        self.plant(commits.BASE, (self.root.parent / "full" / commits.BASE).read_text())
        self.assert_one(commits.check(self.root), '"fix stuff"', "has no prefix")


class Project(unittest.TestCase):
    def test_the_project_names_a_base(self):
        self.assertRegex(commits.base(project.ROOT) or "", "^[0-9a-f]{40}$")


if __name__ == "__main__":
    unittest.main()
