#!/usr/bin/env python3
"""No file of src/ needs one that needs it.

A header and its .cc are one unit: when a.cc includes b.h and b.cc includes a.h, a cannot
be read, tested or changed without b. The check refuses every include that is part of such a cycle.
"""

import project
import rooms


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


def check(root):
    return [f"src/{unit}: includes {target}, and so closes a cycle: {' -> '.join([unit, *back])}; "
            "move what both need to a file of its own"
            for (unit, target), back in sorted(cycles(units(root)).items())]


if __name__ == "__main__":
    project.main("cycles", check)
