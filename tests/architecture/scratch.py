"""A scratch project for the tests of the checks: plant files, run a check, look at the answer."""

import subprocess
import tempfile
import unittest
from pathlib import Path


class ScratchTest(unittest.TestCase):
    """Each test gets an empty folder `self.root`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def plant(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def git(self, *arguments):
        identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.invalid",
                    "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]
        return subprocess.run(["git", "-C", str(self.root), *identity, *arguments],
                              capture_output=True, text=True, check=True).stdout

    def assert_one(self, problems, *pieces):
        """Exactly one problem, and it says each of `pieces`."""
        self.assertEqual(len(problems), 1, problems)
        for piece in pieces:
            self.assertIn(piece, problems[0])
