#!/usr/bin/env python3
"""The cheats that are refused, and those that succeed at a level, as two lists.

    trust_rows.py [--print]

A row of tests/cases/trust is a comment `# Refused: TEXT` or `# Succeeds ...: TEXT` with what is
done below it; a row of trust_test.py is the first line of a test's text; one of tests/gates, where
a clock can be set, is a comment above a test. Fails when there are fewer than 60 refused, when
two have one name, or when a row of a case has nothing below it.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
ROW = re.compile(r"(Refused|Succeeds[^:]*): (.+)")
REFUSED_MIN = 60


def rows_of_case(path):
    """The rows, and those that nothing follows."""
    rows, idle = [], []
    waits = None
    for line in path.read_text().splitlines():
        found = ROW.fullmatch(line[2:]) if line.startswith("# ") else None
        if found and waits:
            idle.append(waits)
        if found:
            waits = found.group(2)
            rows.append((found.group(1), found.group(2)))
        elif line.startswith(("$ ", "call ", "request ")):
            waits = None
    if waits:
        idle.append(waits)
    return rows, idle


def rows_of_test(path):
    found = re.findall(r'"""((?:Refused|Succeeds[^:]*): .+?)"""', path.read_text())
    return [(m.group(1), m.group(2)) for m in map(ROW.fullmatch, found) if m]


def rows_above_tests(path):
    found = re.findall(r"// ((?:Refused|Succeeds[^:]*): .+)\nTEST", path.read_text())
    return [(m.group(1), m.group(2)) for m in map(ROW.fullmatch, found)]


def main():
    rows, problems = [], []
    for path in sorted((HERE.parent / "cases" / "trust").glob("*.case")):
        some, idle = rows_of_case(path)
        rows += some
        problems += [f"{path.name}: nothing is done below '{each}'" for each in idle]
    for name in ("trust_test.py", "gates_test.py"):
        rows += rows_of_test(HERE / name)
    for path in sorted((HERE.parent / "gates").glob("*_test.cc")):
        rows += rows_above_tests(path)
    names = [name for _, name in rows]
    problems += [f"two rows are called '{each}'" for each in sorted(set(names))
                 if names.count(each) > 1]
    refused = [name for kind, name in rows if kind == "Refused"]
    succeeds = [f"{kind[9:]}: {name}" if kind[9:] else name for kind, name in rows
                if kind != "Refused"]
    if len(refused) < REFUSED_MIN:
        problems.append(f"only {len(refused)} cheats are refused; {REFUSED_MIN} are the least")
    if "--print" in sys.argv:
        print("Refused:", *refused, sep="\n  ")
        print("\nSucceeds:", *succeeds, sep="\n  ")
    print(f"{len(refused)} cheats are refused, {len(succeeds)} succeed at a given level")
    for each in problems:
        print(each, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
