"""The tidy check sees each planted untidiness, and lets tidy files pass."""

import unittest

import bans
import cpp
import tidy
from scratch import ScratchTest

HEADER = "#pragma once\n// A planted header.\n"


def function(lines, head="int f(int n) {"):
    """A function of that many lines in all."""
    return head + "\n" + "  n += 1;\n" * (lines - 2) + "}\n"


class Sizes(ScratchTest):
    def test_a_line_of_101_columns_is_refused(self):
        self.plant("src/run/a.cc", "//" + "x" * 98 + "\n")
        self.assertEqual(tidy.check(self.root), [])
        self.plant("src/run/a.cc", "//" + "x" * 99 + "\n")
        self.assert_one(tidy.check(self.root), "src/run/a.cc:1: 101 columns")

    def test_columns_are_characters_not_bytes(self):
        self.plant("src/run/a.cc", "//" + "\u20ac" * 98 + "\n")
        self.assertEqual(tidy.check(self.root), [])

    def test_prose_and_data_may_have_long_lines(self):
        self.plant("docs/a.md", "# Title\n\n" + "word " * 40 + "end\n")
        self.plant("tests/cases/a.case", "x" * 300 + " \n")
        self.assertEqual(tidy.check(self.root), [])

    def test_a_script_without_an_ending_is_code(self):
        self.plant("tools/run", "#!/bin/sh\n" + "#" * 101 + "\n")
        self.assert_one(tidy.check(self.root), "tools/run:2: 101 columns")

    def test_a_function_of_71_lines_is_refused(self):
        self.plant("src/run/a.cc", function(70))
        self.assertEqual(tidy.check(self.root), [])
        self.plant("src/run/a.cc", function(71))
        self.assert_one(tidy.check(self.root), "src/run/a.cc:1: f has 71 lines")

    def test_a_python_function_of_71_lines_is_refused(self):
        self.plant("tools/a.py", "def f():\n" + "    n = 1\n" * 70)
        self.assert_one(tidy.check(self.root), "tools/a.py:1: f has 71 lines")

    def test_a_file_of_801_lines_is_refused(self):
        self.plant("src/run/a.cc", "//\n" * 800)
        self.assertEqual(tidy.check(self.root), [])
        self.plant("src/run/a.cc", "//\n" * 801)
        self.assert_one(tidy.check(self.root), "801 lines", "split the file")

    def test_a_header_of_251_lines_is_refused(self):
        self.plant("src/run/a.h", HEADER + "//\n" * 248)
        self.assertEqual(tidy.check(self.root), [])
        self.plant("src/run/a.h", HEADER + "//\n" * 249)
        self.assert_one(tidy.check(self.root), "251 lines", "split the header")


