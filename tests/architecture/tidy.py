#!/usr/bin/env python3
"""House style that a machine can see: sizes, banned calls, leftovers, shapes of files."""

import ast
import io
import re
import tokenize

import bans
import cpp
import project

COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 800
HEADER_LINES_MAX = 250
ONE_TABLE = "src/base/core/limits.h"  # every limit is in it, so it may grow as a file may

CPP = (".cc", ".h", ".c", ".inc")
CODE = CPP + (".py", ".sh", ".cmake", ".js", ".mjs", ".ts", ".svelte", ".css", ".html")
# Written here in two pieces, so that this file does not hold what it looks for.
MARKS = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
# Markdown that is content for Baton, with front matter, and not documentation of it.
CONTENT = re.compile(r"(?:^|/)(?:workflows|agents|rules|personas|cases|data|corpus)/")
SNAKE = re.compile(r"^[a-z0-9_]+(?:\.[a-z0-9_]+)+$")
# What agents and users read, and words that docs/glossary.md excludes, with what to write instead.
# "By hand in a terminal" and "when there is none" may pass.
READ_BY_AGENTS = ("content/", "docs/errors/", "docs/blockers/")
NOT_USED = (
    (r"mend(?:s|ed|ing)?", "fix"),
    (r"whoever|somebody|anybody", "name the subject: the caller, the user, the agent"),
    (r"(?<!by\s)hand(?:s|ed|ing)?\s+in", "send"),
    (r"hand(?:s|ed|ing)?\s+over", "give, or report"),
    (r"(?<!there\s)is\s+none", "is not one"),
    (r"stands?\s+in", "is in, replaces, or blocks"),
)

# Words that comments and documents do not have either.
NOT_WRITTEN = (
    (r"mend(?:s|ed|ing)?", "fix"),
    (r"nobody|whoever|somebody|anybody", "name the subject: the caller, the user, no reader"),
    (r"(?<!there\s)is\s+none", "is not one"),
    (r"given\s+up", "abandoned, or freed"),
)
# The list of these words, and what was written down at its time.
MAY_HAVE_THEM = ("docs/glossary.md", "docs/decisions/", "third_party/")


def is_code(path, text):
    name = path.split("/")[-1]
    return path.endswith(CODE) or name == "CMakeLists.txt" or text.startswith("#!")


