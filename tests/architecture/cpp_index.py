"""Which names C++ sources declare, and which declarations use which names.

An index by name and not a compiler: two things of one name are one. It reads what stands at the
level of namespaces and classes; the inside of a function is a use of every name in it.
"""

import re
from dataclasses import dataclass, field

import cpp

TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|[^\s\w]|\d[\w.']*")
WORD = re.compile(r"[A-Za-z_]\w*")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)]*\))?((?:\\\n|[^\n])*)", re.MULTILINE)
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
# Words before a parenthesis that name no function.
NOT_NAMES = {"requires", "noexcept", "decltype", "alignas", "explicit", "__attribute__",
             "static_assert", "sizeof", "const", "void", "int", "bool", "char"}
TYPES = {"class", "struct", "union", "enum"}


@dataclass
class Name:
    """Where a name is declared, and by whom it is used."""

    places: list = field(default_factory=list)  # (path, offset, the declarations around it)
    users: set = field(default_factory=set)     # each a tuple of the declarations around the use
    is_virtual: bool = False
    overrides: bool = False


class Index:
    """The names of some files."""

    def __init__(self):
        self.names = {}

    def add(self, path, text):
        code = cpp.code_of(text)
        for define in DEFINE.finditer(code):
            self.declare(define.group(1), path, define.start(1), ())
            self.use(WORD.findall(define.group(2)), (define.group(1),))
        for annotation in cpp.ANNOTATION.finditer(code):
            self.use(WORD.findall(annotation.group(0)), ())
        code = cpp.ANNOTATION.sub(lambda match: cpp.spaces(match.group(0)), code)
        code = cpp.DIRECTIVE.sub(lambda match: cpp.spaces(match.group(0)), code)
        Reader(self, path, [(match.group(0), match.start()) for match in TOKEN.finditer(code)])

    def declare(self, name, path, offset, around):
        self.names.setdefault(name, Name()).places.append((path, offset, around))

    def use(self, words, around):
        for word in words:
            self.names.setdefault(word, Name()).users.add(around)

    def unused(self, roots):
        """The declared names that nothing reaches from `roots` and from outside of declarations."""
        live = {name for name, each in self.names.items()
                if name in roots or (each.overrides and not each.is_virtual)}
        waiting = {name: each.users for name, each in self.names.items() if name not in live}
        while True:
            reached = {name for name, users in waiting.items()
                       if any(live.issuperset(around) for around in users)}
            if not reached:
                break
            live |= reached
            waiting = {name: users for name, users in waiting.items() if name not in reached}
        return {name: self.names[name].places for name in waiting if self.names[name].places}


