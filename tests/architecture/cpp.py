"""Just enough C++ reading for the checks: what is code, and where functions begin and end."""

import re

SKIPPED = re.compile(
    r"""
      (?P<number>\b\d(?:'?[\w.])*)                          # 1'000 holds no character literal
    | (?P<raw>\b(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)")
    | (?P<string>"(?:\\.|[^"\\\n])*")
    | (?P<character>'(?:\\.|[^'\\\n])+')
    | (?P<line>//(?:\\\n|[^\n])*)
    | (?P<block>/\*.*?\*/)
    """,
    re.VERBOSE | re.DOTALL)

DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)


def spaces(text):
    return re.sub(r"[^\n]", " ", text)


def code_of(text):
    """`text` with comments and the insides of literals as spaces; every offset stays the same."""
    def blank(match):
        found = match.group(0)
        if match.lastgroup == "number":
            return found
        if match.group("line") or match.group("block"):
            return spaces(found)
        return found[0] + spaces(found[1:-1]) + found[-1]
    return SKIPPED.sub(blank, text)


# What base/core/thread_safety.h says of locks to the compiler: no part of a declaration's shape.
ANNOTATION = re.compile(r"(?<!define )\b(?:(?:GUARDED_BY|REQUIRES|ACQUIRE|TRY_ACQUIRE|RELEASE"
                        r"|ASSERT_HELD|CAPABILITY)\([^()]*\)|SCOPED_CAPABILITY|UNCHECKED_LOCKS)")


TEMPLATE_HEAD = re.compile(r"\btemplate\s*<[^{};]*?>(?=\s*(?:class|struct|union|requires)\b)")
TYPE_HEAD = re.compile(r"\b(?:class|struct|union)\b")
TAIL = (r"\)\s*(?:(?:const|noexcept(?:\s*\([^()]*\))?|override|final|mutable|try|&&?|"
        r"->[^;{}=]*|requires\b[^;{}]*)\s*)*")
FUNCTION_HEAD = re.compile(TAIL + r"$", re.DOTALL)
CONSTRUCTOR_HEAD = re.compile(TAIL + r"(?<!:):(?!:)", re.DOTALL)


def kind_of(head):
    """What an opening brace at namespace or class level opens: scope, function or value."""
    if re.search(r"\bnamespace\b", head) or re.search(r'\bextern\s*"\s*"$', head):
        return "scope"
    bare = TEMPLATE_HEAD.sub("", head)
    if TYPE_HEAD.search(bare) and not FUNCTION_HEAD.search(bare):
        return "scope" if "=" not in bare else "value"
    if CONSTRUCTOR_HEAD.search(head):
        # Members are initialised with braces too: `Run() : id_{1} {`.
        return "function" if head[-1] in ")}" else "value"
    return "function" if FUNCTION_HEAD.search(head) else "value"


NAME = re.compile(r"(\boperator\s*(?:\(\s*\)|[^\s\w(]+)|~?\b(?!requires\b|noexcept\b|alignas\b)\w+)"
                  r"\s*\(")
TEST_HEAD = re.compile(r"\b\w*(?:TEST|PROP)\w*\s*\(([^()]*)\)")


def name_in(head):
    test = TEST_HEAD.match(head.lstrip())
    if test:
        return ".".join(part.strip() for part in test.group(1).split(",")[:2])
    found = NAME.search(head)
    return found.group(1) if found else head.strip()[:40]


def functions(text):
    """(name, first line, number of lines) of each function, lambdas counted with their owner."""
    code = DIRECTIVE.sub(lambda match: spaces(match.group(0)), code_of(text))
    found = []
    scopes = []          # (kind, where its statement starts, parentheses open there)
    start = 0            # of the statement being read
    parens = 0
    for match in re.finditer(r"[{}();]|\b(?:public|private|protected)\s*:(?!:)", code):
        token = match.group(0)
        inside = any(scope[0] == "function" for scope in scopes)
        if token == "(":
            parens += 1
        elif token == ")":
            parens = max(0, parens - 1)
        elif token == "{":
            head = code[start:match.start()].strip()
            kind = "inner" if inside or parens else kind_of(head) if head else "value"
            scopes.append((kind, start, parens))
            if kind in ("scope", "function", "inner"):
                start, parens = match.end(), 0
        elif token == "}":
            if not scopes:
                continue
            kind, opened, parens = scopes.pop()
            if kind == "function":
                whole = code[opened:match.end()]
                first = opened + len(whole) - len(whole.lstrip())
                line = code.count("\n", 0, first) + 1
                lines = code.count("\n", first, match.end()) + 1
                found.append((name_in(whole), line, lines))
            if kind == "value" or (kind == "inner" and parens):
                start = opened
            else:
                start = match.end()
        elif parens == 0 and not (scopes and scopes[-1][0] == "value"):
            start = match.end()
    return found


def late_tries(code):
    """Offsets of each TRY behind another element of a braced list. `code` as code_of() gives it."""
    found = []
    open_brackets = []  # (bracket, whether it holds a statement, elements so far, its late tries)
    for match in re.finditer(r"[({\[\]});,]|\bTRY\(", code):
        what = match.group(0)
        if what == "TRY(":
            braces = [each for each in open_brackets if each[0] == "{"]
            if braces and braces[-1][2]:
                braces[-1][3].append(match.start())
            open_brackets.append(["(", False, 0, []])
        elif what in "({[":
            open_brackets.append([what, False, 0, []])
        elif not open_brackets:
            continue
        elif what == ";":
            open_brackets[-1][1] = True
        elif what == ",":
            open_brackets[-1][2] += 1
        else:
            bracket, is_block, _, tries = open_brackets.pop()
            if bracket == "{" and not is_block:
                found += tries
    return sorted(found)
