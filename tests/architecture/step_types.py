#!/usr/bin/env python3
"""What a step type means is said in workflow/steps and run/steps, and nowhere else.

Other code asks behaviour_of(step) (run/steps/behaviour.h). Code that reads the payload of one type
chooses by the type as much as one that compares its kind, which bans.py refuses. step_types.txt
lists the files that may read a payload, each with the reason; a line that is no longer needed is
refused.
"""

import re

import bans
import cpp
import project

LIST = "tests/architecture/step_types.txt"
TABLE = "src/workflow/steps/body.h"
ROW = re.compile(r"^\s*TYPE\(\w+, (\w+),", re.MULTILINE)
OWNERS = ("src/workflow/", "src/run/steps/")


def payloads(root):
    return ROW.findall(project.read(root, TABLE) or "")


def uses(root):
    """(path, line, payload) of each place that reads the payload of one type."""
    types = "|".join(payloads(root))
    pattern = re.compile(r"\b(?:as|get_if|get|holds_alternative)\s*<\s*(?:const\s+)?"
                         rf"(?:baton::)?(?:workflow::)?({types})\s*>")
    for path in project.files(root):
        if bans.in_src(path) and path.endswith((".cc", ".h")) and not path.startswith(OWNERS):
            code = cpp.code_of(project.read(root, path) or "")
            for match in pattern.finditer(code):
                yield path, project.line_of(code, match.start()), match.group(1)


def excuses(root):
    """{(path, payload): (line, reason)} of the lines `path Payload: reason`."""
    text = project.read(root, LIST) if (root / LIST).exists() else ""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            what, _, reason = line.partition(": ")
            found[tuple(what.split())] = (number, reason.strip())
    return found


def check(root):
    if not payloads(root):
        return [f"{TABLE}:1: no row of the table of step types was found; the check reads TYPE()"]
    listed, used = excuses(root), list(uses(root))
    problems = [f"{path}:{line}: reads the payload {payload} of one step type; say it of each type "
                f"in run/steps and ask behaviour_of(step), or say in {LIST} why not"
                for path, line, payload in used if (path, payload) not in listed]
    needed = {(path, payload) for path, _, payload in used}
    for what, (line, reason) in listed.items():
        if what not in needed:
            problems.append(f"{LIST}:{line}: '{' '.join(what)}' is not used; take the line out")
        elif not reason:
            problems.append(f"{LIST}:{line}: '{' '.join(what)}' has no reason; write it after ': '")
    return problems


if __name__ == "__main__":
    project.main("step_types", check)
