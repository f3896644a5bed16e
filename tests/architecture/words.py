#!/usr/bin/env python3
"""The engine's rooms name no tool, no argument of a tool, no command of the terminal and no flag.

They say what happened and what can be done next as facts (base/core/result.h); surfaces and the
terminal put them into words. The names come from the tools themselves: every tool that src/surface
declares, and every property of a schema there that is not an ordinary word. What is not a sentence
may be a key of the log that has the same name.
"""

import re

import cpp
import project
import rooms

ROOMS = ("src/engine/", "src/plan/", "src/run/", "src/state/", "src/verbs/")
TOOL = re.compile(r"\bprotocol::Tool (\w+)\(const")
# An ordinary word, such as "context", may be in any sentence.
ARGUMENT = re.compile(r'"(\w*[A-Z_]\w*)":\{')
WORD = re.compile(r"\w+")
# `baton trust` is for the owner of the machine, whatever the surface (decision 41).
COMMAND = re.compile(r"`baton (?!trust\b)[a-z]")
FLAG = re.compile(r"(?<![\w-])--[a-z]")


def literals(text):
    for found in cpp.SKIPPED.finditer(text):
        if found.group("string") or found.group("raw"):
            yield found.start(), found.group(0)


def names(root):
    """(tools, arguments) of all surfaces."""
    tools, arguments = set(), set()
    for path in project.files(root):
        if path.startswith("src/surface/") and not rooms.is_for_tests(path):
            text = project.read(root, path) or ""
            tools |= set(TOOL.findall(text))
            arguments |= set(ARGUMENT.findall(text))
    return tools, arguments - tools


def problems_of(literal, tools, arguments):
    words = set(WORD.findall(literal))
    yield from (f"names the tool {word}" for word in sorted(words & tools))
    if " " in literal.strip('" '):
        yield from (f"names the argument {word}" for word in sorted(words & arguments))
        if FLAG.search(literal):
            yield "names a flag"
        if COMMAND.search(literal):
            yield "names a command of the terminal"


def check(root):
    tools, arguments = names(root)
    problems = []
    for path in project.files(root):
        if not path.startswith(ROOMS) or rooms.is_for_tests(path) or "/testing/" in path:
            continue
        text = project.read(root, path) or ""
        for offset, literal in literals(text):
            problems += [f"{path}:{project.line_of(text, offset)}: {what}; say it as a fact (a "
                         "Move of base/core/next_moves.inc) and let each surface word it"
                         for what in problems_of(literal, tools, arguments)]
    return problems


if __name__ == "__main__":
    project.main("words", check)
