#!/usr/bin/env python3
"""Every line of the documents that Baton began with has an answer: built and tested, or decided.

    origins.py                  checks
    origins.py --list 003 FILE  writes docs/origins/003.lines from the document FILE

docs/origins.md has a section `## NNN` for each document, with a table of rows:

    | 003-1 | 8-36, 40 | what it asks for | works | `tests/cases/plan/header.case` |
    | 003-2 | 60 | what it asks for | decided | why it is otherwise |
    | 003-3 | 1-5 | | background | what kind of text it is |

A row that `works` names tests as paths; each is a file that carries the row's id. The documents
themselves are not here: docs/origins/NNN.lines says of each line its number, its kind (blank,
heading, code or prose) and its SHA-256. Every line of prose must be in exactly one row.
"""

import hashlib
import re
import sys
from pathlib import Path

import project

PAGE = "docs/origins.md"
LISTS = "docs/origins"
ROW = re.compile(r"^\| (\d{3})-(\d+) \| ([\d, -]*) \| (.*?) \| (\w+) \| (.*?) \|$")
LINE = re.compile(r"^(\d+) (blank|heading|code|prose) ([0-9a-f]{64})$")
KINDS = ("works", "decided", "background")


def list_of(text):
    """The lines of a list: number, kind and hash of each line of a document."""
    out, code = [], False
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        fence = line.lstrip().startswith("```")
        kind = ("code" if code or fence else "blank" if not line.strip() else
                "heading" if line.startswith("#") else "prose")
        if fence:
            code = not code
        digest = hashlib.sha256(line.encode()).hexdigest()
        out.append(f"{number} {kind} {digest}")
    return out


def read_list(path, text, problems):
    """{number: kind}"""
    kinds = {}
    for at, line in enumerate(text.rstrip("\n").split("\n"), 1):
        found = LINE.match(line)
        if not found or int(found[1]) != at:
            problems.append(f"{path}:{at}: is not line {at} of a list; write it with --list")
            return {}
        kinds[at] = found[2]
    return kinds


def lines_of(ranges, where, problems):
    out = []
    for part in filter(None, (piece.strip() for piece in ranges.split(","))):
        ends = [int(end) for end in part.split("-") if end.strip().isdigit()]
        if not 1 <= len(ends) <= 2 or ends[0] > ends[-1]:
            problems.append(f"{where}: '{part}' is not a line or a range of lines; write 8-36")
            continue
        out += range(ends[0], ends[-1] + 1)
    return out


def check_answer(root, row, kind, answer, where):
    if kind not in KINDS:
        yield f"{where}: '{kind}' is not an answer; use one of {', '.join(KINDS)}"
        return
    if not answer.strip():
        yield f"{where}: {row} says '{kind}' and no more; name the tests, or say why"
        return
    if kind != "works":
        return
    named = re.findall(r"`([^`]+)`", answer)
    if not named:
        yield f"{where}: {row} works by no test; name one, or decide otherwise"
    for path in named:
        if not (Path(root) / path).is_file():
            yield f"{where}: there is no test {path}; name one that is there"
        elif not re.search(rf"\b{row}\b", project.read(root, path) or ""):
            yield f"{where}: {path} does not carry {row}; write the id into the test"


def check(root):
    if not (Path(root) / PAGE).is_file():
        return []
    problems, seen, covered = [], {}, {}
    documents = {}
    for path in project.files(root):
        if path.startswith(f"{LISTS}/") and path.endswith(".lines"):
            document = Path(path).stem
            documents[document] = read_list(path, project.read(root, path), problems)
    for number, line in enumerate(project.read(root, PAGE).split("\n"), 1):
        where = f"{PAGE}:{number}"
        if not re.match(r"^\| \d", line):
            continue
        found = ROW.match(line)
        if not found:
            problems.append(f"{where}: is not a row; write | 003-1 | 8-36 | what | works | tests |")
            continue
        document, row = found[1], f"{found[1]}-{found[2]}"
        if row in seen:
            problems.append(f"{where}: {row} is the id of line {seen[row]} too; "
                            "give it another number")
        seen[row] = number
        if document not in documents:
            problems.append(f"{where}: {LISTS}/{document}.lines is missing; write it with --list")
        for at in lines_of(found[3], where, problems):
            if at not in documents.get(document, {at: ""}):
                problems.append(f"{where}: document {document} has no line {at}")
            if (document, at) in covered:
                problems.append(f"{where}: line {at} is in {covered[document, at]} too")
            covered[document, at] = row
        problems += check_answer(root, row, found[5], found[6], where)
    for document, kinds in documents.items():
        missing = [at for at, kind in kinds.items()
                   if kind == "prose" and (document, at) not in covered]
        problems += [f"{LISTS}/{document}.lines:{at}: is in no row of {PAGE}; "
                     "say what became of it" for at in missing]
    return problems


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--list":
        text = Path(sys.argv[3]).read_text(encoding="utf-8")
        target = project.ROOT / LISTS / f"{sys.argv[2]}.lines"
        target.parent.mkdir(exist_ok=True)
        target.write_text("\n".join(list_of(text)) + "\n", encoding="utf-8")
        sys.exit(0)
    sys.exit(project.main("origins", check))
