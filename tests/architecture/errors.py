#!/usr/bin/env python3
"""Every public error code has a page, and every page a code.

    errors.py            checks
    errors.py --write    rewrites the index, docs/errors/README.md

The codes are the CODE lines of src/base/core/codes.inc. A page says, under fixed headings, what
happened, what to do next and whether retrying helps; the last begins with the code's retry kind.
"""

import re
import sys

import project

CODES = "src/base/core/codes.inc"
PAGES = "docs/errors"
INDEX = f"{PAGES}/README.md"
CODE = re.compile(r'^CODE\((\w+), (\w+), "((?:[^"\\]|\\.)*)"\)$')
HEADINGS = ["What happened", "What to do next", "Does retrying help?"]
KINDS = ("not_retryable", "retry_with_changes", "retry_after")

INDEX_HEAD = """# Error codes

An error is a value: a code to branch on, a message that alone is enough to act on, often a hint,
and whether trying again can help. The kinds of retry:

- `not_retryable`: the same call gives the same answer, even with changed arguments.
- `retry_with_changes`: fix what the message names and call again.
- `retry_after`: the same call may succeed later; `retryAfterMs` says when, where it is known.

The set is closed; `baton errors` prints it. This index is written by
`tests/architecture/errors.py --write`.

| Code | Retry | Meaning |
|---|---|---|
"""


def read_codes(root):
    """([(line, name, kind, meaning)], problems) of the table of codes."""
    codes, problems = [], []
    for number, line in enumerate(project.read(root, CODES).split("\n"), 1):
        if not line.startswith("CODE("):
            continue
        found = CODE.match(line)
        if not found:
            problems.append(f'{CODES}:{number}: cannot be read; write CODE(NAME, kind, "meaning")')
            continue
        codes.append((number, *found.groups()))
    for (_, before, _, _), (number, name, kind, _) in zip(codes, codes[1:]):
        if name <= before:
            problems.append(f"{CODES}:{number}: {name} comes after {before}; "
                            "keep the codes in alphabetical order, each once")
    problems += [f"{CODES}:{number}: {kind} is no retry kind; use one of {', '.join(KINDS)}"
                 for number, _, kind, _ in codes if kind not in KINDS]
    return codes, problems


def index(codes):
    return INDEX_HEAD + "".join(f"| [{name}]({name}.md) | `{kind}` | {meaning} |\n"
                                for _, name, kind, meaning in codes)


def check_page(path, name, kind, text):
    sections = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    headings, bodies = sections[1::2], [body.strip() for body in sections[2::2]]
    if sections[0].strip() != f"# {name}":
        yield f"{path}:1: begin the page with '# {name}' and go on with '## {HEADINGS[0]}'"
    if headings not in (HEADINGS, HEADINGS + ["Example"]):
        yield (f"{path}:1: the headings are {headings}; write {HEADINGS}, "
               "then Example where one helps")
        return
    for heading, body in zip(headings, bodies):
        if not body:
            yield f"{path}:1: nothing stands under '{heading}'; write it"
    if not bodies[2].startswith(f"`{kind}`: "):
        yield (f"{path}:1: '{HEADINGS[2]}' must begin with '`{kind}`: ', "
               f"as {CODES} says, and then say why")


def check(root):
    codes, problems = read_codes(root)
    names = {name for _, name, _, _ in codes}
    for line, name, kind, _ in codes:
        path = f"{PAGES}/{name}.md"
        if not (root / path).exists():
            problems.append(f"{CODES}:{line}: {name} has no page; write {path}")
        else:
            problems += check_page(path, name, kind, project.read(root, path))
    for page in sorted((root / PAGES).glob("*.md")):
        if page.stem not in names and page.name != "README.md":
            problems.append(f"{PAGES}/{page.name}:1: there is no such code; remove the page "
                            f"or add the code to {CODES}")
    if not (root / INDEX).exists() or project.read(root, INDEX) != index(codes):
        problems.append(f"{INDEX}:1: is not what the codes say; "
                        "run tests/architecture/errors.py --write")
    return problems


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        (project.ROOT / INDEX).write_text(index(read_codes(project.ROOT)[0]))
        sys.argv.pop()
    project.main("errors", check)
