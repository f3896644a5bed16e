"""The driver of `./dev ci --full` over parts that are made up: what it runs, keeps and tells."""

import fcntl
import importlib.machinery
import importlib.util
import json
import sys
import unittest

import project
from scratch import ScratchTest

sys.path.insert(0, str(project.ROOT / "tools"))
import full  # noqa: E402
from full import Part  # noqa: E402


def says(text, status=0):
    return (sys.executable, "-c", f"print({text!r}); raise SystemExit({status})")


def leaves_a_mark(path):
    return (sys.executable, "-c", f"open({path!r}, 'a').write('x'); print('ran 1 tests')")


TESTS = (("tests", r"^ran (\d+) tests"),)


class Full(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant(".gitignore", "build/\n")
        self.plant("source", "1\n")
        self.git("init", "-q")
        self.commit()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "run: Change")

    def run_parts(self, *parts, names=()):
        self.said = []
        return full.Driver(self.root, parts, self.said.append).run(names)

    def report(self):
        return (self.root / full.REPORT).read_text()

    def row(self, name):
        """The cells of a part in the report."""
        line = next(line for line in self.report().splitlines() if line.startswith(f"| {name} |"))
        return [cell.strip() for cell in line.strip("|").split("|")]

    def runs(self, name):
        path = self.root / "build" / name
        return len(path.read_text()) if path.exists() else 0

    def marked(self, name):
        return Part(name, (leaves_a_mark(f"build/{name}"),), TESTS)

    def tree(self):
        return full.head_tree(self.root)

    def test_the_report_tells_results_figures_and_the_tree(self):
        status = self.run_parts(
            Part("good", (says("ran 1,200 tests"), says("ran 34 tests")),
                 ((("tests", r"^ran ([\d,]+) tests"), ("programs", "^ran ")))),
            Part("cover", (says("lines: 91.5% (1 of 2)"),), (("of lines", r"^lines: ([\d.]+%)"),)),
            Part("bad", (says("ran 3 tests", 7), leaves_a_mark("build/after")), TESTS))
        self.assertEqual(status, 1)
        tree = self.tree()
        name, result, took, *rest = self.row("good")
        self.assertEqual([name, result, *rest], ["good", "passed", "1,234 tests, 2 programs",
                                                 tree[:12]])
        self.assertRegex(took, r"^\d+ s$")  # on a loaded machine more than none
        self.assertEqual(self.row("cover")[3], "91.5% of lines")
        self.assertRegex(self.row("bad")[1], "^failed: .* ended with 7$")
        self.assertEqual(self.runs("after"), 0)
        self.assertIn(f"- Tree: {tree}\n", self.report())
        self.assertIn("2 of 3 passed, 1 failed or interrupted, 0 not run", self.report())

    def test_a_second_call_goes_on_with_what_has_not_passed(self):
        good, other = self.marked("good"), self.marked("other")
        bad = Part("bad", (leaves_a_mark("build/bad"), says("ran 1 tests", 1)), TESTS)
        self.assertEqual(self.run_parts(good, bad, names=["good", "bad"]), 1)
        self.assertEqual(self.run_parts(good, bad, other), 1)
        self.assertEqual([self.runs(name) for name in ("good", "bad", "other")], [1, 2, 1])
        self.assertEqual(self.run_parts(good, other), 0)
        self.assertEqual([self.runs(name) for name in ("good", "bad", "other")], [1, 2, 1])

    def test_a_named_part_runs_alone_and_again(self):
        parts = [self.marked("tests"), self.marked("mutants-G1"), self.marked("mutants-G2")]
        self.assertEqual(self.run_parts(*parts, names=["mutants"]), 0)
        self.assertEqual(self.run_parts(*parts, names=["mutants-G2"]), 0)
        self.assertEqual([self.runs(part.name) for part in parts], [0, 1, 2])
        self.assertEqual(self.row("tests"), ["tests", "not run", "", "", ""])
        self.assertIn("2 of 3 passed, 0 failed or interrupted, 1 not run", self.report())
        with self.assertRaisesRegex(full.Refused, "no part 'mutant'"):
            self.run_parts(*parts, names=["mutant"])

    def test_a_result_counts_for_its_tree_alone(self):
        good = self.marked("good")
        self.run_parts(good)
        before = self.tree()
        self.plant("source", "2\n")
        self.commit()
        self.assertEqual(self.run_parts(good, self.marked("other"), names=["other"]), 0)
        self.assertEqual(self.row("good"),
                         ["good", "not run", "", f"last: passed for {before[:12]}", ""])
        self.assertEqual(self.run_parts(good), 0)
        self.assertEqual(self.runs("good"), 2)

    def test_a_run_goes_on_in_another_clone_where_the_report_is_committed(self):
        good = self.marked("good")
        self.run_parts(good)
        tree = self.tree()
        self.commit()
        self.assertEqual(self.tree(), tree)
        self.git("clean", "-fdxq")
        self.assertEqual(self.run_parts(good, self.marked("other")), 0)
        self.assertEqual([self.runs("good"), self.runs("other")], [0, 1])
        self.assertIn("2 of 2 passed", self.report())

    def test_what_is_not_committed_is_refused_but_for_reports(self):
        good = self.marked("good")
        self.plant("docs/reports/fuzz.md", "# Fuzzing\n")
        self.assertEqual(self.run_parts(good), 0)
        self.plant("new", "\n")
        with self.assertRaisesRegex(full.Refused, "not committed.* new"):
            self.run_parts(good)
        (self.root / "new").unlink()
        self.plant("source", "3\n")
        with self.assertRaisesRegex(full.Refused, "not committed.* source"):
            self.run_parts(good)
        self.assertEqual(self.runs("good"), 1)

    def test_a_part_during_which_the_sources_change_has_failed(self):
        self.assertEqual(self.run_parts(Part("self", (leaves_a_mark("source"),), TESTS)), 1)
        self.assertEqual(self.row("self")[1], "failed: the sources changed while it ran")

    def test_a_part_that_tells_no_figures_has_failed(self):
        for text in ("all is well", "ran 0 tests"):
            self.assertEqual(self.run_parts(Part("empty", (says(text),), TESTS)), 1)
            self.assertEqual(self.row("empty")[1], "failed: it did not say how many tests")

    def test_a_part_that_does_not_end_is_no_result(self):
        good = self.marked("good")
        stopped = Part("stopped", (("./no-such-program",),), TESTS)
        with self.assertRaises(FileNotFoundError):
            self.run_parts(good, stopped)
        self.assertEqual(self.row("stopped")[1], "interrupted")
        self.assertEqual(self.run_parts(good, self.marked("stopped")), 0)
        self.assertEqual([self.runs("good"), self.runs("stopped")], [1, 1])

    def test_one_run_at_a_time(self):
        (self.root / full.LOGS).mkdir(parents=True)
        with open(self.root / full.LOGS / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with self.assertRaisesRegex(full.Refused, "another run"):
                self.run_parts(self.marked("good"))

    def test_durations(self):
        self.assertEqual([full.duration(seconds) for seconds in (0.4, 59.6, 61, 3599, 7260)],
                         ["0 s", "1 min 0 s", "1 min 1 s", "59 min 59 s", "2 h 1 min"])


class Parts(unittest.TestCase):
    """The parts of this project are of things that exist."""

    def setUp(self):
        loader = importlib.machinery.SourceFileLoader("ci", str(project.ROOT / "tools/ci"))
        ci = importlib.util.module_from_spec(importlib.util.spec_from_loader("ci", loader))
        loader.exec_module(ci)
        self.ci, self.parts = ci, ci.parts()
        self.commands = [command for part in self.parts for command in part.commands]

    def test_names_are_told_apart(self):
        names = [part.name for part in self.parts]
        self.assertEqual(len(names), len(set(names)))

    def test_every_preset_exists(self):
        presets = {each["name"] for each in json.loads(
            project.read(project.ROOT, "CMakePresets.json"))["configurePresets"]}
        named = {command[3] for command in self.commands if command[:2] == ("./dev", "test")}
        self.assertEqual(named, {"dev", "asan", "tsan", "cover", "clang"})
        self.assertLessEqual(named, presets)

    def test_every_mutant_and_every_benchmark_is_in_a_part(self):
        promises = {path.name.split("-")[0]
                    for path in (project.ROOT / "tests/mutants").glob("*.mutant")}
        self.assertEqual({command[-1] for command in self.commands if "mutants" in command[0]},
                         promises)
        benchmarks = {path.name.removesuffix("_bench.cc")
                      for path in (project.ROOT / "bench").glob("*_bench.cc")}
        self.assertEqual(set(self.ci.BENCHMARKS), benchmarks)

    def test_what_the_tools_say_is_what_the_figures_read(self):
        part = {each.name: each for each in self.parts}
        for name, log, figures in (
                ("tests", "100% tests passed, 0 tests failed out of 1345\n", "1,345 tests"),
                ("mutants-G1", "mutants: 5 of 5 caught\n", "5 mutants caught"),
                ("fuzz", "fuzz: 1,234 runs of 20 targets\n", "1,234 runs, 20 targets"),
                ("crash", "crash: 0 violations in 7 harnesses\n", "7 harnesses"),
                ("bench", "bench: wrote a.md\nbench: wrote b.md\n", "2 reports"),
                ("cover", "0 tests failed out of 9\nlines: 91.0% (1 out of 2)\n"
                          "branches: 50.0% (1 out of 2)\n",
                 "9 tests, 91.0% of lines, 50.0% of branches")):
            self.assertEqual(part[name].figures_in(log), (figures, []))


if __name__ == "__main__":
    unittest.main()
