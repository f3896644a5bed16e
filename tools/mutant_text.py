"""The text of a mutant: what it breaks, which test sees it, and which lines it replaces.

A mutant is a file tests/mutants/Gn-what-it-does.mutant. Lines of comment, then blocks:

    # Breaks: G3 A replayed token decides anew.
    # Caught by: run replay.*           ctest's name of the test, then a gtest filter if wanted
    # Builds: run_test baton            only if the test needs more than its own executable

    in src/run/replay.cc
      if (seen) {
    -   return recorded;
    +   return decide();

A line of a block begins with two columns: `- ` is a line of the file that goes, `+ ` one that
comes, two spaces mark a line that stays and only says where. An empty line stays too, except at
the ends of a block. The lines that go and stay must follow one another in the file exactly once,
so a block finds its place wherever the lines move within the file.
"""

import re

import project

ENDING = ".mutant"
FOLDER = "tests/mutants"
NAME = re.compile(r"^(G[1-9][0-9]*)-[a-z0-9-]+\.mutant$")
FIELD = re.compile(r"^# ([A-Z][a-z]+(?: by)?): (.+)$", re.MULTILINE)


class Problem(Exception):
    """A mutant or its test cannot be judged."""


class Block:
    """One place of one file: the lines that are there and the lines that come instead."""

    def __init__(self, path, lines):
        self.path = path
        while lines and not lines[0]:
            lines = lines[1:]
        while lines and not lines[-1]:
            lines = lines[:-1]
        self.before, self.after = [], []
        for line in lines:
            mark, text = line[:2], line[2:]
            if mark not in ("- ", "-", "+ ", "+", "  ", ""):
                raise Problem(f"'{line}' begins with none of '- ', '+ ' and two spaces")
            if not mark.startswith("+"):
                self.before.append(text)
            if not mark.startswith("-"):
                self.after.append(text)
        if not any(self.before):
            raise Problem(f"the block in {path} names no line that is there; add one for its place")
        if self.before == self.after:
            raise Problem(f"the block in {path} changes nothing")

    def places(self, lines):
        """Where the block's lines begin in the lines of a file."""
        count = len(self.before)
        return [at for at, line in enumerate(lines)
                if line == self.before[0] and lines[at:at + count] == self.before]


class Mutant:
    """A mutant's head and blocks."""

    def __init__(self, path):
        self.path = path
        self.name = path.name
        named = NAME.match(path.name)
        if not named:
            raise Problem(f"{path.name}: name it Gn-what-it-does{ENDING}")
        self.promise = named.group(1)
        try:
            self.read(path.read_text())
        except Problem as problem:
            raise Problem(f"{self.name}: {problem}") from None

    def read(self, text):
        head, *parts = re.split(r"^in (\S+)$\n?", text, flags=re.MULTILINE)
        fields = dict(FIELD.findall(head))
        promise, _, self.sentence = fields.get("Breaks", "").partition(" ")
        if promise != self.promise or not self.sentence:
            raise Problem(f"begin with '# Breaks: {self.promise} <sentence>'")
        self.test, _, self.filter = fields.get("Caught by", "").strip().partition(" ")
        if not self.test:
            raise Problem("say '# Caught by: <ctest name> [gtest filter]'")
        self.builds = fields.get("Builds", "").split()
        self.blocks = [Block(path, lines.split("\n"))
                       for path, lines in zip(parts[::2], parts[1::2])]
        if not self.blocks:
            raise Problem("has no block; write 'in src/path/file.cc', then the lines")

    def judged_by(self):
        return f"{self.test} {self.filter}".strip()

    def paths(self):
        return list(dict.fromkeys(block.path for block in self.blocks))

    def mutated(self, root):
        """{path: text} of the files it changes. Nothing is written."""
        return {path: self.mutate(root, path) for path in self.paths()}

    def mutate(self, root, path):
        text = read(root, path)
        lines = [] if text is None else text.split("\n")
        found = []
        for block in self.blocks:
            if block.path == path:
                places = block.places(lines)
                if len(places) != 1:
                    raise Problem(misplaced(root, block, text is None, len(places)))
                found.append((places[0], block))
        end = len(lines)
        for at, block in sorted(found, key=lambda place: place[0], reverse=True):
            if at + len(block.before) > end:
                raise Problem(f"two blocks in {path} overlap; make one of them")
            lines[at:at + len(block.before)] = block.after
            end = at
        return "\n".join(lines)


def read(root, path):
    """The text of a file of the project, or None when there is none."""
    return project.read(root, path) if (root / path).is_file() else None


def holders(root, block):
    """The files of the same kind that hold the block's lines."""
    ending = block.path.rsplit(".", 1)[-1]
    needle = "\n" + "\n".join(block.before) + "\n"
    return [path for path in project.files(root)
            if path.endswith("." + ending) and not path.startswith(FOLDER)
            and needle in f"\n{read(root, path) or ''}\n"]


def misplaced(root, block, is_gone, count):
    """What is wrong with a block whose lines are not in its file once, and what to do."""
    if count:
        return (f"does not apply: its lines are in {block.path} {count} times; "
                "add lines around them until they are there once")
    what = f"{block.path} is gone" if is_gone else f"its lines are not in {block.path}"
    found = holders(root, block)
    if not found:
        return f"does not apply: {what}, and no other file has them; make it anew"
    return (f"does not apply: {what}; the lines are in {' and in '.join(found)} now; "
            "say so in the mutant, or let `tools/mutants --follow` do it")


def follow(root, mutant):
    """Writes into the mutant which file holds each block's lines now. What moved: [(old, new)]."""
    parts = re.split(r"^(in \S+)$", mutant.path.read_text(), flags=re.MULTILINE)
    moved = []
    for index, block in enumerate(mutant.blocks):
        text = read(root, block.path)
        found = []
        if text is None or not block.places(text.split("\n")):
            found = holders(root, block)
        if len(found) == 1:
            parts[2 * index + 1] = f"in {found[0]}"
            moved.append((block.path, found[0]))
    if moved:
        mutant.path.write_text("".join(parts))
    return moved


def load(root):
    """(mutants by name, problems of those that cannot be read)."""
    mutants, problems = [], []
    for path in sorted((root / FOLDER).glob("*" + ENDING)):
        try:
            mutants.append(Mutant(path))
        except Problem as problem:
            problems.append(str(problem))
    return mutants, problems
