#!/usr/bin/env python3
"""Commit subjects read `room: What changed`, and history is a line without merges."""

import re

import project
import rooms

PREFIXES = tuple(rooms.ALLOWED) + ("house", "docs", "tests", "bench", "tools", "build")
COLUMNS_MAX = 72
SUBJECT = re.compile(r"^([a-z_]+): (\S.*)$")


def check_subject(subject):
    """What is wrong with a subject, each with its fix."""
    if len(subject) > COLUMNS_MAX:
        yield f"{len(subject)} columns; say it in {COLUMNS_MAX}, the rest goes into the body"
    found = SUBJECT.match(subject)
    if not found:
        yield "has no prefix; write 'room: What changed'"
        return
    prefix, what = found.groups()
    if prefix not in PREFIXES:
        yield f"'{prefix}' is no room; use one of {', '.join(PREFIXES)}"
    if what[0] != what[0].upper():
        yield "begin what changed with a capital letter"
    if what.endswith("."):
        yield "leave out the full stop"


def check(root):
    listed = project.git(root, "log", "--format=%H%x09%P%x09%s")
    if listed is None:
        print("commits: no git history here, nothing to check")
        return []
    if (project.git(root, "rev-parse", "--is-shallow-repository") or "").strip() == "true":
        print("commits: shallow history, checking what is here")
    problems = []
    for line in listed.splitlines():
        commit, parents, subject = line.split("\t", 2)
        for problem in check_subject(subject):
            problems.append(f"{commit[:10]}: \"{subject}\": {problem}")
        if len(parents.split()) > 1:
            problems.append(f"{commit[:10]}: \"{subject}\": a merge; rebase instead")
    return problems


if __name__ == "__main__":
    project.main("commits", check)
