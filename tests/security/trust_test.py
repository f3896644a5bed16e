#!/usr/bin/env python3
"""Cheats that need more than words: another process, a database tool, a terminal that is not one.

    trust_test.py BATON

Each test is a row: the first line of its text says what must hold, and whether the cheat is refused
or succeeds at a given level. tests/cases/trust has the rows that words alone can show, and
trust_rows.py lists all of them.

Enforces: G31
"""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "stores"))
import mcp  # noqa: E402  the small client of the tests of stores

BATON = sys.argv.pop(1)

TWO = """
id: two
steps:
  - {id: one, prompt: Do one.}
  - {id: two, prompt: Do two.}
"""
TOUCH = """
id: touch
steps:
  - {id: make, type: shell_command, command: touch made.txt}
  - {id: rest, prompt: Rest.}
"""
LATER = """
id: later
steps:
  - {id: one, prompt: Do one.}
  - {id: make, type: shell_command, command: touch made.txt}
  - {id: rest, prompt: Rest.}
"""


class Trust(unittest.TestCase):
    """A store, a folder of workflows and a project, with the real program."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name).resolve()
        self.store = str(self.folder / "baton.db")
        self.home = self.folder / "home"
        self.work = self.folder / "work"
        self.write("flows/two.yaml", TWO)
        self.write("flows/touch.yaml", TOUCH)
        self.write("flows/later.yaml", LATER)
        self.work.mkdir()
        self.home.mkdir()

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), **more}

    def serve(self, *flags, capabilities=None, **variables):
        return mcp.Server(BATON, self.store, "--workflows", str(self.folder / "flows"), *flags,
                          folder=self.folder, environment=self.environment(**variables),
                          capabilities=capabilities)

    def baton(self, *words, **variables):
        return subprocess.run([BATON, *words, "--db", self.store], capture_output=True, text=True,
                              cwd=self.folder, env=self.environment(**variables))

    def done(self, *words):
        result = self.baton(*words)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def start(self, server, workflow):
        return server.call("start_workflow", workflowId=workflow, workspacePath=str(self.work))

    def edit(self, statement, *values):
        """As someone with a tool for databases would."""
        database = sqlite3.connect(self.store)
        for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
            database.execute(f"DROP TRIGGER {name}")
        changed = database.execute(statement, values).rowcount
        database.commit()
        database.close()
        self.assertGreater(changed, 0, statement)

    # --- the environment and the command line of a project's .mcp.json ---

    def test_a_moved_home_brings_no_policy(self):
        """Refused: A .mcp.json moves HOME to the project, whose policy lets every command run."""
        self.write("project/.config/baton/policy.yaml", "commands: all\n")
        with self.serve(HOME=str(self.folder / "project")) as server:
            self.assertEqual(self.start(server, "touch")["pending"]["stepId"], "make")
        self.assertFalse((self.work / "made.txt").exists())

    def test_a_moved_config_folder_brings_no_policy(self):
        """Refused: A .mcp.json moves XDG_CONFIG_HOME to a policy of the project."""
        self.write("project/baton/policy.yaml", "commands: all\n")
        with self.serve(XDG_CONFIG_HOME=str(self.folder / "project")) as server:
            self.assertEqual(self.start(server, "touch")["pending"]["stepId"], "make")
        self.assertFalse((self.work / "made.txt").exists())

    def test_a_variable_runs_nothing(self):
        """Refused: A .mcp.json says commands=all in BATON_POLICY."""
        with self.serve(BATON_POLICY="commands=all") as server:
            self.assertEqual(self.start(server, "touch")["pending"]["stepId"], "make")
        self.assertFalse((self.work / "made.txt").exists())

    def test_never_holds_against_allow_shell(self):
        """Refused: A .mcp.json says --allow-shell beside a user's settings that say never."""
        self.write("home/.config/baton/config.yaml", "commands: never\n")
        with self.serve("--allow-shell") as server:
            self.assertEqual(self.start(server, "touch")["pending"]["stepId"], "make")
        self.assertFalse((self.work / "made.txt").exists())

    def test_allow_shell_is_as_strong_as_it_was(self):
        """Succeeds with --allow-shell: A .mcp.json that the user lets start runs commands."""
        with self.serve("--allow-shell") as server:
            self.assertEqual(self.start(server, "touch")["pending"]["stepId"], "rest")
        self.assertTrue((self.work / "made.txt").exists())

    def test_a_moved_home_brings_its_own_trust(self):
        """Succeeds with a .mcp.json that the user lets start: HOME leads to other trust."""
        project = str(self.folder / "project")
        trusted = self.baton("trust", "touch", "--yes", "--workflows", str(self.folder / "flows"),
                             "--project", str(self.work), HOME=project)
        self.assertEqual(trusted.returncode, 0, trusted.stderr)
        with self.serve(HOME=project) as server:
            self.assertEqual(self.start(server, "touch")["pending"]["stepId"], "rest")
        (self.work / "made.txt").unlink()
        # The owner's `never` withstands it, from wherever it comes.
        with self.serve("--policy", "commands=never", HOME=project) as server:
            self.assertEqual(self.start(server, "touch")["pending"]["stepId"], "make")
        self.assertFalse((self.work / "made.txt").exists())

    # --- a tool for databases ---

    def recorded(self, *flags):
        """A run of two steps, whose first is done; its last answer."""
        with self.serve(*flags) as server:
            first = self.start(server, "two")
            return first, server.advance(first["ackToken"])

    def refuses_to_go_on(self, token):
        with self.serve() as server:
            self.assertEqual(server.advance(token)["code"], "STORAGE_CORRUPTION_DETECTED")

    def test_a_recorded_policy_cannot_be_edited(self):
        """Refused: A row of the log is edited so that another policy counted."""
        _, second = self.recorded("--policy", "gates.assurance=present")
        self.edit("UPDATE commits SET body = replace(body, 'present', 'claimed') "
                  "WHERE body LIKE '%policy_applied%'")
        self.refuses_to_go_on(second["ackToken"])
        self.assertNotEqual(self.baton("verify").returncode, 0)

    def test_an_act_cannot_be_removed(self):
        """Refused: The last act of a run is removed from the database."""
        _, second = self.recorded()
        self.edit("DELETE FROM commits WHERE commit_no = (SELECT max(commit_no) FROM commits)")
        with self.serve() as server:
            self.assertIn("code", server.advance(second["ackToken"]))
        self.assertNotEqual(self.baton("verify").returncode, 0)

    def test_an_older_file_does_not_take_its_place(self):
        """Refused: The store's file is replaced by a copy from before a decision."""
        first, _ = self.recorded()
        for path in self.folder.glob("baton.db-*"):
            if path.name.endswith(("-wal", "-shm")):
                path.unlink()
        before = pathlib.Path(self.store).read_bytes()
        with self.serve() as server:
            server.advance(first["ackToken"], notes="Another first step.")
        for path in self.folder.glob("baton.db-*"):
            if path.name.endswith(("-wal", "-shm")):
                path.unlink()
        pathlib.Path(self.store).write_bytes(before)
        with self.serve() as server:
            self.assertEqual(server.advance(first["ackToken"], notes="A third.")["code"],
                             "STORE_ROLLED_BACK")

    # --- a history that was written elsewhere ---

    def bundle_of(self, server_flags=()):
        self.recorded(*server_flags)
        run = json.loads(self.done("runs", "--json").splitlines()[0])["runId"]
        return self.done("export", run)

    def refuses_to_import(self, bundle):
        self.write("edited.bundle", bundle)
        self.store = str(self.folder / "other.db")
        with self.serve():
            pass
        said = self.baton("import", str(self.folder / "edited.bundle"))
        self.assertNotEqual(said.returncode, 0, said.stdout)
        self.assertRegex(said.stderr, r"\[BUNDLE_\w+\]")

    def test_a_bundle_does_not_rewrite_what_counted(self):
        """Refused: A bundle is edited so that a looser policy counted, and imported."""
        bundle = self.bundle_of(["--policy", "gates.assurance=present"])
        self.assertIn("policy_applied", bundle)
        self.refuses_to_import(bundle.replace("present", "claimed"))

    def test_a_bundle_does_not_rewrite_notes(self):
        """Refused: A bundle is edited so that a step was done otherwise, and imported."""
        self.refuses_to_import(self.bundle_of().replace("Done.", "Passed."))

    def test_a_bundle_does_not_leave_an_act_out(self):
        """Refused: A bundle leaves the last act of its run out, and is imported."""
        bundle = json.loads(self.bundle_of())
        for value in bundle.values():
            if isinstance(value, dict) and isinstance(value.get("events"), list):
                value["events"].pop()
            elif isinstance(value, list) and len(value) > 1:
                value.pop()
        self.refuses_to_import(json.dumps(bundle))

    def test_an_imported_run_does_what_the_owner_here_says(self):
        """Refused: A run that began elsewhere under a looser policy brings it along."""
        with self.serve("--allow-shell") as server:
            self.start(server, "later")
        run = json.loads(self.done("runs", "--json").splitlines()[0])["runId"]
        self.write("run.bundle", self.done("export", run))
        self.store = str(self.folder / "other.db")
        with self.serve():
            pass
        self.done("import", str(self.folder / "run.bundle"))
        with self.serve() as server:
            found = server.call("resume_session", query="later")["candidates"][0]
            step = server.call("continue_workflow", stateToken=found["stateToken"])
            self.assertEqual(server.advance(step["ackToken"])["pending"]["stepId"], "make")
        self.assertFalse((self.work / "made.txt").exists())

    # --- another process ---

    def test_a_pause_holds_in_every_process(self):
        """Refused: A second server process takes an attempt of a run that was paused in a first."""
        with self.serve() as one, self.serve() as other:
            first = self.start(one, "two")
            run = json.loads(self.done("runs", "--json").splitlines()[0])["runId"]
            self.done("pause", run, "--why", "wait")
            self.assertEqual(other.advance(first["ackToken"])["code"], "RUN_PAUSED")
            self.assertEqual(one.advance(first["ackToken"])["code"], "RUN_PAUSED")

    def test_the_stricter_process_decides_for_itself(self):
        """Refused: A process with a looser command line loosens what another one decides."""
        with self.serve("--allow-shell"), self.serve("--policy", "commands=never") as strict:
            self.assertEqual(self.start(strict, "touch")["pending"]["stepId"], "make")
        self.assertFalse((self.work / "made.txt").exists())


if __name__ == "__main__":
    unittest.main()
