#!/usr/bin/env python3
"""No double of the tests is in the program.

    doubles.py build/dev/baton

A double is a class or a function that a header in a folder testing/ or faulty/ of src/ declares.
No symbol of the program may have such a name: cmake/Room.cmake puts their sources into libraries
that only tests link.
"""

import re
import subprocess
import sys

import cpp
import project

FOLDER = re.compile(r"^src/(?:\w+/)+(?:testing|faulty)/\w+\.h$")
NAMESPACE = re.compile(r"^namespace (baton[\w:]*) \{", re.MULTILINE)
# At the first column: a member of a class has its class's name.
TYPE = re.compile(r"^(?:class|struct) (?:\w+\([^)]*\) )?(\w+)[^;{]*\{", re.MULTILINE)
FUNCTION = re.compile(r"^\w[\w:<>&*, ]*[ &*](\w+)\([^;{}]*\);", re.MULTILINE)


def doubles(root):
    """{name with its namespace: its header} of what the headers of tests declare."""
    found = {}
    for path in project.files(root):
        if FOLDER.match(path):
            code = cpp.code_of(project.read(root, path) or "")
            space = NAMESPACE.search(code)
            for pattern in (TYPE, FUNCTION):
                for match in pattern.finditer(code):
                    if space:
                        found[f"{space.group(1)}::{match.group(1)}"] = path
    return found


def symbols(program):
    """The names that a program defines."""
    listing = subprocess.run(["nm", "-C", "--defined-only", str(program)], capture_output=True,
                             text=True, check=True).stdout
    return [line.split(" ", 2)[2] for line in listing.splitlines() if line.count(" ") >= 2]


def check(root, program):
    names = doubles(root)
    known = symbols(program)
    if not any("baton::" in symbol for symbol in known):
        return [f"{program}:1: it has no symbols of ours; give a program that is not stripped"]
    if not names:
        return ["src:1: no header of a double was found; the check looks in the wrong folders"]
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b")
    hit = {}
    for symbol in known:
        match = pattern.search(symbol)
        if match:
            hit.setdefault(match.group(1), []).append(symbol)
    return [f"{names[name]}:1: {name} is in the program ({len(found)} symbols, such as "
            f"{found[0]}); let only tests link it" for name, found in sorted(hit.items())]


def main(arguments):
    return project.report("doubles", check(project.ROOT, arguments[0]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