class Shapes(ScratchTest):
    def test_a_header_begins_with_pragma_once_and_says_what_it_is(self):
        self.plant("src/run/a.h", "// A header.\n#pragma once\n")
        self.assert_one(tidy.check(self.root), "#pragma once")
        self.plant("src/run/a.h", "#pragma once\n\nint f();\n")
        self.assert_one(tidy.check(self.root), "src/run/a.h:2:", "say what it is")

    def test_file_names_are_snake_case(self):
        self.plant("src/run/RunGraph.cc", "int n;\n")
        self.assert_one(tidy.check(self.root), "snake_case")

    def test_a_document_has_one_title(self):
        for text in ("Text.\n", "# One\n\n# Two\n"):
            self.plant("docs/a.md", text)
            self.assert_one(tidy.check(self.root), "titles")
        self.plant("docs/a.md", "# One\n\n```\n# a comment\n```\n")
        self.assertEqual(tidy.check(self.root), [])

    def test_workflows_in_markdown_are_content(self):
        self.plant("examples/workflows/a.md", "---\nname: a\n---\nText.\n")
        self.assertEqual(tidy.check(self.root), [])

    def test_trailing_white_space_tabs_and_a_missing_last_newline_are_refused(self):
        self.plant("src/run/a.cc", "int n; \n")
        self.assert_one(tidy.check(self.root), "white space")
        self.plant("src/run/a.cc", "\tint n;\n")
        self.assert_one(tidy.check(self.root), "a tab")
        self.plant("src/run/a.cc", "int n;")
        self.assert_one(tidy.check(self.root), "no newline")

    def test_leftover_marks_are_refused_in_code_and_documents(self):
        for mark in ("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK"):
            self.plant("src/run/a.cc", f"// {mark}: later\n")
            self.assert_one(tidy.check(self.root), mark)
            (self.root / "src/run/a.cc").unlink()
            self.plant("docs/a.md", f"# Title\n\n{mark}\n")
            self.assert_one(tidy.check(self.root), "docs/a.md:3:", mark)
            (self.root / "docs/a.md").unlink()

    def test_a_port_has_no_default_arguments(self):
        self.plant("src/ports/log.h", HEADER + "struct Log {\n"
                   "  virtual void write(int level = 1) = 0;\n};\n")
        self.assert_one(tidy.check(self.root), "default argument")
        self.plant("src/ports/log.h", HEADER + "struct Log {\n"
                   "  virtual void write(int level) = 0;\n  virtual ~Log() = default;\n};\n")
        self.assertEqual(tidy.check(self.root), [])

    def test_a_try_behind_another_element_is_refused(self):
        self.plant("src/run/a.cc", "auto f() {\n  Pair p{TRY(a()), 1};\n  g({b(), c}, TRY(d()));\n"
                                   "  return h([&] { TRY(e()); return i(); }, j);\n}\n")
        self.assertEqual(tidy.check(self.root), [])
        self.plant("src/run/a.cc", "auto f() {\n  return Pair{.a = name(),\n"
                                   "              .b = TRY(value())};\n}\n")
        self.assert_one(tidy.check(self.root), "src/run/a.cc:3: TRY behind another element")

    def test_a_sleeping_python_test_is_refused(self):
        self.plant("tests/e2e/a_test.py", "import time\ntime." + "sleep(1)\n")
        self.assert_one(tidy.check(self.root), "tests/e2e/a_test.py:2:")


class Words(ScratchTest):
    FORBIDDEN = ("Mend it.", "It was mended.", "Ask whoever knows.", "For somebody.",
                 "Anybody may.", "Hand in the notes.", "It is handed in.", "Hand over the work.",
                 "This is none.", "It stands in the way.")

    def test_texts_for_agents_have_no_word_that_the_glossary_excludes(self):
        for path in ("content/workflows/a.yaml", "content/agents/a.md", "docs/errors/A.md",
                     "docs/blockers/A.md"):
            for sentence in self.FORBIDDEN:
                self.plant(path, f"# Title\n\nprompt: {sentence}\n")
                self.assert_one(tidy.check(self.root), f"{path}:3: '", "plain English")
            (self.root / path).unlink()

    def test_a_word_that_a_line_break_parts_is_found(self):
        self.plant("docs/errors/A.md", "# Title\n\nThe notes are handed\nin later.\n")
        self.assert_one(tidy.check(self.root), "docs/errors/A.md:3: 'handed in'", "send")

    def test_string_literals_of_the_program_have_none_either(self):
        for sentence in self.FORBIDDEN:
            self.plant("src/run/a.cc", f'int n;\nauto a = "{sentence}";\n')
            self.assert_one(tidy.check(self.root), "src/run/a.cc:2: '")
        self.plant("src/run/a.cc", 'auto a = R"(one\ntwo, mend it)";\n')
        self.assert_one(tidy.check(self.root), "src/run/a.cc:2: 'mend'")

    def test_comments_and_documents_name_their_subject(self):
        for word in ("nobody", "Whoever", "somebody", "mends", "It is none.", "was given up"):
            for path, before in (("src/run/a.cc", "int n;\n// "),
                                 ("tests/lossy/a.h", HEADER + "/* "),
                                 ("tools/a.py", "n = 1  # "), ("tools/b.py", '"""A.\n\n'),
                                 ("cmake/a.cmake", "set(n 1)\n# "), ("tools/run", "#!/bin/sh\n# "),
                                 ("docs/a.md", "# Title\n\n"), ("README.md", "# Title\n\n")):
                after = {"/* ": " */\n", '"""A.\n\n': '\n"""\n'}
                end = next((e for b, e in after.items() if before.endswith(b)), "\n")
                self.plant(path, before + word + end)
                line = before.count("\n") + 1
                self.assert_one(tidy.check(self.root), f"{path}:{line}: '", "plain English")
                (self.root / path).unlink()

    def test_literals_old_decisions_and_the_glossary_may_have_them(self):
        self.plant("tests/verbs/a_test.cc", 'auto a = "nobody";\n')
        self.plant("tools/a.py", 'n = "# nobody" if m is None else ""\n')
        self.plant("docs/decisions/0001-a.md", "# A\n\nnobody\n")
        self.plant("docs/glossary.md", "# Words\n\nnobody\n")
        self.assertEqual(tidy.check(self.root), [])

    def test_tests_and_ordinary_uses_may_have_them(self):
        self.plant("src/run/a.cc", 'auto a = "recommended amendment";\n')
        self.plant("src/run/a_test.cc", 'auto a = "mend it";\n')
        self.plant("docs/glossary.md", "# Words\n\nmend\n")
        self.plant("docs/errors/A.md", "# A\n\nStarted by\nhand in a terminal. Absent when there "
                   "is none. The step `hand-over`.\n")
        self.assertEqual(tidy.check(self.root), [])


