#!/usr/bin/env python3
"""Pure rooms, proven on their object files.

    purity.py base=build/dev/libbaton_base.a workflow=...

Each symbol that a pure room's library leaves undefined must be defined by a room it may include,
or be listed in pure_symbols.txt. A list of what is allowed, not of what is banned: libstdc++ hides
clocks, files, streams and threads behind mangled names that cannot be listed in full.
"""

import re
import subprocess
import sys
from pathlib import Path

import project
import rooms

LIST = Path(__file__).with_name("pure_symbols.txt")
SYMBOL = re.compile(r"^[0-9a-f ]{16} ([A-Za-z]) (.*)$")
INCLUDED = re.compile(r'^#include "(.*)"$', re.M)
HEAD = re.compile(r"^\[([^\]:]+)(?::\s*([^\]]+))?\]$")


class Family:
    """A head of pure_symbols.txt with its symbols."""

    def __init__(self, name, scopes):
        self.name = name
        self.scopes = scopes      # rooms or room/file; empty for every pure room
        self.reason = ""
        self.exact = set()
        self.patterns = []

    def covers(self, room, sources):
        return (not self.scopes or room in self.scopes
                or any(f"{room}/{source}" in self.scopes for source in sources))

    def allows(self, symbol):
        return symbol in self.exact or any(p.fullmatch(symbol) for p in self.patterns)


def load(text):
    families = []
    for line in text.splitlines():
        line = line.strip()
        head = HEAD.match(line)
        if head:
            scopes = {scope.strip() for scope in (head.group(2) or "").split(",")} - {""}
            families.append(Family(head.group(1), scopes))
        elif line.startswith("#") and families and not families[-1].reason:
            families[-1].reason = line[1:].strip()
        elif not line or line.startswith("#"):
            continue
        elif len(line) > 2 and line[0] == line[-1] == "/":
            families[-1].patterns.append(re.compile(line[1:-1]))
        else:
            families[-1].exact.add(line)
    return families


def symbols(archive):
    """({member: undefined symbols}, all defined symbols) of a static library."""
    listing = subprocess.run(["nm", "-C", str(archive)], capture_output=True, text=True,
                             check=True).stdout
    undefined, defined = {}, set()
    member = ""
    for line in listing.splitlines():
        found = SYMBOL.match(line)
        if not found:
            if line.endswith(":"):
                member = line[:-1].removesuffix(".o")
            continue
        kind, name = found.groups()
        if kind in "Uwv":
            undefined.setdefault(member, set()).add(name)
        else:
            defined.add(name)
    return undefined, defined


def sources_of(archive, member):
    """The sources that one object file was made of: several, if it is a unit of cmake/units.py."""
    unit = Path(archive).parent / "units" / Path(archive).stem.removeprefix("lib") / member
    if not unit.exists():
        return [member]
    return [path.rsplit("/", 1)[-1] for path in INCLUDED.findall(unit.read_text())]


def advice(room, name):
    if re.match(r"baton::|(?:vtable|typeinfo) for baton::", name):
        return f"it is defined in no room that {room} may include; define it there"
    return ("a pure room gets such things as arguments or through a port (if it has no effect at "
            "all, add it with its reason to tests/architecture/pure_symbols.txt)")


def check(archives, families):
    """Problems of {room: archive}, in the order given."""
    tables = {room: symbols(archive) for room, archive in archives.items()}
    problems = []
    for room, (undefined, own) in tables.items():
        known = own.union(*(tables[target][1] for target in rooms.ALLOWED[room]
                            if target in tables))
        for member, names in sorted(undefined.items()):
            sources = sources_of(archives[room], member)
            for name in sorted(names - known):
                if not any(f.covers(room, sources) and f.allows(name) for f in families):
                    problems.append(f"src/{room}/**/{' or '.join(sources)}: uses {name}; "
                                    f"{advice(room, name)}")
    return problems


def main(arguments):
    archives = dict(argument.split("=", 1) for argument in arguments)
    strangers = sorted(set(archives) - set(rooms.PURE))
    problems = [f"CMakeLists.txt:1: {room} is not a pure room" for room in strangers]
    pure = {room: path for room, path in archives.items() if room in rooms.PURE}
    for room in rooms.PURE:
        compiled = [path for path in project.files(project.ROOT)
                    if path.startswith(f"src/{room}/") and path.endswith(".cc")
                    and not path.endswith("_test.cc")]
        if compiled and room not in pure:
            problems.append(f"{compiled[0]}:1: the library of {room} was not given to purity.py")
    families = load(LIST.read_text())
    problems += [f"{LIST.name}: [{f.name}] gives no reason; say one in the line after its head"
                 for f in families if not f.reason]
    return project.report("purity", problems + check(pure, families))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
