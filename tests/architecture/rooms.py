#!/usr/bin/env python3
"""The rooms of src/ and what each may include.

The table of rooms is the baton_room() calls of CMakeLists.txt: the build links by it, the checks
read it, and ARCHITECTURE.md shows it. Every edge that is not in it has a reason in FORBIDDEN.
The check reads the includes of src/ and the table of ARCHITECTURE.md, and says where they disagree
with it.
"""

import re

import project

BUILD = "CMakeLists.txt"
MAP = "ARCHITECTURE.md"
ROOM_CALL = re.compile(r"^baton_room\(([^)]*)\)", re.MULTILINE)
MAP_ROW = re.compile(r"^\| `(\w+)/` \|[^|]*\|([^|]*)\|([^|]*)\|$", re.MULTILINE)


def table(text):
    """{room: (line, is pure, included rooms)} as CMakeLists.txt says it."""
    rooms = {}
    for call in ROOM_CALL.finditer(text):
        name, *words = call.group(1).split()
        lists = {"INCLUDES": [], "LIBS": [], "HEADERS": []}
        current, pure = None, False
        for word in words:
            if word == "PURE":
                pure = True
            elif word in lists:
                current = lists[word]
            elif current is not None:
                current.append(word)
        rooms[name] = (project.line_of(text, call.start()), pure, tuple(lists["INCLUDES"]))
    return rooms


ROOMS = table(project.read(project.ROOT, BUILD))
ALLOWED = {room: includes for room, (_, _, includes) in ROOMS.items()}
PURE = tuple(room for room, (_, pure, _) in ROOMS.items() if pure)
CORE = tuple(room for room in PURE if room != "ports")

# (rooms, rooms, why not): the first row that fits an edge is its reason; "*" is every room.
FORBIDDEN = (
    (("base",), ("*",),
     "base is what every room stands on; an edge out of it is a cycle"),
    (("*",), ("cli",),
     "cli is the composition root: it knows every room and no room knows it"),
    (("*",), ("adapters",),
     "only src/cli/main.cc names concrete adapters; everyone else sees the port"),
    (PURE, ("engine", "verbs", "surface", "transport", "console"),
     "a pure room turns values into values; what orders or performs effects stands above it"),
    (CORE, ("ports",),
     "what decides holds no port; it answers with a need and the verb fetches it"),
    (("workflow", "state", "run", "engine"), ("protocol",),
     "the engine knows no wire; surface translates"),
    (("workflow", "state", "run", "engine"), ("plan",),
     "a plan is a document beside the engine; `baton plan run` joins them in a verb"),
    (("plan",), ("workflow", "state", "run", "protocol"),
     "a plan is a document of its own and needs only base to be read"),
    (("protocol",), ("workflow", "state", "run", "plan"),
     "protocol turns bytes into messages and knows nothing of what they mean"),
    (("workflow",), ("state", "run"),
     "a compiled workflow exists before any state or run of it"),
    (("state",), ("run",),
     "run folds state, so state cannot know run"),
    (("surface", "console", "transport"), ("surface", "transport", "console"),
     "doors do not open into one another; cli puts them side by side"),
    (("surface",), ("ports",),
     "a surface decodes, calls one verb and encodes; effects are ordered in verbs"),
    (("engine",), ("verbs",),
     "a verb is a use case of the engine, which knows none of them"),
    (("engine", "verbs"), ("surface", "transport", "console"),
     "a verb is called by surfaces and answers in their common terms"),
    (("adapters",), ("engine", "verbs", "surface", "transport", "console"),
     "an adapter implements a port and never calls up"),
    (("transport",), ("workflow", "state", "run", "plan", "engine", "verbs"),
     "it moves messages; a handler passed in by cli gives them meaning"),
    (("console",), ("workflow", "state", "plan", "protocol"),
     "the console shows projections of run and calls verbs; it needs nothing below them"),
)