class Bans(ScratchTest):
    def test_every_ban_refuses_its_example_and_names_the_fix(self):
        for ban in bans.BANS:
            self.plant(ban.planted_in, ban.example + "\n")
            problems = tidy.check(self.root)
            self.assertTrue(any(f"{ban.planted_in}:1: {ban.name}; {ban.instead}" == problem
                                for problem in problems), f"{ban.name}: {problems}")
            (self.root / ban.planted_in).unlink()

    def test_comments_and_literals_are_not_code(self):
        self.plant("src/run/a.cc", '// system("ls") is new here\n/* delete x */\n'
                   'const char* s = "std::regex \\" rand() ";\n'
                   'const char* r = R"(using namespace std; "new Run)";\n'
                   "const int n = 1'000'000; const char c = '\"'; // printf(\n")
        self.assertEqual(tidy.check(self.root), [])

    def test_lookalikes_are_allowed(self):
        self.plant("src/run/a.cc", "struct A {\n  A(const A&) = delete;\n"
                   "  int time(int zone);\n  void operator delete(void*);\n"
                   "  bool system_ready(int);\n};\nstatic_assert(1);\n"
                   "int operand(int random_seed);\nint n = a.system(1);\n")
        self.assertEqual(tidy.check(self.root), [])

    def test_rooms_that_own_an_effect_may_use_it(self):
        self.plant("src/cli/world.cc", 'void f() { write(1, "x", 1); std::getenv("HOME"); }\n')
        self.plant("src/base/core/assert.cc", 'void f() { std::puts("x"); }\n')
        self.plant("src/adapters/clock.cc", "auto t = std::chrono::system_clock::now();\n")
        self.plant("src/adapters/store/sqlite/a.cc", "int n = memcmp(a, b, 3);\n")
        self.assertEqual(tidy.check(self.root), [])


class Functions(unittest.TestCase):
    def lines(self, text):
        return [(name, lines) for name, _, lines in cpp.functions(text)]

    def test_members_constructors_and_tests_are_found(self):
        text = """
namespace baton {
template <class T, class U = std::vector<T>>
struct Box : Base<T> {
  Box() : a_{1}, b_(2) {
    n();
  }
  explicit Box(int n) : a_{n} {}
  bool operator==(const Box& other) const noexcept {
    return true;
  }

 private:
  int a_{0};
  static constexpr int table[] = {
      1, 2,
  };
};
TEST(box, holds_a_value) {
  const auto f = [](int n) {
    return n;
  };
  for (;;) {
  }
}
auto tail(int n) -> std::vector<int>
{
  return {n};
}
}  // namespace baton
"""
        self.assertEqual(self.lines(text), [
            ("Box", 3), ("Box", 1), ("operator==", 3), ("box.holds_a_value", 7), ("tail", 4)])

    def test_macros_and_enums_are_no_functions(self):
        text = "#define F(x) \\\n  do { \\\n  } while (x)\nenum class A { a, b };\nenum B { c };\n"
        self.assertEqual(self.lines(text), [])

    def test_a_signature_counts(self):
        self.assertEqual(self.lines("int f(int a,\n      int b) {\n}\n"), [("f", 3)])


if __name__ == "__main__":
    unittest.main()
