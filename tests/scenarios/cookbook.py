#!/usr/bin/env python3
"""The cookbook: every file is valid, plays its scenarios and can be simulated; nothing is left out.

    cookbook.py BATON          checks
    cookbook.py BATON --write  writes docs/cookbook.md from the files

docs/cookbook.md shows the files of content/cookbook as they are. Each step type that
`baton builtins` lists, each kind of evidence, loop and strategy is in one of them. None is a
workflow of a server.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "content/cookbook"
PAGE = ROOT / "docs/cookbook.md"

# What a file has that shows the thing; spellings of one thing count once.
SHOWN = {
    "evidence": ["file_exists", "file_contains", "file_changed", "command", "git_commit_exists",
                 "artifact", "state"],
    "loop": ["while", "until", "for", "forEach"],
    "on_error": ["fail", "continue", "retry"],
    "workflow's on_error": ["checkpoint_and_fail", "continue", "retry_workflow"],
    "task strategy": ["retry_failed", "continue", "fail_all"],
    "computed on_error": ["use_fallback", "propagate", "ignore"],
    "key": ["fallback_value", "error_state_update", "validate", "gate", "effect", "fallback",
            "cleanup_on_error", "runCondition", "conditionSource", "validationCriteria",
            "expected_response", "argv"],
}
FORMS = {
    "evidence": r"- {}:",
    "loop": r"type: {}\b",
    "on_error": r"on_error: {}\b",
    "workflow's on_error": r"on_error: {}\b",
    "task strategy": r"strategy: {}\b",
    "computed on_error": r"on_error: {}\b",
    "key": r"\b{}:",
}
OPENING = """# Cookbook

One small workflow for each thing that a workflow can say. The files are in
[content/cookbook](../content/cookbook), each with the runs that it is tested by (`NAME.test.yaml`);
`tests/scenarios/cookbook.py` made this page from them, validates, simulates and plays them.
`baton new mine --from ID` copies a bundled workflow, `baton builtins STEP` lists the keys of a step
type, and [language.md](language.md) is the reference.

"""


def run(baton, *words):
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home}
        done = subprocess.run([baton, *words], cwd=FOLDER, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    return done.returncode, done.stdout


def files():
    return sorted(path for path in FOLDER.rglob("*.yaml") if not path.name.endswith(".test.yaml"))


def id_of(text):
    return re.search(r"^id: (.*)$", text, re.M)[1]


def page():
    texts = [(path, path.read_text(encoding="utf-8")) for path in files()]
    out = OPENING
    for path, text in texts:
        out += f"- [{text.split(chr(10))[0][2:].rstrip('.')}](#{path.stem})\n"
    for path, text in texts:
        about, rest = text.split("\n", 1)
        out += f"\n## {path.stem}\n\n{about[2:]}\n\n```yaml\n{rest}```\n"
    return out


def step_types(baton):
    """The types that are no other spelling of another one."""
    status, said = run(baton, "builtins")
    assert status == 0, said
    rows = said.split("\n\n")[0].splitlines()[1:]
    return [row.split()[0] for row in rows if "another spelling" not in row]


def missing(baton, text):
    for name in step_types(baton):
        # A prompt needs no type; a template call may leave it out.
        form = rf"type: {name}\b" if name != "prompt" else r"\bprompt:"
        if not re.search(form, text):
            yield f"no file has a step of the type {name}"
    for thing, names in SHOWN.items():
        for name in names:
            if not re.search(FORMS[thing].format(name), text):
                yield f"no file shows {thing} {name}"


def problems(baton):
    texts = {path: path.read_text(encoding="utf-8") for path in files()}
    yield from missing(baton, "\n".join(texts.values()))
    for words in (["validate", "."], ["test", "."]):
        status, said = run(baton, *words)
        if status != 0:
            yield f"baton {' '.join(words)}:\n{said}"
    for path, text in texts.items():
        status, said = run(baton, "simulate", id_of(text), "--workflows", ".")
        if status != 0:
            yield f"simulating {path.name}:\n{said}"
        test = path.with_suffix("").with_suffix(".test.yaml")
        is_part = path.parent != FOLDER
        if not is_part and not test.exists():
            yield f"{path.name} has no scenario; write {test.name}"
    status, said = run(baton, "list")
    if status != 0 or "cookbook." in said:
        yield f"a server would list the cookbook:\n{said}"
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        yield "docs/cookbook.md is not what the files say; run cookbook.py BATON --write"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
        sys.exit(0)
    found = list(problems(str(Path(sys.argv[1]).resolve())))
    for each in found:
        print(each)
    sys.exit(1 if found else 0)
