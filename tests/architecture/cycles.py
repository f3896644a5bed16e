#!/usr/bin/env python3
"""No file of src/ needs one that needs it.

A header and its .cc are one unit: when a.cc includes b.h and b.cc includes a.h, nobody reads, tests
or changes a without b. The check finds every include that is part of such a cycle. Those of today
are in include_cycles.txt, which may only shrink: an include that is not in it is refused, and so is
a line for an include that closes no cycle any more.
"""

import project
import rooms

LIST = "tests/architecture/include_cycles.txt"


def units(root):
    """{unit: the units it includes}; a unit is a path below src/ without its ending."""
    includes = {}
    for path in project.files(root):
        if rooms.SOURCE.match(path) and not rooms.is_for_tests(path):
            own = includes.setdefault(unit_of(path.removeprefix("src/")), set())
            own.update(unit_of(name) for quote, name
                       in rooms.INCLUDE.findall(project.read(root, path) or "") if quote == '"')
    return {unit: sorted(names & includes.keys() - {unit}) for unit, names in includes.items()}


def unit_of(path):
    return path.rsplit(".", 1)[0]


def way(graph, start, goal):
    """The shortest way of includes from a unit to another, as units; None when there is none."""
    ways, seen = [[start]], {start}
    for so_far in ways:
        if so_far[-1] == goal:
            return so_far
        for target in graph[so_far[-1]]:
            if target not in seen:
                seen.add(target)
                ways.append([*so_far, target])
    return None


def cycles(graph):
    """{(unit, included unit): the way back} of each include that closes a cycle."""
    found = {}
    for unit, targets in graph.items():
        for target in targets:
            back = way(graph, target, unit)
            if back:
                found[unit, target] = back
    return found


def listed(root):
    """{(unit, included unit): line} of the list."""
    text = project.read(root, LIST) if (root / LIST).exists() else ""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            unit, _, target = line.partition(" -> ")
            found[unit, target] = number
    return found


def check(root):
    found, known = cycles(units(root)), listed(root)
    problems = [f"src/{unit}: includes {target}, and so closes a cycle: "
                f"{' -> '.join([unit, *back])}; "
                "move what both need to a file of its own"
                for (unit, target), back in sorted(found.items()) if (unit, target) not in known]
    problems += [f"{LIST}:{line}: {unit} -> {target} closes no cycle any more; take the line out"
                 for (unit, target), line in known.items() if (unit, target) not in found]
    return problems


if __name__ == "__main__":
    project.main("cycles", check)
