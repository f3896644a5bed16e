#!/usr/bin/env python3
"""Splits the one C file that wasm2c writes into several, so that they compile side by side.

    split_module.py MODULE.c FOLDER PARTS

writes FOLDER/module.inc (helpers and declarations) and FOLDER/module_0.c to module_<PARTS - 1>.c.
The translated functions become visible to one another and not outside of the program.
"""

import re
import sys
from pathlib import Path

FIRST_STATE = "static bool s_module_initialized"
DECLARED = re.compile(r"^static ((?:u32|u64|f32|f64|void) w2c_\w+\([^{;]*\);)$", re.MULTILINE)
DEFINED = re.compile(r"^static ((?:u32|u64|f32|f64|void) w2c_\w+\([^;{]*\) \{)$", re.MULTILINE)
TYPES = re.compile(r"^static (u32 func_types\[\d+\];)$", re.MULTILINE)


def split(text, parts):
    """The shared text, then one text for each part."""
    state = text.index(FIRST_STATE)
    functions = list(DEFINED.finditer(text))
    types = TYPES.search(text)
    declarations = DECLARED.findall(text)
    assert types and declarations and len(declarations) == len(functions), "not written by wasm2c"
    first, last = functions[0].start(), text.index("\n}\n", functions[-1].start()) + 3
    shared = (text[:state] + "#pragma GCC visibility push(hidden)\n" +
              f"extern {types.group(1)}\n" + "\n".join(declarations) +
              "\n#pragma GCC visibility pop\n")
    # What is not a translated function: data, tables, exports.
    rest = text[state:first] + text[last:]
    rest = DECLARED.sub("", TYPES.sub(r"\1", rest))
    bodies = [DEFINED.sub(r"\1", text[begin.start():end])
              for begin, end in zip(functions, [each.start() for each in functions[1:]] + [last])]
    share = sum(map(len, bodies)) / (parts - 1)
    out, done = [[] for _ in range(parts - 1)], 0
    for body in bodies:
        out[min(int(done / share), parts - 2)].append(body)
        done += len(body)
    return shared, [rest] + ["".join(each) for each in out]


def main():
    source, folder, parts = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    shared, texts = split(source.read_text(), parts)
    (folder / "module.inc").write_text(shared)
    for number, text in enumerate(texts):
        (folder / f"module_{number}.c").write_text('#include "module.inc"\n\n' + text)


if __name__ == "__main__":
    main()
