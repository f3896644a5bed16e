#!/usr/bin/env python3
"""Packs the sources of a target into translation units.

    units.py ROOT FOLDER TARGET SOURCE...
    units.py --fit FOLDER

Writes units to FOLDER/TARGET, each of which includes some of the sources, and prints what is to be
compiled: those files, and the sources that stay alone. Two sources share a unit only if no name
that one of them keeps to itself, in an unnamed namespace or as a macro, occurs in the other: in
one unit it would be an error or, worse, mean the other thing. What shares a unit already stays
together where it can, so that a new source compiles one unit again and not all of them.

With --fit it exits with 1 if sources have changed so that they must not share a unit any more.
"""

import itertools
import re
import sys
from pathlib import Path

UNIT_BYTES = 90_000

# Comments and literals, but not the comment that ends a namespace.
NO_CODE = re.compile(r'//(?! namespace)[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"'
                     r'|"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])+'", re.S)
USED = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*")
# Not `using testing::Eq;` and `namespace fs = ...;`, which may be said twice.
NO_NAME = re.compile(r"using [\w:]+;|namespace \w+ =|template|TEST|RC_|INSTANTIATE_")
DECLARED = re.compile(r"(?:struct|class|enum class|enum|union|namespace|using)\s+(\w+)"
                      r"|(\w+)(?=\s*(?:\(|=|\{|;|\[))")
ATTRIBUTE = re.compile(r"^\[\[[^\]]*\]\]\s*", re.M)
MACRO = re.compile(r"^#define (\w+)", re.M)
INCLUDED = re.compile(r'^#include "(.*)"$', re.M)
TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|INSTANTIATE_TEST_SUITE_P)"
                  r"\(\s*(\w+),\s*(\w+)", re.M)


def own_names(code):
    names = set(MACRO.findall(code))
    names.update(f"{suite}_{test}_Test" for suite, test in TEST.findall(code))
    unnamed = False
    for line in ATTRIBUTE.sub("", code).split("\n"):
        if line.startswith("namespace {"):
            unnamed = True
        elif line == "}  // namespace":
            unnamed = False
        elif unnamed and line[:1].isalpha() and not NO_NAME.match(line):
            found = DECLARED.search(line)
            if found:
                names.add(found.group(1) or found.group(2))
    return names


class Source:
    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        code = NO_CODE.sub("", text)
        self.path = path
        self.size = len(text)
        self.own = own_names(code)
        self.used = set(USED.findall(code)) | self.own

    def fits(self, other):
        return self.own.isdisjoint(other.used) and other.own.isdisjoint(self.used)


def fits(unit, source):
    return (sum(one.size for one in unit) + source.size <= UNIT_BYTES
            and all(source.fits(one) for one in unit))


def pack(sources, together=()):
    """The sources in units. `together` are lists of paths that shared one before."""
    left = {source.path: source for source in sources}
    units = []
    for paths in together:
        units.append([])
        for path in paths:
            if path in left and fits(units[-1], left[path]):
                units[-1].append(left.pop(path))
    for source in left.values():
        room = next((unit for unit in units if fits(unit, source)), None)
        if room is None:
            units.append([source])
        else:
            room.append(source)
    return [unit for unit in units if unit]


def sources_in(unit, root):
    """The paths that a unit includes."""
    text = unit.read_text(encoding="utf-8")
    return [(root / "src" / path).resolve() for path in INCLUDED.findall(text)]


def write_units(root, folder, target, *paths):
    root, folder = Path(root).resolve(), Path(folder) / target
    before = sorted(folder.glob("*.cc"))
    compiled = []
    for unit in pack([Source(Path(path).resolve()) for path in paths],
                     [sources_in(file, root) for file in before]):
        names = [one.path.relative_to(root) for one in unit]
        if len(unit) == 1:
            compiled.append(unit[0].path)
            continue
        text = "".join(f'#include "../{name}"\n' for name in names)
        file = folder / ("unit_" + str(names[0]).replace("/", "_"))
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
        compiled.append(file)
    for file in set(before) - set(compiled):
        file.unlink()
    print(";".join(map(str, compiled)), end="")
    return 0


def fit(folder):
    root = Path(__file__).resolve().parent.parent
    for file in Path(folder).glob("*/*.cc"):
        unit = [Source(path) for path in sources_in(file, root) if path.exists()]
        if not all(one.fits(other) for one, other in itertools.combinations(unit, 2)):
            print(f"{file} has sources that do not fit any more; ./dev build packs them again",
                  file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "--fit":
        sys.exit(fit(sys.argv[2]))
    sys.exit(write_units(*sys.argv[1:]))
