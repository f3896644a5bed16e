"""The check of declarations sees what nothing uses, and a list that says too much."""

import unittest

import unreferenced
from scratch import ScratchTest

HEADER = """#pragma once
// A planted room.
namespace baton::run {
#define HALF(x) ((x) / half)
inline constexpr int half = 2;
enum class Color : int { red, green };
struct Box {
  explicit Box(int n) : n_{n} {}
  int open() const;
  virtual void close() {}
  int n_ = 0;
};
template <class T>
T twice(T value) {
  return value + value;
}
int walk(const Box& box);
}  // namespace baton::run
"""
SOURCE = """#include "run/box.h"
namespace baton::run {
int Box::open() const { return n_; }
int walk(const Box& box) { return box.open() + static_cast<int>(Color::red); }
}  // namespace baton::run
"""
MAIN = """#include "run/box.h"
int main() {
  baton::run::Box box(HALF(4));
  box.close();
  return walk(box) + twice(static_cast<int>(baton::run::Color::green));
}
"""


class Unreferenced(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant("src/run/box.h", HEADER)
        self.plant("src/run/box.cc", SOURCE)
        self.plant("src/cli/main.cc", MAIN)

    def check(self):
        return unreferenced.check(self.root)

    def declare(self, text):
        self.plant("src/run/box.h", HEADER.replace("int walk", f"{text}\nint walk"))

    def test_what_main_reaches_passes(self):
        self.assertEqual(self.check(), [])

    def test_each_kind_of_unused_declaration_is_found(self):
        for text, name in (("int stray(int n);", "stray"),
                           ("inline int stray(int n) { return n ? stray(n - 1) : 0; }", "stray"),
                           ("template <class T> void stray(T) {}", "stray"),
                           ("struct Stray { Stray(); ~Stray(); Stray& self(); };", "Stray"),
                           ("struct Stray;", None),
                           ("enum class Stray { one, two };", "Stray"),
                           ("using Stray = std::vector<Box>;", "Stray"),
                           ("inline constexpr std::array<int, 2> stray{1, 2};", "stray"),
                           ("extern const char* const stray;", "stray"),
                           ("#define STRAY(x) x", "STRAY")):
            self.declare(text)
            if name is None:
                self.assertEqual(self.check(), [])
            else:
                self.assert_one(self.check(), "src/run/box.h:17:", f"uses {name};")

    def test_unused_members_and_enumerators_are_found(self):
        for old, new, name in (("red, green", "red, blue, green", "blue"),
                               ("int n_ = 0;", "int n_ = 0;\n  int stray() const;", "stray"),
                               ("int n_ = 0;", "int n_ = 0;\n  bool stray = false;", "stray")):
            self.plant("src/run/box.h", HEADER.replace(old, new))
            self.assert_one(self.check(), "src/run/box.h:", f"uses {name};")

    def test_what_only_unused_things_use_is_unused(self):
        self.declare("int deep();\ninline int stray() { return deep() + other(); }\n"
                     "inline int other() { return stray(); }")
        self.assertEqual([problem.split(" uses ")[1].split(";")[0] for problem in self.check()],
                         ["deep", "stray", "other"])

    def test_what_only_tests_use_is_unused(self):
        self.declare("int stray();")
        for path in ("src/run/box_test.cc", "src/run/testing/boxes.h", "tests/verbs/a_test.cc",
                     "src/cli/deep/testing/boxes.h"):
            self.plant(path, "int a = baton::run::stray();\n")
        self.assert_one(self.check(), "uses stray;")

    def test_comments_and_texts_use_nothing(self):
        self.declare('int stray();  // stray is used by stray\n'
                     'inline const char* half_text() { return "stray"; }')
        self.plant("src/cli/main.cc", MAIN.replace("box.close()", "box.close(); half_text()"))
        self.assert_one(self.check(), "uses stray;")

    def test_what_others_call_is_used(self):
        self.declare("struct Reader : library::Parser { void on_field() override {} };\n"
                     "inline Reader reader;\n[[gnu::constructor(101)]] void early() { reader; }")
        self.assertEqual(self.check(), [])

    def test_an_error_code_that_nobody_raises_is_found(self):
        self.plant("src/base/core/codes.inc",
                   'CODE(FULL, retry, "full")\nCODE(STRAY, retry, "no")\n')
        self.plant("src/cli/main.cc", MAIN.replace("box.close()", "box.close(), fail(Code::FULL)"))
        self.plant("src/base/core/result.h",
                   "enum class Code {\n#define CODE(name, a, b) name,\n};\n")
        problems = [problem for problem in self.check() if "codes.inc" in problem]
        self.assert_one(problems, "src/base/core/codes.inc:2:", "uses STRAY;")

    def test_the_list_excuses_and_may_only_shrink(self):
        self.declare("struct Stray {\n  int peek();\n};\nenum class Tint { dark };\n"
                     "inline int deep() { return 1; }\ninline int stray() { return deep(); }\n"
                     "inline Tint tint();")
        self.plant("src/run/fake/fake.h", "struct Fake { int n; };\n")
        self.assertEqual(len(self.check()), 6, self.check())
        self.plant(unreferenced.LIST, "# why\n\nStray: to come\nTint::*: by position\n"
                   "stray: to come\ntint: to come\nsrc/run/fake/: a fake\n")
        self.assertEqual(self.check(), [])
        self.plant("src/run/box.h", HEADER)
        (self.root / "src/run/fake/fake.h").unlink()
        problems = self.check()
        self.assertEqual(len(problems), 5, problems)
        self.assertIn("unreferenced.txt:3: 'Stray' is used or gone", problems[0])

    def test_a_line_without_a_reason_is_refused(self):
        self.declare("int stray();")
        self.plant(unreferenced.LIST, "stray\n")
        self.assert_one(self.check(), "'stray' has no reason")


if __name__ == "__main__":
    unittest.main()