class Reader:
    """Reads one file into an index."""

    def __init__(self, index, path, tokens):
        self.index, self.path, self.tokens = index, path, tokens
        self.match = {}
        opened = []
        for at, (token, _) in enumerate(tokens):
            if token in OPENING:
                opened.append(at)
            elif token in CLOSING and opened:
                self.match[opened.pop()] = at
        self.scope(0, len(tokens), ())

    def word(self, at):
        return self.tokens[at][0] if 0 <= at < len(self.tokens) else ""

    def scope(self, at, end, around):
        """The statements between two tokens, inside the declarations `around`."""
        while at < end:
            if self.word(at) in ("public", "private", "protected") and self.word(at + 1) == ":":
                at += 2
            elif self.word(at) in (";", "}"):
                at += 1
            else:
                at = self.statement(at, end, around)

    def statement(self, begin, end, around):
        """Reads one statement and returns where the next one begins."""
        begin = self.skip_template(begin, end, around)
        at, colon = begin, False
        while at < end:
            token = self.word(at)
            if token == ";":
                return self.declaration(begin, at, at, around)
            if token == "{":
                after = self.braces(begin, at, end, around, colon)
                if after is not None:
                    return after
            colon = colon or (token == ":" and self.word(at - 1) == ")")
            at = self.match.get(at, at) + 1
        return self.declaration(begin, end, end, around)

    def braces(self, begin, at, end, around, colon):
        """What an opening brace begins; the end of the statement, or None when it goes on."""
        head = [self.word(each) for each in range(begin, at)]
        close = self.match.get(at, end)
        if not head or "namespace" in head[:2] or head[0] == "extern" and '"' in head:
            self.scope(at + 1, close, around)
            return close + 1
        if head[0] in TYPES and "(" not in head and "=" not in head:
            return self.type(begin, at, close, around)
        if colon and self.word(at - 1) not in (")", "}"):
            return None  # a member made with braces: `Run() : id_{1} {`
        if self.function_name(begin, at) is not None or "operator" in head:
            self.declaration(begin, at, close, around)
            return close + 1
        return None  # a value made with braces

    def skip_template(self, at, end, around):
        while at < end and self.word(at) == "template" and self.word(at + 1) == "<":
            depth, begin = 0, at
            while at < end:
                at += 1
                depth += {"<": 1, ">": -1}.get(self.word(at), 0)
                if depth == 0:
                    break
            at += 1
            self.used(begin, at, around)
        return at

    def type(self, begin, at, close, around):
        """A class or an enum: its name, then what is in it."""
        inside = {each for open_at in range(begin, at) if self.word(open_at) == "["
                  for each in range(open_at, self.match.get(open_at, open_at))}
        names = [each for each in range(begin, at) if WORD.fullmatch(self.word(each))
                 and self.word(each) not in TYPES | {"final", "alignas"}
                 and self.word(each + 1) != "::" and each not in inside]
        own = self.declared(names[:1], around)
        if self.word(close + 1) != ";":  # it has a variable: `struct {...} previous;`
            self.used(begin, at, around)
        if names and ":" in [self.word(each) for each in range(names[0], at)]:
            self.used(names[0] + 1, at, own)
        if self.word(begin) == "enum":
            self.enumerators(at + 1, close, own)
        else:
            self.scope(at + 1, close, own)
        return close + 1

    def enumerators(self, at, end, around):
        while at < end:
            name = at
            while at < end and self.word(at) != ",":
                at = self.match.get(at, at) + 1
            own = self.declared([name], around)
            self.used(name + 1, at, own)
            at += 1

    def function_name(self, begin, end):
        """Where a function's name is in a head, or None."""
        at, depth = begin, 0
        while at < end:
            token = self.word(at)
            if token == "operator" or (token == "=" and depth == 0):
                return None
            depth += {"<": 1, ">": -1}.get(token, 0)
            if token == "(" and depth == 0:
                before = self.word(at - 1)
                if at > begin and WORD.fullmatch(before) and before not in NOT_NAMES:
                    return at - 1
            at = self.match.get(at, at) + 1
        return None

    def variable_name(self, begin, end):
        """Where a variable's or an alias's name is in a head, or None."""
        at, depth, name = begin, 0, None
        while at < end and (self.word(at) not in ("=", "{", "[", ":") or depth):
            depth += {"<": 1, ">": -1}.get(self.word(at), 0)
            if WORD.fullmatch(self.word(at)) and depth == 0:
                name = at
            at = self.match.get(at, at) + 1
        return name

    def declaration(self, begin, end, close, around):
        """Anything but a type with its body: declares its names, uses all else."""
        first = self.word(begin)
        if first == "friend" or (first in TYPES and end - begin <= 3):
            return close + 1  # says nothing new of a type, and uses nothing
        if first in ("static_assert", "asm") or (
                first == "using" and self.word(begin + 2) != "="):
            self.used(begin, close, around)
            return close + 1
        name = self.function_name(begin, end)
        if name is None and "operator" not in [self.word(each) for each in range(begin, end)]:
            name = self.variable_name(begin, end)
        names = [] if name is None else [name]
        while names and self.word(names[0] - 1) == "::" and WORD.fullmatch(self.word(names[0] - 2)):
            names.insert(0, names[0] - 2)
        if name is not None and name == begin and first == self.owner(around):
            names = []  # a constructor
        own = self.declared(names, around)
        self.used(begin, close, own, set(names))
        self.mark(begin, end, name)
        return close + 1

    def mark(self, begin, end, name):
        """What the words around a function's name say of it."""
        words = {self.word(at) for at in range(begin, end)}
        if name is not None and self.word(name) in self.index.names:
            found = self.index.names[self.word(name)]
            found.is_virtual |= "virtual" in words
            found.overrides |= "override" in words
            if "constructor" in words:  # an attribute: it runs before main
                found.users.add(())

    def owner(self, around):
        return around[-1] if around else None

    def declared(self, places, around):
        """Declares the names at some tokens; the declarations around what they hold."""
        for at in places:
            if self.word(at) not in around:
                self.index.declare(self.word(at), self.path, self.tokens[at][1], around)
                around = (*around, self.word(at))
        return around

    def used(self, begin, end, around, but=()):
        self.index.use({self.word(at) for at in range(begin, end)
                        if at not in but and WORD.fullmatch(self.word(at))}, around)
