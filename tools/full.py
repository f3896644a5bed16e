"""Runs parts one after another, keeps the result of each for a tree of git, and writes a report.

A part is a list of commands. Its result is in docs/reports/full.json, with the tree that it was
run for, and what it said in build/ci/<part>.log. A part that passed for this tree is not run again.
The results are committed, so a run goes on in another clone and on another machine.
"""

import datetime
import fcntl
import hashlib
import json
import re
import subprocess
import time
from dataclasses import dataclass

import project

LOGS = "build/ci"
RECORDS = "docs/reports/full.json"
REPORT = "docs/reports/full.md"
REPORTS = "docs/reports/"  # what parts write themselves changes nothing that they test
LOG_LINES_SHOWN = 40


class Refused(Exception):
    """Nothing can be run."""


@dataclass(frozen=True)
class Part:
    """Something to run, and what its log says of how much was done.

    A figure is (words, pattern): what the pattern's group finds, added up, or how often a pattern
    without a group is found. A part whose log lacks one of its figures has failed.
    """

    name: str
    commands: tuple
    figures: tuple

    def figures_in(self, log):
        """('12 tests, ...', what is missing)"""
        said, missing = [], []
        for words, pattern in self.figures:
            found = re.findall(pattern, log, re.MULTILINE)
            if found and found[-1].endswith("%"):
                said.append(f"{found[-1]} {words}")
                continue
            adds_up = re.compile(pattern).groups > 0
            total = sum(int(each.replace(",", "")) if adds_up else 1 for each in found)
            said += [f"{total:,} {words}"] if total else []
            missing += [] if total else [words]
        return ", ".join(said), missing


def changed(root):
    """The files that differ from HEAD, but for reports."""
    listed = project.git(root, "status", "--porcelain", "-z", "--no-renames",
                         "--untracked-files=all")
    return [entry[3:] for entry in (listed or "").split("\0")
            if entry and not entry[3:].startswith(REPORTS)]


def head_tree(root):
    """Names what HEAD holds without its reports: the hash of the lines of `git ls-tree`."""
    listed = project.git(root, "ls-tree", "-r", "-z", "--full-tree", "HEAD")
    if listed is None:
        raise Refused("there is no commit here; results are kept for a tree of git")
    tested = [entry for entry in listed.split("\0")
              if not entry.partition("\t")[2].startswith(REPORTS)]
    return hashlib.sha256("\n".join(tested).encode()).hexdigest()


def tree_of(root):
    """The tree that is tested: that of HEAD, when nothing differs from it."""
    tree = head_tree(root)
    files = changed(root)
    if files:
        raise Refused("these files are not committed, so no tree would name what is tested: "
                      + ", ".join(files[:10]) + (" ..." if len(files) > 10 else ""))
    return tree


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Driver:
    """Runs the parts of a project."""

    def __init__(self, root, parts, say=print):
        self.root, self.parts, self.say = root, parts, say
        self.folder = root / LOGS

    def records(self):
        path = self.root / RECORDS
        return json.loads(path.read_text()) if path.exists() else {}

    def record(self, part):
        return self.records().get(part.name, {})

    def keep(self, part, **record):
        names = [each.name for each in self.parts]
        kept = {name: old for name, old in self.records().items() if name in names}
        kept[part.name] = record
        path = self.root / RECORDS
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".new").write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
        path.with_suffix(".new").replace(path)

    def is_green(self, part, tree):
        record = self.record(part)
        return record.get("tree") == tree and record.get("result") == "passed"

    def wanted(self, names, tree):
        """The parts to run: the named ones (a name also means all that begin with it and a dash),
        else those that have not passed for this tree."""
        if not names:
            return [part for part in self.parts if not self.is_green(part, tree)]
        for name in names:
            if not any(fits(part, name) for part in self.parts):
                raise Refused(f"there is no part '{name}'; there are "
                              + ", ".join(part.name for part in self.parts))
        return [part for part in self.parts if any(fits(part, name) for name in names)]

    def run(self, names=()):
        """Runs what is wanted. 0 when all of it passed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "lock", "w", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Refused("another run is under way here") from None
            tree = tree_of(self.root)
            parts = self.wanted(names, tree)
            self.say(f"ci: {len(parts)} of {len(self.parts)} parts to run for tree {tree[:12]}")
            for part in parts:
                self.run_part(part, tree)
                self.write_report(tree)
            self.write_report(tree)
            return 0 if all(self.is_green(part, tree) for part in parts) else 1

    def run_part(self, part, tree):
        self.say(f"ci: {part.name} ... (tail -f {LOGS}/{part.name}.log)")
        # Until it ends, this is what is known of it.
        self.keep(part, tree=tree, result="interrupted", seconds=0, figures="")
        self.write_report(tree)
        begun = time.monotonic()
        log_path = self.folder / f"{part.name}.log"
        result = "passed"
        with open(log_path, "wb") as log:
            for command in part.commands:
                log.write(("$ " + " ".join(command) + "\n").encode())
                log.flush()
                done = subprocess.run(command, cwd=self.root, stdin=subprocess.DEVNULL, stdout=log,
                                      stderr=subprocess.STDOUT, check=False)
                if done.returncode != 0:
                    result = f"failed: {' '.join(command)} ended with {done.returncode}"
                    break
        text = log_path.read_text(errors="replace")
        figures, missing = part.figures_in(text)
        if result == "passed" and missing:
            result = f"failed: it did not say how many {' and '.join(missing)}"
        if result == "passed" and not self.is_still(tree):
            result = "failed: the sources changed while it ran"
        seconds = time.monotonic() - begun
        self.keep(part, tree=tree, result=result, seconds=round(seconds, 1), figures=figures,
                  ended=datetime.datetime.now().astimezone().isoformat(timespec="minutes"))
        if result != "passed":
            self.say("\n".join(text.splitlines()[-LOG_LINES_SHOWN:]))
        self.say(f"ci: {part.name}: {result}, {duration(seconds)}, {figures or 'no figures'}")

    def is_still(self, tree):
        try:
            return tree_of(self.root) == tree
        except Refused:
            return False

    def rows(self, tree):
        for part in self.parts:
            record = self.record(part)
            if record.get("tree") == tree:
                yield (part.name, record["result"], duration(record["seconds"]),
                       record["figures"], tree[:12])
            else:
                other = record.get("tree")
                yield (part.name, "not run", "",
                       f"last: {record['result']} for {other[:12]}" if other else "", "")

    def write_report(self, tree):
        rows = list(self.rows(tree))
        passed = sum(row[1] == "passed" for row in rows)
        not_run = sum(row[1] == "not run" for row in rows)
        commit = (project.git(self.root, "rev-parse", "HEAD") or "").strip()
        lines = ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows]
        path = self.root / REPORT
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([
            "# The full run", "",
            "Written by `./dev ci --full` for one tree of git, without the reports in it.",
            "A part that was not run says so.", "",
            f"- Tree: {tree}", f"- Commit: {commit}",
            f"- Parts: {passed} of {len(rows)} passed, "
            f"{len(rows) - passed - not_run} failed or interrupted, {not_run} not run", "",
            "| part | result | duration | figures | tree |", "|---|---|---|---|---|",
            *lines]) + "\n")


def fits(part, name):
    return part.name == name or part.name.startswith(name + "-")
