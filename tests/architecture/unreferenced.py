#!/usr/bin/env python3
"""Everything that src/ declares is used by the product.

The check starts at main() and follows names: what no use reaches is told, and so is what only tests
use. It knows names and no types, so that two things of one name are one, and a name that is also a
variable somewhere counts as used: it finds much of what is unused, and not all.

unreferenced.txt lists what may stay although nothing uses it yet, each with the reason. A line that
is no longer needed is refused.
"""

import re

import cpp_index
import project
import rooms

LIST = "tests/architecture/unreferenced.txt"
# Called by the language and the libraries, not by us.
ROOTS = {"main", "begin", "end", "what", "hash", "tuple_size", "tuple_element", "get"}
CODE = re.compile(r"^(CODE|MOVE)\((\w+)", re.MULTILINE)


def is_product(path):
    return (rooms.SOURCE.match(path) and not rooms.is_for_tests(path)
            and "/testing/" not in path and "/faulty/" not in path)


def index(root):
    found = cpp_index.Index()
    for path in project.files(root):
        if not is_product(path):
            continue
        text = project.read(root, path) or ""
        if path.endswith(".c"):
            found.use(set(cpp_index.WORD.findall(text)), ())  # called by generated code
        elif path.endswith(".inc"):
            for code in CODE.finditer(text):
                found.declare(code.group(2), path, code.start(2), (code.group(1).title(),))
            found.use({"CODE", "MOVE"}, ())
        else:
            found.add(path, text)
    return found


def excuses(root):
    """{what a line of the list names: (line, reason)}"""
    text = project.read(root, LIST) if (root / LIST).exists() else ""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            what, _, reason = line.partition(": ")
            found[what.strip()] = (number, reason.strip())
    return found


def fits(what, name, places):
    """Whether a line means a name: itself, what is in it, a folder, or an enum's `Type::*`."""
    if what.endswith("/"):
        return any(path.startswith(what) for path, _, _ in places)
    owner = what.removesuffix("::*")
    return what == name or any(owner in around for _, _, around in places)


def outermost(unused):
    """Without what is inside of another one, and goes with it."""
    return {name: places for name, places in unused.items()
            if not any(outer in unused for _, _, around in places for outer in around)}


def check(root):
    names, listed = index(root), excuses(root)
    problems = [f"{LIST}:{line}: '{what}' has no reason; write '{what}: why it may stay'"
                for what, (line, reason) in listed.items() if not reason]
    bare = names.unused(ROOTS)
    excused = {name for name, places in bare.items()
               for what in listed if fits(what, name, places)}
    told = outermost(names.unused(ROOTS | excused))
    for name, places in sorted(told.items(), key=lambda each: each[1]):
        path, offset, _ = places[0]
        line = project.line_of(project.read(root, path), offset)
        problems.append(f"{path}:{line}: nothing in the product uses {name}; remove it and its "
                        f"tests, or say in {LIST} why it stays")
    for what, (line, _) in listed.items():
        if not any(fits(what, name, places) for name, places in bare.items()):
            problems.append(f"{LIST}:{line}: '{what}' is used or gone; take the line out")
    return problems


if __name__ == "__main__":
    project.main("unreferenced", check)
