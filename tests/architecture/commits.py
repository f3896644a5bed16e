#!/usr/bin/env python3
"""New commits have a subject `room: What changed` and are no merges.

New is what came after the commit that commits_base.txt names. A subject that others already have
cannot be changed, so a fault of one must not keep the check red for ever.
"""

import re

import project
import rooms

PREFIXES = tuple(rooms.ALLOWED) + ("house", "docs", "tests", "bench", "tools", "build")
COLUMNS_MAX = 72
BASE = "tests/architecture/commits_base.txt"
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


def base(root):
    """The commit after which commits are new, or None for a project that names none."""
    if not (root / BASE).exists():
        return None
    lines = [line.strip() for line in project.read(root, BASE).splitlines()]
    return next((line for line in lines if line and not line.startswith("#")), None)


def new_commits(root):
    """(lines `commit TAB parents TAB subject` of the new commits, problems)."""
    named = base(root)
    listing = ("log", "--format=%H%x09%P%x09%s")
    if named is None:
        return (project.git(root, *listing) or "").splitlines(), []
    if project.git(root, "merge-base", "--is-ancestor", named, "HEAD") is not None:
        return (project.git(root, *listing, f"{named}..HEAD") or "").splitlines(), []
    if (project.git(root, "rev-parse", "--is-shallow-repository") or "").strip() == "true":
        print("commits: shallow history that ends before the base, so all of it is new")
        return (project.git(root, *listing) or "").splitlines(), []
    return [], [f"{BASE}:1: {named[:10]} is no ancestor of HEAD; name the last released commit"]


def check(root):
    if project.git(root, "rev-parse", "HEAD") is None:
        print("commits: no git history here, nothing to check")
        return []
    listed, problems = new_commits(root)
    for line in listed:
        commit, parents, subject = line.split("\t", 2)
        for problem in check_subject(subject):
            problems.append(f"{commit[:10]}: \"{subject}\": {problem}")
        if len(parents.split()) > 1:
            problems.append(f"{commit[:10]}: \"{subject}\": a merge; rebase instead")
    return problems


if __name__ == "__main__":
    project.main("commits", check)
