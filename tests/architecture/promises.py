#!/usr/bin/env python3
"""Every promise of docs/guarantees.md is claimed by a test and broken by at least two mutants.

A promise is a heading `## G3 One advance per attempt`. A test claims it in a comment of its own
line, `// Enforces: G3` or `# Enforces: G3, G5`. A mutant is tests/mutants/G3-*.mutant; whether a
test catches it is for tools/mutants to find out.
"""

import re

import project

PAGE = "docs/guarantees.md"
MUTANTS = "tests/mutants"
MUTANTS_MIN = 2
HEADING = re.compile(r"^## (G[1-9][0-9]*)\b[ .]*(.*)$", re.MULTILINE)
CLAIM = re.compile(r"^[ \t]*(?://|#)[ \t]*Enforces:(.*)$", re.MULTILINE)
IDS = re.compile(r"^ G[1-9][0-9]*(?:, G[1-9][0-9]*)*$")
MUTANT = re.compile(r"^(G[1-9][0-9]*)-[a-z0-9-]+\.mutant$")
TEST_ENDINGS = ("_test.cc", "_test.py", ".case", "_test.js", "_test.ts")


def is_test(path):
    if path.startswith(("tests/architecture/", f"{MUTANTS}/")):
        return False
    return path.endswith(TEST_ENDINGS) or (
        path.startswith("tests/") and path.endswith((".cc", ".h", ".py")))


def promises(root):
    """({id: line}, problems) of the page."""
    text = project.read(root, PAGE) if (root / PAGE).exists() else ""
    found, problems = {}, []
    for match in HEADING.finditer(text):
        name, line = match.group(1), project.line_of(text, match.start())
        if name in found:
            problems.append(f"{PAGE}:{line}: {name} is promised twice; an id names one promise")
        if not match.group(2):
            problems.append(f"{PAGE}:{line}: {name} has no name; write '## {name} What it is'")
        found[name] = line
    if list(found) != sorted(found, key=lambda name: int(name[1:])):
        problems.append(f"{PAGE}:1: put the promises in the order of their ids")
    return found, problems


def claims(root):
    """([(path, line, id)], problems) of all tests."""
    found, problems = [], []
    for path in project.files(root):
        if not is_test(path):
            continue
        text = project.read(root, path) or ""
        for match in CLAIM.finditer(text):
            line = project.line_of(text, match.start())
            if not IDS.match(match.group(1).rstrip()):
                problems.append(f"{path}:{line}: cannot be read; write 'Enforces: G3' or "
                                "'Enforces: G3, G5'")
            found += [(path, line, name) for name in re.findall(r"G\d+", match.group(1))]
    return found, problems


def check(root):
    known, problems = promises(root)
    claimed, unreadable = claims(root)
    problems += unreadable
    mutants = {}
    for path in sorted((root / MUTANTS).glob("*.mutant")):
        named = MUTANT.match(path.name)
        name = named.group(1) if named else "?"
        mutants.setdefault(name, []).append(path.name)
        if name not in known:
            problems.append(f"{MUTANTS}/{path.name}:1: breaks no promise of {PAGE}; "
                            "name it after one, Gn-what-it-does.mutant, or remove it")
    for path, line, name in claimed:
        if name not in known:
            problems.append(f"{path}:{line}: {name} is not promised; promise it in {PAGE}, "
                            f"with {MUTANTS_MIN} mutants, or remove the claim")
    proved = {name for _, _, name in claimed}
    for name, line in known.items():
        if name not in proved:
            problems.append(f"{PAGE}:{line}: no test claims {name}; "
                            f"write '// Enforces: {name}' above the tests that prove it")
        count = len(mutants.get(name, []))
        if count < MUTANTS_MIN:
            problems.append(f"{PAGE}:{line}: {name} has {count} mutant(s); "
                            f"add {MUTANTS}/{name}-*.mutant until there are {MUTANTS_MIN}")
    return problems


if __name__ == "__main__":
    project.main("promises", check)
