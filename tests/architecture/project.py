"""What the checks of this folder share: the project's files, and one way to report.

A problem is a line `path:line: what is wrong; what to do instead`. A check is a function from a
project folder to a list of problems, so that its test can plant a violation in a scratch folder.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Folders that hold nothing of ours, for trees that came without git.
FOREIGN_FOLDERS = {".git", "build", "node_modules", "__pycache__", "third_party/src"}


def git(root, *arguments):
    """The output of a git command run in `root`, or None when it fails."""
    # Without a ceiling, a scratch folder inside the build folder would answer for the project.
    environment = dict(os.environ, GIT_CEILING_DIRECTORIES=str(Path(root).resolve().parent))
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True,
                              env=environment, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def walk(root):
    for folder, folders, names in os.walk(root):
        here = Path(folder).relative_to(root)
        folders[:] = [name for name in folders
                      if name not in FOREIGN_FOLDERS and str(here / name) not in FOREIGN_FOLDERS]
        for name in names:
            yield str(here / name)


def files(root):
    """Paths, relative to `root`, of every file that is or could be committed."""
    listed = git(root, "ls-files", "-co", "--exclude-standard", "-z")
    paths = walk(root) if listed is None else listed.split("\0")
    return sorted(path for path in set(paths) if path and (Path(root) / path).is_file())


def read(root, path):
    """The text of a file, or None when it is not text."""
    data = (Path(root) / path).read_bytes()
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def report(name, problems):
    """Prints the problems and gives the exit status."""
    for problem in problems:
        print(problem)
    count = len(problems)
    print(f"{name}: {'ok' if count == 0 else f'{count} problem(s)'}")
    return 1 if problems else 0


def main(name, check):
    """Runs `check` on the folder given as the first argument, or on this project."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    sys.exit(report(name, check(root)))
