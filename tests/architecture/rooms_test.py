"""The room check sees each kind of wrong edge."""
# Origin: 004-93

import unittest

import project
import rooms
from scratch import ScratchTest


class Edges(unittest.TestCase):
    def test_every_forbidden_edge_has_a_reason(self):
        for room in rooms.ALLOWED:
            for target in rooms.ALLOWED:
                if target == room or target in rooms.ALLOWED[room]:
                    self.assertIsNone(rooms.reason(room, target))
                else:
                    self.assertTrue(rooms.reason(room, target), f"{room} -> {target}")

    def test_every_reason_is_used(self):
        pairs = [(a, b) for a in rooms.ALLOWED for b in rooms.ALLOWED if rooms.reason(a, b)]
        used = {rooms.reason(a, b) for a, b in pairs}
        self.assertEqual(used, {why for _, _, why in rooms.FORBIDDEN})


class Sources(ScratchTest):
    def test_a_forbidden_include_is_refused_with_its_reason(self):
        self.plant("src/run/fold.cc", '#include "base/json/json.h"\n#include "engine/advance.h"\n')
        self.assert_one(rooms.check_sources(self.root), "src/run/fold.cc:2:",
                        "run may not include engine/advance.h", "values into values")

    def test_every_forbidden_edge_is_refused_in_code_and_in_tests(self):
        for room in rooms.ALLOWED:
            for target in rooms.ALLOWED:
                for path in (f"src/{room}/a.cc", f"src/{room}/a_test.cc", f"src/{room}/deep/a.h"):
                    self.plant(path, f'#include "{target}/b.h"\n')
                expected = 3 if rooms.reason(room, target) else 0
                if (room, target) == ("cli", "adapters"):
                    expected = 3  # allowed to the room, but to main.cc alone
                self.assertEqual(len(rooms.check_sources(self.root)), expected,
                                 f"{room} -> {target}")
                for path in ("a.cc", "a_test.cc", "deep/a.h"):
                    (self.root / "src" / room / path).unlink()

    def test_main_alone_names_adapters(self):
        self.plant("src/cli/main.cc", '#include "adapters/sqlite/store.h"\n')
        self.assertEqual(rooms.check_sources(self.root), [])
        self.plant("src/cli/serve/a.cc", '#include "adapters/sqlite/store.h"\n')
        self.assert_one(rooms.check_sources(self.root), "src/cli/serve/a.cc:1:", "main.cc alone")

    def test_an_include_that_names_no_room_is_refused(self):
        self.plant("src/run/fold.cc", '#include "fold.h"\n')
        self.assert_one(rooms.check_sources(self.root), "names no room")

    def test_angle_brackets_do_not_hide_a_room(self):
        self.plant("src/run/fold.cc", "#include <engine/advance.h>\n")
        self.assert_one(rooms.check_sources(self.root), "is ours")

    def test_a_folder_that_is_no_room_is_refused(self):
        self.plant("src/helpers/a.cc", "\n")
        self.assert_one(rooms.check_sources(self.root), "src/helpers is no room")

    def test_a_header_with_effects_is_refused_in_a_pure_room(self):
        for header in ("chrono", "fstream", "thread", "random", "cstdlib", "iostream", "mutex"):
            self.plant("src/ports/system.h", f"#include <{header}>\n")
            self.assert_one(rooms.check_sources(self.root), f"<{header}> in the pure room ports")

    def test_locks_are_for_rooms_with_threads(self):
        self.plant("src/base/core/thread_safety.h", "#include <mutex>\n")
        self.plant("src/engine/load/caches.h", '#include "base/core/thread_safety.h"\n')
        self.plant("src/protocol/testing/book.h", '#include "base/core/thread_safety.h"\n')
        self.assertEqual(rooms.check_sources(self.root), [])
        self.plant("src/run/fold.h", '#include "base/core/thread_safety.h"\n')
        self.assert_one(rooms.check_sources(self.root), "a pure room has no threads")

    def test_tests_of_a_pure_room_may_use_any_library(self):
        self.plant("src/run/fold_test.cc", "#include <gtest/gtest.h>\n#include <fstream>\n")
        self.assertEqual(rooms.check_sources(self.root), [])

    def test_what_tests_share_may_use_any_library_and_is_for_tests_alone(self):
        self.plant("src/run/testing/random_runs.h", "#include <random>\n")
        self.plant("src/run/fold_test.cc", '#include "run/testing/random_runs.h"\n')
        self.assertEqual(rooms.check_sources(self.root), [])
        self.plant("src/run/fold.cc", '#include "run/testing/random_runs.h"\n')
        self.assert_one(rooms.check_sources(self.root), "src/run/fold.cc:1:",
                        "testing/ is for tests alone")

    def test_a_folder_named_testing_further_down_is_no_exception(self):
        self.plant("src/run/deep/testing/a.h", "#include <random>\n")
        self.assert_one(rooms.check_sources(self.root), "<random> in the pure room run")

    def test_libyaml_belongs_to_workflow(self):
        self.plant("src/workflow/read/read.cc", "#include <yaml.h>\n")
        self.assertEqual(rooms.check_sources(self.root), [])
        self.plant("src/plan/read.cc", "#include <yaml.h>\n")
        self.assert_one(rooms.check_sources(self.root), "src/plan/read.cc:1:")


class Table(unittest.TestCase):
    def test_the_table_is_what_the_build_reads(self):
        self.assertEqual(rooms.table("baton_room(base PURE LIBS x)\n# baton_room(no)\n"
                                     "baton_room(verbs INCLUDES base\n  ports LIBS y z)\n"),
                         {"base": (1, True, ()), "verbs": (3, False, ("base", "ports"))})

    def test_a_room_includes_rooms_above_it(self):
        self.assert_one("baton_room(base INCLUDES run)\nbaton_room(run)\n",
                        "run, which stands below")
        self.assert_one("baton_room(base INCLUDES help)\n", "help, which is no room")

    def test_a_pure_room_includes_pure_rooms(self):
        self.assertEqual(rooms.check_table("baton_room(base)\nbaton_room(run INCLUDES base)\n"), [])
        self.assert_one("baton_room(base)\nbaton_room(run PURE INCLUDES base)\n", "base is not")

    def assert_one(self, text, piece):
        problems = rooms.check_table(text)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(piece, problems[0])


class Map(unittest.TestCase):
    ROOMS = {"base": (1, True, ()), "run": (2, False, ("base", "state"))}
    BASE = "| `base/` | ... | nothing | yes |\n"
    RUN = "| `run/` | ... | base, state | |\n"

    def test_the_map_shows_the_table(self):
        self.assertEqual(rooms.check_map(self.BASE + self.RUN, self.ROOMS), [])

    def test_each_difference_is_told(self):
        for text, piece in (
                (self.BASE, "run has no row"),
                (self.BASE + self.RUN.replace(", state", ""), "run may include"),
                (self.BASE + self.RUN.replace("| |", "| yes |"), "run is not pure"),
                (self.BASE.replace("yes", "") + self.RUN, "base is pure"),
                (self.BASE + self.RUN + "| `plan/` | ... | base | |\n", "plan is no room")):
            problems = rooms.check_map(text, self.ROOMS)
            self.assertEqual(len(problems), 1, problems)
            self.assertIn(piece, problems[0])

    def test_the_project_agrees(self):
        self.assertEqual(rooms.check(project.ROOT), [])


if __name__ == "__main__":
    unittest.main()
