#!/usr/bin/env python3
"""A tool is named only by the surface that has it, and the engine's rooms name nothing else either:
no argument of a tool, no command of the terminal and no flag.

They say what happened and what can be done next as facts (base/core/result.h); surfaces and the
terminal put them into words. The names come from the tools themselves: every tool that src/surface
declares, and every property of a schema there that is not an ordinary word. What is not a sentence
may be a key of the log that has the same name. So whatever a surface shows, built of texts of its
own and of shared ones, names no tool that is not served there.
"""

import re

import cpp
import project
import rooms

ROOMS = ("src/engine/", "src/plan/", "src/run/", "src/state/", "src/verbs/")
TOOL = re.compile(r"\bprotocol::Tool (\w+)\(const")
# An ordinary word, such as "context", may be in any sentence.
ARGUMENT = re.compile(r'"(\w*[A-Z_]\w*)":\{')
KEY = re.compile(r'"(\w+)"')  # that a surface reads or writes
DOCUMENT = 'R"(# '  # a page of docs/, which may compare surfaces
WORD = re.compile(r"\w+")
SURFACE = re.compile(r"src/surface/(\w+)/")
SHARED = re.compile(r"src/surface/[^/]+$")
# What calls tools as an agent does, and why.
CALLERS = {
    "src/cli/commands/demo.cc": "the demo plays an agent of the rail",
    "src/cli/commands/plan.cc": "the call with which an agent continues the run",
}
# `baton trust` is for the owner of the machine, whatever the surface (decision 41).
COMMAND = re.compile(r"`baton (?!trust\b)[a-z]")
FLAG = re.compile(r"(?<![\w-])--[a-z]")


def literals(text):
    for found in cpp.SKIPPED.finditer(text):
        if found.group("string") or found.group("raw"):
            yield found.start(), found.group(0)


def is_product(path):
    return not rooms.is_for_tests(path) and "/testing/" not in path


def names(root):
    """({tool: its surface}, {argument: the surfaces that use it}) of all surfaces."""
    tools, arguments, users = {}, set(), {}
    for path in project.files(root):
        surface = SURFACE.match(path)
        if surface and is_product(path):
            text = project.read(root, path) or ""
            tools.update((name, surface[1]) for name in TOOL.findall(text))
            arguments |= set(ARGUMENT.findall(text))
            for name in KEY.findall(text):
                users.setdefault(name, set()).add(surface[1])
    return tools, {name: users[name] for name in arguments - tools.keys()}


def problems_of(literal, tools, arguments):
    words = set(WORD.findall(literal))
    yield from (f"names the tool {word}" for word in sorted(words & tools))
    if " " in literal.strip('" '):
        yield from (f"names the argument {word}" for word in sorted(words & arguments))
        if FLAG.search(literal):
            yield "names a flag"
        if COMMAND.search(literal):
            yield "names a command of the terminal"


def problems_outside(path, literal, tools, arguments):
    """Of a text of a surface, of what all of them share, or of what is shown by any."""
    words = set(WORD.findall(literal))
    surface = SURFACE.match(path)[1] if SURFACE.match(path) else None
    yield from (f"names the tool {word} of the surface {tools[word]}"
                for word in sorted(words & tools.keys()) if tools[word] != surface)
    has_words = surface in tools.values() or SHARED.match(path)
    if has_words and " " in literal.strip('" ') and not literal.startswith(DOCUMENT):
        yield from (f"names the argument {word} of another surface"
                    for word in sorted(words & arguments.keys()) if surface not in arguments[word])


def check(root):
    tools, arguments = names(root)
    problems = []
    for path in project.files(root):
        if path.startswith("content/"):
            problems += [f"{path}:{project.line_of(text, word.start())}: names the tool {word[0]}; "
                         "every surface serves this workflow, so say what to do instead"
                         for text in [project.read(root, path) or ""]
                         for word in WORD.finditer(text) if word[0] in tools]
        if not path.startswith("src/") or not is_product(path) or path in CALLERS:
            continue
        text = project.read(root, path) or ""
        for offset, literal in literals(text):
            where = f"{path}:{project.line_of(text, offset)}"
            if path.startswith(ROOMS):
                problems += [f"{where}: {what}; say it as a fact (a Move of "
                             "base/core/next_moves.inc) and let each surface word it"
                             for what in problems_of(literal, tools.keys(), arguments.keys())]
            else:
                problems += [f"{where}: {what}; it belongs in the words of that surface, or is a "
                             "Move of base/core/next_moves.inc"
                             for what in problems_outside(path, literal, tools, arguments)]
    return problems


if __name__ == "__main__":
    project.main("words", check)
