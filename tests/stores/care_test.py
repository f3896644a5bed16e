#!/usr/bin/env python3
"""An owner looks after a store: copies, restores, accepts a loss, salvages what is sound.

    care_test.py BATON

Enforces: G18
"""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import mcp

HERE = pathlib.Path(__file__).parent
BATON = sys.argv.pop(1)


class Care(unittest.TestCase):
    """A store with a few runs, and the program at a terminal."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.store = str(self.folder / "baton.db")

    def serve(self, store=None):
        return mcp.Server(BATON, store or self.store, "--workflows", str(HERE / "workflows"),
                          folder=self.folder)

    def baton(self, *words, store=None):
        return subprocess.run([BATON, *words, "--db", store or self.store], capture_output=True,
                              text=True, cwd=self.folder)

    def done(self, *words, store=None):
        result = self.baton(*words, store=store)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def refused(self, code, *words):
        result = self.baton(*words)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        self.assertIn(code, result.stderr)
        return result.stderr

    def runs(self, store=None):
        return [json.loads(line)["runId"] for line in
                self.done("runs", "--json", store=store).splitlines()]

    def make_runs(self, count):
        """Their tokens, in the order of their starts."""
        with self.serve() as server:
            return [server.call("start_workflow", workflowId="stores.fork",
                                goal=f"Run {number}") for number in range(count)]

    def edit(self, *statements):
        """As someone with a tool for databases would."""
        database = sqlite3.connect(self.store)
        for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
            database.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()

    def set_of(self, store):
        return [pathlib.Path(store + end) for end in
                ("", "-wal", "-shm", ".keys", ".anchor-key", ".heads")]

    # --- copies ---

    def test_a_copy_made_beside_a_writing_server_is_a_sound_store(self):
        copy = str(self.folder / "copy.db")
        with self.serve() as server:
            first = server.call("start_workflow", workflowId="stores.long")
            token = server.advance(first["ackToken"])["ackToken"]
            said = self.done("backup", copy)
            self.assertIn("copy.db.keys", said)
            for _ in range(5):
                token = server.advance(token)["ackToken"]
        self.done("verify", store=copy)
        self.assertEqual(self.runs(store=copy), self.runs())
        # The copy goes on from where it was made, with its own tokens.
        with self.serve(copy) as server:
            again = server.advance(first["ackToken"])
            self.assertEqual(again["pending"]["stepId"], "many@1::one")
        self.done("verify")

    def test_a_copy_replaces_nothing(self):
        self.make_runs(1)
        (self.folder / "copy.db.heads").write_text("mine")
        self.refused("INVALID_INPUT", "backup", "copy.db")
        self.assertEqual((self.folder / "copy.db.heads").read_text(), "mine")
        self.assertFalse((self.folder / "copy.db").exists())

    def test_a_restored_store_goes_on_in_a_new_epoch_and_keeps_what_was_there(self):
        old = self.make_runs(1)[0]
        self.done("backup", "copy.db")
        new = self.make_runs(1)[0]
        said = self.done("restore", "copy.db")
        self.assertIn("epoch 2", said)
        self.done("verify")
        with self.serve() as server:
            self.assertEqual(server.advance(old["ackToken"])["kind"], "ok")
            self.assertEqual(server.advance(new["ackToken"])["code"], "TOKEN_BAD_SIGNATURE")
        before = next(self.folder.glob("baton.db.before-*[0-9]"))
        self.assertEqual(len(self.runs(store=str(before))), 2)

    def test_a_restore_that_is_killed_leaves_no_empty_place(self):
        if shutil.which("strace") is None:
            self.skipTest("strace is not there")
        self.make_runs(2)
        self.done("backup", "copy.db")
        new = self.make_runs(1)[0]
        whole = {file.name: file.read_bytes() for file in self.folder.iterdir()}
        for number in range(1, 100):
            for file in self.folder.iterdir():
                file.unlink()
            for name, content in whole.items():
                (self.folder / name).write_bytes(content)
                (self.folder / name).chmod(0o600)
            ended = subprocess.run(
                ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=/^rename",
                 "-e", f"inject=/^rename:signal=KILL:when={number}",
                 BATON, "restore", "copy.db", "--db", self.store],
                capture_output=True, cwd=self.folder).returncode
            with self.serve() as server:
                answer = server.call("start_workflow", workflowId="stores.fork")
            if answer.get("kind") == "ok":
                self.assertGreaterEqual(len(self.runs()), 3, f"a new store after rename {number}")
            else:
                self.assertIn(answer["code"], ("STORE_ROLLED_BACK", "ENVIRONMENT"), number)
            if ended == 0:
                self.assertGreater(number, 3)
                return
            self.done("restore", "copy.db")
            self.assertEqual(len(self.runs()), 2, number)
            self.done("verify")
            with self.serve() as server:
                self.assertIn(server.advance(new["ackToken"])["code"],
                              ("TOKEN_BAD_SIGNATURE", "TOKEN_UNKNOWN_NODE"))
        self.fail("the restore never came to its end")

    def test_a_store_in_use_is_not_replaced(self):
        self.make_runs(1)
        self.done("backup", "copy.db")
        with self.serve() as server:
            server.call("start_workflow", workflowId="stores.fork")
            self.assertIn("process", self.refused("STORE_BUSY", "restore", "copy.db"))
        self.assertEqual(len(self.runs()), 2)

    # --- older states ---

    def roll_back(self):
        """Commit 1 is there, commits 2 and 3 are known to the heads alone."""
        self.make_runs(1)
        for file in self.set_of(self.store)[:3]:
            if file.exists():
                shutil.copyfile(file, self.folder / f"old-{file.name}")
        self.make_runs(2)
        for file in self.set_of(self.store)[:3]:
            if (self.folder / f"old-{file.name}").exists():
                shutil.copyfile(self.folder / f"old-{file.name}", file)

    def test_a_loss_is_not_forgotten_by_copying(self):
        self.roll_back()
        self.assertIn("commits 2 to 3", self.refused("STORE_ROLLED_BACK", "backup", "copy.db"))
        self.assertEqual(list(self.folder.glob("copy.db*")), [])
        self.done("restore", "--accept-loss")
        self.done("backup", "copy.db")
        # What the heads of a copy know of it counts as well.
        database = sqlite3.connect(self.folder / "copy.db")
        for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
            database.execute(f"DROP TRIGGER {name}")
        for table in ("commits", "sessions", "nodes", "runs"):
            database.execute(f"DELETE FROM {table}")
        database.commit()
        database.close()
        before = self.runs()
        self.refused("STORE_ROLLED_BACK", "restore", "copy.db")
        self.assertEqual(self.runs(), before)

    def test_a_damaged_store_is_not_copied_in_silence(self):
        self.make_runs(3)
        with open(self.store, "r+b") as file:
            file.seek(12288)
            file.write(bytes(4096))
        copied = self.baton("backup", "copy.db")
        self.assertNotEqual(copied.returncode, 0, copied.stdout)

    def test_an_older_state_is_told_of_and_can_be_accepted(self):
        self.roll_back()
        with self.serve() as server:
            refused = server.call("start_workflow", workflowId="stores.fork")
            self.assertEqual(refused["code"], "STORE_ROLLED_BACK")
            self.assertIn("commits 2 to 3 are missing", refused["message"])
        report = self.baton("verify")
        self.assertEqual(report.returncode, 1)
        self.assertIn("missing", report.stdout)
        self.done("restore", "--accept-loss")
        self.done("verify")
        self.make_runs(1)
        self.assertEqual(len(self.runs()), 2)

    def test_a_lost_session_is_found_before_and_after_a_rebuild(self):
        self.make_runs(3)
        self.edit("DELETE FROM commits WHERE session_no = 2",
                  "DELETE FROM sessions WHERE session_no = 2",
                  "DELETE FROM nodes WHERE run_no = 2", "DELETE FROM runs WHERE session_no = 2")
        for _ in range(2):
            report = self.baton("verify")
            self.assertEqual(report.returncode, 1, report.stdout)
            self.assertIn("is lost", report.stdout)
            self.baton("rebuild")

    def test_a_file_cut_short_under_a_server_is_named_by_every_call(self):
        for harm in (lambda: os.truncate(self.store, 0), lambda: os.unlink(self.store)):
            for file in self.folder.glob("baton.db*"):
                file.unlink()
            run = self.make_runs(1)[0]
            with self.serve() as server:
                server.call("start_workflow", workflowId="stores.fork")
                harm()
                for told in (server.call("continue_workflow", stateToken=run["stateToken"]),
                             server.advance(run["ackToken"])):
                    self.assertEqual(told["code"], "STORE_REPLACED", told)

    def test_a_file_replaced_under_a_server_is_noticed_before_the_reply(self):
        self.make_runs(1)
        with self.serve() as server:
            server.call("start_workflow", workflowId="stores.fork")
            shutil.copyfile(self.store, self.store + ".copy")
            os.rename(self.store + ".copy", self.store)
            for _ in range(2):
                answer = server.call("start_workflow", workflowId="stores.fork")
                self.assertEqual(answer["code"], "STORE_REPLACED")

    def test_an_advance_is_not_acknowledged_when_a_file_of_the_store_was_removed(self):
        # The commit itself succeeds in a file that no process opens again.
        for end in ("", "-wal", "-shm", ".heads", ".anchor-key"):
            for file in self.folder.glob("baton.db*"):
                file.unlink()
            with self.serve() as server:
                token = server.call("start_workflow", workflowId="stores.fork")["ackToken"]
                token = server.advance(token)["ackToken"]
                os.unlink(self.store + end)
                for _ in range(2):
                    answer = server.advance(token, "Lost.")
                    self.assertEqual(answer.get("code"), "STORE_REPLACED", (end, answer))

    def test_a_run_that_an_older_file_lost_under_a_server_is_not_said_to_be_removed(self):
        self.make_runs(1)
        kept = {file.name: file.read_bytes() for file in self.folder.glob("baton.db*")}
        with self.serve() as server:
            token = server.call("start_workflow", workflowId="stores.fork")["ackToken"]
            token = server.advance(token)["ackToken"]
            for name, content in kept.items():
                with open(self.folder / name, "r+b") as file:
                    file.truncate(len(content))
                    file.write(content)
            for _ in range(2):
                answer = server.advance(token)
                self.assertEqual(answer["code"], "STORE_REPLACED", answer)

    def test_heads_cut_short_under_a_server_are_noticed_before_the_reply(self):
        for end in (256, 512, 2560):  # the mark alone, the mark and one record, half of them
            for file in self.folder.glob("baton.db*"):
                file.unlink()
            with self.serve() as server:
                for _ in range(20):
                    server.call("start_workflow", workflowId="stores.fork")
                os.truncate(self.store + ".heads", end)
                answer = server.call("start_workflow", workflowId="stores.fork")
                self.assertEqual(answer["code"], "STORE_REPLACED", end)

    def test_a_signal_file_cut_short_under_a_server_is_made_again(self):
        with self.serve() as server:
            for _ in range(2):
                started = server.call("start_workflow", workflowId="stores.fork")
                os.truncate(self.store + "-bell", 0)
                self.assertEqual(server.advance(started["ackToken"])["kind"], "ok")

    def test_records_that_the_heads_lost_are_found(self):
        self.make_runs(3)
        with self.serve() as server:
            token = server.call("start_workflow", workflowId="stores.fork")["ackToken"]
            server.advance(token)
        sound = pathlib.Path(self.store + ".heads").read_bytes()

        def without(*slots):
            text = bytearray(sound)
            for slot in slots:
                text[128 * slot:128 * slot + 128] = bytes(128)
            return bytes(text)

        # Of the session with two commits, record 4 has one in each slot.
        newer = 8 if sound[8 * 128 + 24] == 2 else 9
        for heads, said in ((sound[:256], "no record of sess_"), (without(4, 5), "no record of"),
                            (without(newer), "no record of commit 2 of sess_")):
            pathlib.Path(self.store + ".heads").write_bytes(heads)
            for _ in range(2):
                report = self.baton("verify")
                self.assertEqual(report.returncode, 1, report.stdout)
                self.assertIn(said, report.stdout)
                self.baton("rebuild")
            self.refused("STORE_ROLLED_BACK", "backup", "copy.db")
            pathlib.Path(self.store + ".heads").write_bytes(sound)
        self.done("verify")
        # Without its record, a history that was written anew would look like the one that was.
        pathlib.Path(self.store + ".heads").unlink()
        self.done("restore", "--accept-loss")
        self.done("verify")

    # --- salvage ---

    def test_everything_of_a_sound_store_can_be_taken_out_and_in(self):
        self.make_runs(3)
        self.done("salvage", "out")
        other = str(self.folder / "other.db")
        for bundle in (self.folder / "out").iterdir():
            self.done("import", str(bundle), store=other)
        self.assertEqual(sorted(self.runs(store=other)), sorted(self.runs()))
        self.done("verify", store=other)

    def test_a_damaged_session_is_taken_out_up_to_its_last_sound_commit(self):
        started = self.make_runs(2)
        with self.serve() as server:
            token = server.advance(started[0]["ackToken"], "One.")["ackToken"]
            server.advance(token, "Two.")
        self.edit("UPDATE commits SET body = replace(body, 'Two.', 'Six.')")
        report = self.baton("salvage", "out")
        self.assertEqual(report.returncode, 1)
        self.assertIn("commit 3 does not match its hash", report.stdout)
        other = str(self.folder / "other.db")
        for bundle in (self.folder / "out").iterdir():
            self.done("import", str(bundle), store=other)
        self.assertEqual(sorted(self.runs(store=other)), sorted(self.runs()))
        self.done("verify", store=other)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
