"""The check of the program's symbols sees a double that was linked, and only that."""

import subprocess
import unittest

import doubles
from scratch import ScratchTest

HEADER = """#pragma once
// A double.
namespace baton::adapters {
class FaultyStore {
 public:
  void fail();
};
int usual_failure(int call);
}  // namespace baton::adapters
"""
PRODUCT = """
namespace baton::adapters {
class Store {
 public:
  void fail();
};
void Store::fail() {}
int usual(int call) { return call; }
}  // namespace baton::adapters
"""
MAIN = "int main() {}\n"


class Doubles(ScratchTest):
    def program(self, code, *flags):
        source = self.plant("build/planted.cc", code)
        built = self.root / "build/planted"
        subprocess.run(["g++-12", "-std=c++23", "-w", *flags, str(source), "-o", str(built)],
                       check=True)
        return built

    def test_a_program_without_doubles_passes(self):
        self.plant("src/adapters/store/faulty/faulty_store.h", HEADER)
        self.assertEqual(doubles.check(self.root, self.program(PRODUCT + MAIN)), [])

    def test_a_member_of_a_double_is_told(self):
        for path in ("src/adapters/store/faulty/a.h", "src/adapters/store/sqlite/testing/a.h",
                     "src/adapters/testing/a.h"):
            header = self.plant(path, HEADER)
            code = PRODUCT + HEADER + "void baton::adapters::FaultyStore::fail() {}\n" + MAIN
            self.assert_one(doubles.check(self.root, self.program(code)),
                            f"{path}:1: baton::adapters::FaultyStore is in the program")
            header.unlink()

    def test_a_function_for_tests_is_told(self):
        self.plant("src/adapters/store/testing/a.h", HEADER)
        code = PRODUCT + "int baton::adapters::usual_failure(int call) { return call; }\n" + MAIN
        code = code.replace("int usual(", "int usual_failure(int call);\nint usual(")
        self.assert_one(doubles.check(self.root, self.program(code)), "adapters::usual_failure")

    def test_a_stripped_program_and_a_project_without_doubles_are_refused(self):
        self.assert_one(doubles.check(self.root, self.program(PRODUCT + MAIN)), "wrong folders")
        self.plant("src/adapters/store/faulty/faulty_store.h", HEADER)
        self.assert_one(doubles.check(self.root, self.program(PRODUCT + MAIN, "-s")), "stripped")


if __name__ == "__main__":
    unittest.main()
