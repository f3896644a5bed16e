#!/usr/bin/env python3
"""Every mutex of src/ says what it guards, and Clang finds it held where that is used.

    locks.py [compile_commands.json]

Without a build's commands only the shape is checked: a lock is of base/core/thread_safety.h, and
something is guarded by it. With them Clang reads what has locks with -Werror=thread-safety. Only
files that name base/core/thread_safety.h and the sources beside such headers are read: an inline
function is checked in its header. The clang preset reads everything, and the tests as well.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cpp
import project

HEADER = "base/core/thread_safety.h"
CLANG = "clang++-19"
RAW = re.compile(r"\bstd::(?:(?:recursive_|shared_)?(?:timed_)?mutex|shared_timed_mutex"
                 r"|condition_variable(?:_any)?|lock_guard|scoped_lock|unique_lock|shared_lock)\b")
INCLUDED = re.compile(r'^#include "(.*)"$', re.M)
MUTEX = re.compile(r"\b(?:Timed)?Mutex\s+(\w+)\s*;")


def has_locks(path, text):
    return (path.startswith("src/") and path.endswith((".h", ".cc"))
            and f'#include "{HEADER}"' in text)


def block_around(code, offset):
    """What is between the braces around an offset: the members beside a member."""
    depth, begin = 0, offset
    while begin > 0 and depth >= 0:
        begin -= 1
        depth += {"}": 1, "{": -1}.get(code[begin], 0)
    depth, end = 0, offset
    while end < len(code) and depth >= 0:
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        end += 1
    return code[begin:end]


def check_text(path, text):
    code = cpp.code_of(text)
    for raw in RAW.finditer(code):
        yield (raw.start(), f"{raw.group(0)} is not checked; use Mutex, MutexLock, Condition or "
               f"Guarded of {HEADER}")
    for mutex in MUTEX.finditer(code):
        name = mutex.group(1)
        around = block_around(code, mutex.start())
        if not re.search(rf"\bGUARDED_BY\({name}\)", around):
            yield mutex.start(), f"{name} guards nothing; say GUARDED_BY({name}) where it does"


def check(root):
    problems = []
    for path in project.files(root):
        if not path.startswith("src/") or path == f"src/{HEADER}":
            continue
        if path.endswith((".h", ".cc")):
            text = project.read(root, path) or ""
            problems += [f"{path}:{project.line_of(text, at)}: {what}"
                         for at, what in check_text(path, text)]
    return problems


def files_with_locks(root):
    """(the headers, the sources) that Clang is to read."""
    texts = {path: project.read(root, path) or "" for path in project.files(root)
             if path.startswith("src/") and path.endswith((".h", ".cc"))}
    headers = {path for path, text in texts.items()
               if path.endswith(".h") and has_locks(path, text)}
    beside = {header.removesuffix(".h") + ".cc" for header in headers} & set(texts)
    sources = {path for path, text in texts.items()
               if path.endswith(".cc") and not path.endswith("_test.cc") and has_locks(path, text)}
    return sorted(headers), sorted(sources | beside)


def clang_arguments(command):
    """Those of a compiler's command that say what is included."""
    words = iter(shlex.split(command))
    kept = []
    for word in words:
        if word == "-isystem":
            kept += [word, next(words)]
        elif word.startswith(("-I", "-D", "-std=")):
            kept.append(word)
    return kept


def read_by_clang(arguments, path, folder):
    """What is wrong with one file; empty when nothing is."""
    run = subprocess.run(
        [CLANG, *arguments, "-fsyntax-only", "-Wthread-safety", "-Werror=thread-safety", path],
        cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return []
    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    return errors or [f"{path}:1: {CLANG} does not read it: {run.stderr[-300:]}"]


def compiled_in(root, commands):
    """{source: the command that compiles it}, by itself or in a unit of cmake/units.py."""
    found = {}
    for each in commands:
        file = Path(each["file"])
        found[os.path.realpath(file)] = each
        if file.parent.parent.name == "units":
            for path in INCLUDED.findall(file.read_text()):
                found[os.path.realpath(root / "src" / path)] = each
    return found


def check_by_clang(root, commands):
    headers, sources = files_with_locks(root)
    by_file = compiled_in(root, commands)
    with tempfile.TemporaryDirectory() as scratch:
        used = {}
        for source in sources:
            each = by_file.get(os.path.realpath(root / source))
            if each is None:
                return [f"{source}:1: no build knows it; configure the preset dev again"]
            used[each["file"]] = each
        jobs = [(clang_arguments(each["command"]), file, each["directory"])
                for file, each in used.items()]
        # All headers at once, with every folder that a source of theirs includes from.
        all_headers = Path(scratch) / "headers.cc"
        all_headers.write_text("".join(f'#include "{path.removeprefix("src/")}"\n'
                                       for path in headers))
        folders = list(dict.fromkeys(word for words, _, _ in jobs for word in pairs(words)))
        jobs.append(([word for pair in folders for word in pair], str(all_headers), str(root)))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda job: read_by_clang(*job), jobs)
            return [problem.removeprefix(f"{root}/").removeprefix("src/../")
                    for problems in found for problem in problems]


def pairs(words):
    """Arguments with what belongs to them."""
    words = iter(words)
    return [(word, next(words)) if word == "-isystem" else (word,) for word in words]


def everything(root, commands_file):
    problems = check(root)
    if problems or commands_file is None:
        return problems
    if shutil.which(CLANG) is None:
        return [f"third_party/debian.txt:1: {CLANG} is missing; run ./dev setup"]
    return check_by_clang(root, json.loads(Path(commands_file).read_text()))


if __name__ == "__main__":
    sys.exit(project.report(
        "locks", everything(project.ROOT, sys.argv[1] if len(sys.argv) > 1 else None)))
