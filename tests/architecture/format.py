#!/usr/bin/env python3
"""Every C++ file is formatted as .clang-format says: `./dev fmt` does it."""

import re
import subprocess

import project

FORMATTER = "clang-format-19"
VIOLATION = re.compile(r"^(.+?):(\d+):\d+: error: code should be clang-formatted", re.MULTILINE)


def check(root):
    paths = [path for path in project.files(root) if path.endswith((".h", ".cc"))]
    if not paths:
        return []
    try:
        # The first violation of a file says enough.
        done = subprocess.run([FORMATTER, "--dry-run", "-Werror", "--ferror-limit=1", *paths],
                              cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return [f"{FORMATTER} is missing; ./dev setup installs it"]
    problems = [f"{path}:{line}: not formatted as .clang-format says; run ./dev fmt"
                for path, line in VIOLATION.findall(done.stderr)]
    if done.returncode != 0 and not problems:
        return [f"{FORMATTER} failed: {done.stderr.strip()}"]
    return problems


if __name__ == "__main__":
    project.main("format", check)
