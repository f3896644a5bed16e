"""The check of the locks sees a raw mutex, one that guards nothing, and a use without the lock."""

import unittest
from pathlib import Path

import locks
import project
from scratch import ScratchTest

BOX = """#pragma once
// A box. Any thread.
#include "base/core/thread_safety.h"

class Box {
 public:
  void add() {
    const baton::MutexLock lock(mutex_);
    grow();
  }

 private:
  void grow() REQUIRES(mutex_) { ++count_; }
  baton::Mutex mutex_;
  int count_ GUARDED_BY(mutex_) = 0;
};
"""


class Shape(ScratchTest):
    def test_a_mutex_that_guards_something_passes(self):
        self.plant("src/run/box.h", BOX)
        self.assertEqual(locks.check(self.root), [])

    def test_a_raw_lock_is_refused(self):
        for raw in ("std::mutex mutex_;", "std::condition_variable changed_;",
                    "std::shared_mutex mutex_;", "const std::lock_guard lock(mutex_);",
                    "std::unique_lock<Mutex> lock;"):
            self.plant("src/run/box.h", f"// std::mutex\nclass Box {{\n  {raw}\n}};\n")
            self.assert_one(locks.check(self.root), "src/run/box.h:3:", "is not checked")

    def test_a_mutex_that_guards_nothing_is_refused(self):
        self.plant("src/run/box.h", BOX.replace(" GUARDED_BY(mutex_)", ""))
        self.assert_one(locks.check(self.root), "src/run/box.h:14: mutex_ guards nothing")

    def test_another_class_of_the_file_does_not_count(self):
        self.plant("src/run/box.h", BOX + "struct Bag {\n  baton::Mutex mutex_;\n};\n")
        self.assert_one(locks.check(self.root), "src/run/box.h:18: mutex_ guards nothing")


class Use(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant("src/base/core/thread_safety.h",
                   (project.ROOT / "src/base/core/thread_safety.h").read_text())
        self.plant("src/run/box.h", BOX)
        self.plant("src/run/box.cc", '#include "run/box.h"\nvoid use(Box& box) { box.add(); }\n')

    def check(self):
        source = str(self.root / "src/run/box.cc")
        command = f"g++ -std=c++23 -I{self.root}/src -fno-such-option -c {source}"
        return locks.check_by_clang(self.root, [{"file": source, "directory": str(self.root),
                                                 "command": command}])

    def test_what_is_used_under_its_lock_passes(self):
        self.assertEqual(self.check(), [])

    def test_a_header_without_its_lock_is_refused(self):
        self.plant("src/run/box.h", BOX.replace("    const baton::MutexLock lock(mutex_);\n", ""))
        problems = self.check()
        self.assertTrue(problems)
        for problem in problems:
            self.assertIn("requires holding mutex 'mutex_'", problem)

    def test_a_source_without_its_lock_is_refused(self):
        self.plant("src/run/box.h", BOX.replace("void add() {", "void add();\n  void fix() {"))
        body = "{ grow(); }"
        self.plant("src/run/box.cc", f'#include "run/box.h"\nvoid Box::add() {body}\n')
        self.assert_one(self.check(), "src/run/box.cc:2:", "requires holding mutex 'mutex_'")

    def test_a_source_in_a_unit_without_its_lock_is_refused(self):
        self.plant("src/run/box.h", BOX.replace("void add() {", "void add();\n  void fix() {"))
        body = "{ grow(); }"
        self.plant("src/run/box.cc", f'#include "run/box.h"\nvoid Box::add() {body}\n')
        self.plant("build/units/baton_run/unit_box.cc", '#include "../src/run/box.cc"\n')
        unit = str(self.root / "build/units/baton_run/unit_box.cc")
        command = f"g++ -std=c++23 -I{self.root}/src -c {unit}"
        self.assert_one(
            locks.check_by_clang(self.root, [{"file": unit, "directory": str(self.root),
                                              "command": command}]),
            "src/run/box.cc:2:", "requires holding mutex 'mutex_'")

    def test_a_source_that_no_build_knows_is_refused(self):
        self.assert_one(locks.check_by_clang(self.root, []), "configure the preset dev again")


class Project(unittest.TestCase):
    def test_what_the_project_has_is_read(self):
        headers, sources = locks.files_with_locks(Path(project.ROOT))
        self.assertIn("src/engine/load/lru.h", headers)
        self.assertIn("src/transport/scheduler/call_scheduler.cc", sources)
        self.assertIn("src/adapters/store/sqlite/write/writer.cc", sources)


if __name__ == "__main__":
    unittest.main()
