"""The room check sees each kind of wrong edge."""

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

    def test_the_table_has_no_cycle(self):
        seen = set()
        for room, targets in rooms.ALLOWED.items():
            self.assertLessEqual(set(targets), seen, f"{room} includes a room below it")
            seen.add(room)

    def test_pure_rooms_include_only_pure_rooms(self):
        for room in rooms.PURE:
            self.assertLessEqual(set(rooms.ALLOWED[room]), set(rooms.PURE))

    def test_every_reason_is_used(self):
        pairs = [(a, b) for a in rooms.ALLOWED for b in rooms.ALLOWED if rooms.reason(a, b)]
        used = {rooms.reason(a, b) for a, b in pairs}
        self.assertEqual(used, {why for _, _, why in rooms.FORBIDDEN})


class Sources(ScratchTest):
    def test_a_forbidden_include_is_refused_with_its_reason(self):
        self.plant("src/run/fold.cc", '#include "base/json.h"\n#include "verbs/advance.h"\n')
        self.assert_one(rooms.check_sources(self.root), "src/run/fold.cc:2:",
                        "run may not include verbs/advance.h", "values into values")

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
        self.plant("src/cli/serve.cc", '#include "adapters/sqlite/store.h"\n')
        self.assert_one(rooms.check_sources(self.root), "src/cli/serve.cc:1:", "main.cc alone")

    def test_an_include_that_names_no_room_is_refused(self):
        self.plant("src/run/fold.cc", '#include "fold.h"\n')
        self.assert_one(rooms.check_sources(self.root), "names no room")

    def test_angle_brackets_do_not_hide_a_room(self):
        self.plant("src/run/fold.cc", "#include <verbs/advance.h>\n")
        self.assert_one(rooms.check_sources(self.root), "is ours")

    def test_a_folder_that_is_no_room_is_refused(self):
        self.plant("src/helpers/a.cc", "\n")
        self.assert_one(rooms.check_sources(self.root), "src/helpers is no room")

    def test_a_header_with_effects_is_refused_in_a_pure_room(self):
        for header in ("chrono", "fstream", "thread", "random", "cstdlib", "iostream", "mutex"):
            self.plant("src/ports/clock.h", f"#include <{header}>\n")
            self.assert_one(rooms.check_sources(self.root), f"<{header}> in the pure room ports")

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
        self.plant("src/workflow/read.cc", "#include <yaml.h>\n")
        self.assertEqual(rooms.check_sources(self.root), [])
        self.plant("src/plan/read.cc", "#include <yaml.h>\n")
        self.assert_one(rooms.check_sources(self.root), "src/plan/read.cc:1:")


class Build(ScratchTest):
    def test_the_project_agrees_with_the_table(self):
        self.assertEqual(rooms.check_cmake(project.ROOT), [])

    def test_an_edge_that_the_table_lacks_is_refused(self):
        self.plant("CMakeLists.txt", "baton_room(base PURE LIBS x)\n"
                                     "baton_room(verbs INCLUDES base surface\n  LIBS y)\n"
                                     "baton_room(surface INCLUDES base verbs)\n")
        self.assert_one(rooms.check_cmake(self.root), "CMakeLists.txt:2:",
                        "verbs must not list surface")

    def test_an_edge_that_the_build_lacks_is_refused(self):
        self.plant("CMakeLists.txt", "baton_room(base PURE)\nbaton_room(plan PURE)\n")
        self.assert_one(rooms.check_cmake(self.root), "plan may include base")

    def test_a_pure_room_is_marked(self):
        self.plant("CMakeLists.txt", "baton_room(base LIBS x)\n")
        self.assert_one(rooms.check_cmake(self.root), "add PURE")
        self.plant("CMakeLists.txt", "baton_room(adapters PURE)\n")
        self.assert_one(rooms.check_cmake(self.root), "remove PURE")

    def test_a_room_with_sources_is_built(self):
        self.plant("CMakeLists.txt", "")
        self.plant("src/plan/parse.cc", "\n")
        self.assert_one(rooms.check_cmake(self.root), "add baton_room(plan ...)")

    def test_an_unknown_room_is_refused(self):
        self.plant("CMakeLists.txt", "baton_room(helpers)\n")
        self.assert_one(rooms.check_cmake(self.root), "helpers is no room")


class Map(ScratchTest):
    def test_every_room_is_described_once_the_map_exists(self):
        self.assertEqual(rooms.check_map(self.root), [])
        listed = "".join(f"| `{room}/` | ... |\n" for room in rooms.ALLOWED if room != "plan")
        self.plant("ARCHITECTURE.md", listed)
        self.assert_one(rooms.check_map(self.root), "plan has no entry")


if __name__ == "__main__":
    unittest.main()
