"""Sources share a translation unit only if no name of one means something else in the other."""

import subprocess
import sys
import unittest
from pathlib import Path

import project
from scratch import ScratchTest

PACKER = project.ROOT / "cmake/units.py"


class Units(ScratchTest):
    def pack(self, **sources):
        """The names of the sources that were packed together, in the order of the units."""
        paths = [self.plant(f"src/{name}.cc", text) for name, text in sources.items()]
        out = subprocess.run(
            [sys.executable, "-B", PACKER, self.root, self.root / "units", "room", *paths],
            capture_output=True, text=True, check=True).stdout
        return [self.names_in(file) for file in out.split(";")]

    def names_in(self, file):
        if "/units/" not in file:
            return [file.rsplit("/", 1)[-1].removesuffix(".cc")]
        lines = Path(file).read_text(encoding="utf-8").splitlines()
        return [line.removeprefix('#include "../src/').removesuffix('.cc"') for line in lines]

    def own(self, declaration):
        return f"namespace {{\n\n{declaration}\n\n}}  // namespace\n"

    def test_sources_without_names_of_their_own_share_one(self):
        self.assertEqual(self.pack(one="int a();\n", two="int b();\n"), [["one", "two"]])

    def test_a_source_alone_is_compiled_as_it_is(self):
        self.assertEqual(self.pack(one="int a();\n"), [["one"]])
        self.assertFalse((self.root / "units").exists())

    def test_every_kind_of_name_of_ones_own_keeps_two_sources_apart(self):
        for declaration in ("int total(int of) {\n  return of;\n}", "constexpr int total = 1;",
                            "struct total {", "class total final : Base {", "enum class total {",
                            "using total = int;", "const char* total[] = {", "namespace total {",
                            "std::map<int, std::string> total;",
                            "template <typename T>\nT total(T of) {", "[[noreturn]] void total() {",
                            "Result<std::vector<std::string>>\ntotal(int of) {"):
            with self.subTest(declaration):
                self.assertEqual(self.pack(one=self.own(declaration), two=self.own(declaration)),
                                 [["one"], ["two"]])

    def test_a_name_that_the_other_source_uses_keeps_them_apart(self):
        one = self.own("int total(int of);")
        self.assertEqual(self.pack(one=one, two="int f() { int total = 1; return total; }\n"),
                         [["one"], ["two"]])
        self.assertEqual(self.pack(two="int f(int total);\n", one=one), [["two"], ["one"]])

    def test_a_macro_keeps_them_apart(self):
        self.assertEqual(self.pack(one="#define TOTAL 1\n", two="int x = TOTAL;\n"),
                         [["one"], ["two"]])

    def test_members_comments_and_literals_are_no_use_of_a_name(self):
        two = ("int f(A a, A* b) { return a.total + b->total + c::total; }  // total\n"
               'T t = "total";\n')
        self.assertEqual(self.pack(one=self.own("int total(int of);"), two=two), [["one", "two"]])

    def test_what_may_be_said_twice_keeps_nothing_apart(self):
        both = self.own("using json::Value;\nnamespace fs = std::filesystem;")
        self.assertEqual(self.pack(one=both, two=both), [["one", "two"]])

    def test_a_test_of_the_same_name_keeps_them_apart(self):
        test = "namespace {\nTEST(box, opens) {\n}\n}  // namespace\n"
        self.assertEqual(self.pack(one=test, two=test), [["one"], ["two"]])

    def test_a_unit_has_an_end(self):
        large = "// " + "x" * 60_000 + "\n"
        self.assertEqual(self.pack(one=large, two=large, three="int c();\n"),
                         [["one", "three"], ["two"]])

    def test_sources_that_shared_a_unit_stay_together(self):
        small = {name: f"int {name}();\n" for name in ("b", "c", "d")}
        self.assertEqual(self.pack(**small), [["b", "c", "d"]])
        self.assertEqual(self.pack(a="int a();\n", **small), [["b", "c", "d", "a"]])

    def test_a_unit_that_is_not_used_any_more_is_removed(self):
        self.pack(one="int a();\n", two="int b();\n")
        self.pack(two="int b();\n")
        self.assertEqual(list((self.root / "units/room").iterdir()), [])

    def test_a_change_that_parts_two_sources_is_seen(self):
        self.plant("cmake/units.py", PACKER.read_text(encoding="utf-8"))
        self.pack(one=self.own("int total(int of);"), two="int b();\n")
        fit = [sys.executable, "-B", self.root / "cmake/units.py", "--fit", self.root / "units"]
        self.assertEqual(subprocess.run(fit, check=False).returncode, 0)
        self.plant("src/two.cc", "int b(int total);\n")
        self.assertEqual(subprocess.run(fit, check=False).returncode, 1)


if __name__ == "__main__":
    unittest.main()
