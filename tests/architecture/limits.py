#!/usr/bin/env python3
"""Every limit of src/base/core is named by a test, or is below with the reason why not."""

import re
from pathlib import Path

import project

LIMITS = ("src/base/core/limits.h", "src/base/core/gate_limits.h",
          "src/base/core/effect_limits.h", "src/base/core/approval_limits.h")
LIMIT = re.compile(r"^inline constexpr [\w:]+ (\w+) =", re.MULTILINE)
TEST = re.compile(r"(?:_test\.cc|^tests/.*\.(?:cc|h|py|case|mjs|js|ts)|/testing/[^/]+)$")

# A name and why no test needs to name it.
EXCUSED = {
    "glob_alternatives_max": "glob_test.cc counts it out, so that its patterns can be read",
    "glob_atoms_max": "glob_test.cc counts it out, so that its patterns can be read",
    "glob_memory_bytes_max": "the other bounds of a pattern keep every program below it",
    "script_turn_ms": "a turn, which changes when something is done and never what",
    "store_quiet_ms": "a wait, which changes when something is done and never what",
    "change_poll_ms": "a period, which tests replace by a shorter one",
    "unsignalled_poll_ms": "a period, which tests replace by a shorter one",
    "drain_ms_max": "a wait, which tests replace by a shorter one",
    "cached_workflows_max": "the size of a cache, whose bound lru_test.cc tests with a small one",
    "cached_states_max": "the size of a cache, whose bound lru_test.cc tests with a small one",
    "cached_effects_max": "the size of a cache, whose bound lru_test.cc tests with a small one",
    "cached_scripts_max": "the size of a cache, whose bound code_cache_test.cc tests",
    "cached_scripts_bytes_max": "the size of a cache, whose bound code_cache_test.cc tests",
    "store_busy_ms_max": "a wait, which tests replace by a shorter one",
    "cache_hint_ms": "a hint to clients, which is printed and nothing else",
    "task_poll_ms": "a hint to clients, which is printed and nothing else",
    "store_restart_wait_ms": "a wait, which changes when something is done and never what",
    "plan_lock_ms_max": "a wait; that it ends is tested",
    "plan_lock_poll_ms": "a period, which changes when something is done and never what",
    "command_output_bytes_max": "a default, which tests replace by a smaller one",
    "command_ms_max": "a default, which tests replace by a shorter one",
    "process_ms_max": "a default, which tests replace by a shorter one",
    "process_kill_ms_max": "a wait for what no test can make: a process that a kill does not end",
    "evidence_command_ms_max": "a default of run_process, whose bound run_process_test.cc tests",
}


def check(root):
    tests = "\n".join(project.read(root, path) or "" for path in project.files(root)
                      if TEST.search(path) and not path.startswith("tests/architecture/"))
    named = set(re.findall(r"\w+", tests))
    problems = []
    known = set()
    for path in LIMITS:
        text = (project.read(root, path) or "") if (Path(root) / path).exists() else ""
        for match in LIMIT.finditer(text):
            name = match.group(1)
            known.add(name)
            if name in named or name in EXCUSED:
                continue
            line = project.line_of(text, match.start())
            problems.append(f"{path}:{line}: no test names {name}; test it on both sides")
    problems += [f"tests/architecture/limits.py: excuses {name}, which is no limit; take it out"
                 for name in EXCUSED if known and name not in known]
    return problems


if __name__ == "__main__":
    project.main("limits", check)