def check_lines(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS_MAX:
            yield number, f"{len(line)} columns; break the line at {COLUMNS_MAX}"
        if "\t" in line:
            yield number, "a tab; indent with spaces (in a literal write \\t)"
    if text.count("\n") > FILE_LINES_MAX:
        yield 1, f"{text.count(chr(10))} lines; split the file, {FILE_LINES_MAX} are enough"


def check_text(path, text):
    """What holds for code and documents alike."""
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            yield number, "white space at the end of the line; remove it"
        mark = MARKS.search(line)
        if mark:
            yield number, f"a leftover {mark.group(0)}; do it now or write it down as an issue"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end of the file; add it"


def check_words(text, line=1, words=NOT_USED):
    """Words that no text for agents and users has; `line` is the number of its first line."""
    for pattern, instead in words:
        for match in re.finditer(rf"\b(?:{pattern})\b", text, re.IGNORECASE):
            found = " ".join(match.group(0).split())
            yield (line + project.line_of(text, match.start()) - 1,
                   f"'{found}' is not plain English; {instead} (docs/glossary.md)")


def comments(path, text):
    """(line, text) of the comments of a source file."""
    if path.endswith(CPP + (".js", ".mjs")):
        for found in cpp.SKIPPED.finditer(text):
            if found.group("line") or found.group("block"):
                yield project.line_of(text, found.start()), found.group(0)
    elif path.endswith(".py") or "python" in text.split("\n", 1)[0]:
        try:
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                is_docstring = token.type == tokenize.STRING and token.string.startswith('"""')
                if token.type == tokenize.COMMENT or is_docstring:
                    yield token.start[0], token.string
        except (tokenize.TokenError, SyntaxError):
            return  # check_python says so
    else:
        for number, line in enumerate(text.split("\n"), 1):
            if line.lstrip().startswith("#"):
                yield number, line


def check_writing(path, text):
    """The words of a document, or of the comments of a source file."""
    if path.startswith(MAY_HAVE_THEM):
        return
    for line, part in [(1, text)] if path.endswith(".md") else comments(path, text):
        yield from check_words(part, line, NOT_WRITTEN)


def check_header(path, text):
    lines = text.split("\n")
    if lines[0] != "#pragma once":
        yield 1, "a header begins with #pragma once; put it first"
    elif not lines[1].startswith("//"):
        yield 2, "a header's first lines say what it is, its owner and its thread rule; write them"
    if text.count("\n") > HEADER_LINES_MAX and path != ONE_TABLE:
        yield 1, f"{text.count(chr(10))} lines; split the header, {HEADER_LINES_MAX} are enough"


def check_cpp(path, text):
    code = cpp.code_of(text)
    for offset, ban in bans.violations(path, code):
        yield project.line_of(code, offset), f"{ban.name}; {ban.instead}"
    for name, line, lines in cpp.functions(text):
        if lines > FUNCTION_LINES_MAX:
            yield line, f"{name} has {lines} lines; split it, {FUNCTION_LINES_MAX} are enough"
    for offset in cpp.late_tries(code):
        yield (project.line_of(code, offset),
               "TRY behind another element of a braced list, which g++ then never destroys; "
               "try it before the list")
    if path.startswith("src/") and not path.endswith("_test.cc"):
        for found in cpp.SKIPPED.finditer(text):
            if found.group("string") or found.group("raw"):
                yield from check_words(found.group(0), project.line_of(text, found.start()))
    if path.startswith("src/") and not SNAKE.match(path.split("/")[-1]):
        yield 1, "file names are snake_case; rename it"
    if path.startswith("src/ports/") and path.endswith(".h"):
        for match in re.finditer(r"\bvirtual\b[^;{}]*\([^;{}]*\w\s*=[^;{}]*\)", code):
            yield (project.line_of(code, match.start()),
                   "a default argument on a port; every caller says what it means")


def check_python(path, text):
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield error.lineno or 1, f"python cannot read it ({error.msg}); fix it"
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = node.end_lineno - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                yield (node.lineno,
                       f"{node.name} has {lines} lines; split it, {FUNCTION_LINES_MAX} are enough")
    if path.endswith("_test.py"):
        for match in re.finditer(r"\btime\.sleep\(|\bunittest\.skip|\bpytest\.mark\.skip", text):
            yield (project.line_of(text, match.start()),
                   "a sleeping or skipped test; wait for the event itself, or remove the test")


def check_markdown(path, text):
    titles = []
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and line.startswith("# "):
            titles.append(number)
    if len(titles) != 1:
        yield (titles[1] if titles else 1,
               f"{len(titles)} titles; a document has exactly one line that begins with '# '")


def check_file(path, text):
    if path.startswith(READ_BY_AGENTS):
        yield from check_words(text)
    if path.endswith(".md"):
        if not CONTENT.search(path):
            yield from check_markdown(path, text)
            yield from check_text(path, text)
            if not path.startswith(READ_BY_AGENTS):
                yield from check_writing(path, text)
        return
    if not is_code(path, text):
        return
    yield from check_lines(path, text)
    yield from check_text(path, text)
    yield from check_writing(path, text)
    if path.endswith(CPP):
        yield from check_cpp(path, text)
    if path.endswith(".h"):
        yield from check_header(path, text)
    if path.endswith(".py") or "python" in text.split("\n", 1)[0]:
        yield from check_python(path, text)


def check(root):
    problems = []
    for path in project.files(root):
        text = project.read(root, path)
        if text is not None:
            problems += [f"{path}:{line}: {what}" for line, what in check_file(path, text)]
    return problems


if __name__ == "__main__":
    project.main("tidy", check)