# Standard headers without a file, socket, clock, random source, environment, thread or stream
# behind them. An inline function of a header leaves no symbol for purity.py to see.
PURE_HEADERS = set("""
    algorithm any array bit bitset cctype cfloat charconv climits cmath compare concepts cstddef
    cstdint cstring deque exception expected forward_list functional initializer_list iterator
    limits list map memory new numbers numeric optional queue ranges ratio set source_location
    span stack stdexcept string string_view tuple type_traits typeindex typeinfo unordered_map
    unordered_set utility variant vector version
    re2/re2.h re2/stringpiece.h utf8proc.h
""".split())
# The locks of the rooms that have threads; base holds it for all of them and does not use it.
LOCKS = "src/base/core/thread_safety.h"
PURE_HEADERS_OF = {
    "src/base/core/assert.cc": {"cstdio", "cstdlib"},  # panic prints and aborts
    LOCKS: {"chrono", "condition_variable", "mutex"},
    "src/base/": {"openssl/sha.h"},
    "src/workflow/": {"yaml.h"},
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
SOURCE = re.compile(r"^src/(\w+)/.*\.(?:h|cc|c|inc)$")


def fits(rooms, room):
    return "*" in rooms or room in rooms


def reason(room, target):
    """Why `room` may not include `target`; None for an allowed edge."""
    if target == room or target in ALLOWED[room]:
        return None
    return next(why for froms, tos, why in FORBIDDEN if fits(froms, room) and fits(tos, target))


def is_for_tests(path):
    """A test of a room, or what its tests share in src/<room>/testing/."""
    return path.endswith("_test.cc") or path.split("/")[2:3] == ["testing"]


def header_is_pure(path, name):
    return name in PURE_HEADERS or any(
        path.startswith(prefix) and name in names for prefix, names in PURE_HEADERS_OF.items())


def check_include(path, room, quote, name):
    """The problem with one include of a file of src/, or None."""
    target = name.split("/")[0]
    if target in ALLOWED and "/" in name:
        if quote == "<":
            return f'<{name}> is ours; write "{name}"'
        if target == "adapters" and room == "cli" and path != "src/cli/main.cc":
            return (f"includes {name}: main.cc alone names concrete adapters; "
                    "take the port as an argument")
        if name.split("/")[1] == "testing" and not is_for_tests(path):
            return f"includes {name}: testing/ is for tests alone; move what code needs out of it"
        if f"src/{name}" == LOCKS and room in PURE and not is_for_tests(path):
            return f"includes {name}: a pure room has no threads, and nothing to lock"
        why = reason(room, target)
        return f"{room} may not include {name}: {why}" if why else None
    if quote == '"':
        return f'"{name}" names no room; write includes from src/, as "{room}/..."'
    if room in PURE and not is_for_tests(path) and not header_is_pure(path, name):
        return (f"<{name}> in the pure room {room}; take the value as an argument or ask a port "
                "for it (PURE_HEADERS in tests/architecture/rooms.py lists what is pure)")
    return None


def check_sources(root):
    problems = []
    for path in project.files(root):
        match = SOURCE.match(path)
        if not match:
            continue
        room = match.group(1)
        if room not in ALLOWED:
            problems.append(f"{path}:1: src/{room} is no room; add baton_room({room} ...) to "
                            f"{BUILD} and a row to {MAP}, or move the file")
            continue
        text = project.read(root, path) or ""
        for include in INCLUDE.finditer(text):
            problem = check_include(path, room, *include.groups())
            if problem:
                problems.append(f"{path}:{project.line_of(text, include.start())}: {problem}")
    return problems


def check_table(text):
    """A room includes rooms that stand above it, and a pure room pure ones."""
    problems = []
    rooms = table(text)
    above = set()
    for room, (line, pure, includes) in rooms.items():
        for target in includes:
            if target not in above:
                what = "stands below it" if target in rooms else "is no room"
                problems.append(f"{BUILD}:{line}: {room} includes {target}, which {what}; "
                                "the table has no cycle when each room includes those above it")
            elif pure and not rooms[target][1]:
                problems.append(f"{BUILD}:{line}: {room} is pure and {target} is not; "
                                "take the edge out")
        above.add(room)
    return problems


def check_map(text, rooms):
    """The table of ARCHITECTURE.md says what the build's table says."""
    problems, shown = [], {}
    for row in MAP_ROW.finditer(text):
        room, includes, pure = (cell.strip() for cell in row.groups())
        line = project.line_of(text, row.start())
        shown[room] = line
        if room not in rooms:
            problems.append(f"{MAP}:{line}: {room} is no room; {BUILD} has no baton_room({room})")
            continue
        expected = ", ".join(rooms[room][2]) or "nothing"
        if includes != expected:
            problems.append(f"{MAP}:{line}: {room} may include, says {BUILD}: {expected}")
        if pure != ("yes" if rooms[room][1] else ""):
            problems.append(f"{MAP}:{line}: {room} is {'' if rooms[room][1] else 'not '}pure, "
                            f"says {BUILD}")
    return problems + [f"{MAP}:1: the room {room} has no row; describe `{room}/`"
                       for room in rooms if room not in shown]


def check(root):
    text = project.read(root, BUILD)
    return (check_sources(root) + check_table(text)
            + check_map(project.read(root, MAP), table(text)))


if __name__ == "__main__":
    project.main("rooms", check)
