#!/usr/bin/env python3
"""A store of an earlier release opens, verifies, and goes on with its tokens.

    store_test.py BATON [RELEASE]
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import mcp
from spelling import respelled

HERE = pathlib.Path(__file__).parent
BATON = sys.argv.pop(1)
RELEASES = sorted(p.name for p in HERE.iterdir() if (p / "tokens.json").exists())

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {
            "extensions": {"io.modelcontextprotocol/tasks": {}}}}


class OldStore(unittest.TestCase):
    """A copy of one release's store, used as its owner would."""

    release = None

    def setUp(self):
        if self.release is None:
            self.skipTest("only with a release")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for file in (HERE / self.release).iterdir():
            copy = pathlib.Path(self.folder.name) / file.name
            shutil.copyfile(file, copy)
            copy.chmod(0o600)
        self.store = str(pathlib.Path(self.folder.name) / "baton.db")
        self.tokens = json.loads((HERE / self.release / "tokens.json").read_text())

    def serve(self, *flags):
        return mcp.Server(BATON, self.store, "--workflows", str(HERE / "workflows"),
                          "--allow-shell", *flags, folder=self.folder.name)

    def run_baton(self, *words):
        return subprocess.run([BATON, *words, "--db", self.store], capture_output=True, text=True)

    def assert_sound(self):
        report = self.run_baton("verify")
        self.assertEqual(report.returncode, 0, report.stdout + report.stderr)

    def test_the_store_is_sound_before_and_after_a_rebuild(self):
        self.assert_sound()
        self.assertEqual(self.run_baton("rebuild").returncode, 0)
        self.assert_sound()

    def test_every_run_is_listed(self):
        listed = self.run_baton("runs", "--json").stdout
        for name in ("fork", "gap", "long", "revoked", "commands", "tasks", "plan"):
            self.assertIn(self.tokens[name]["run"], listed, name)
        self.assertNotIn(self.tokens["removed"]["run"], listed)

    def test_recorded_answers_come_back(self):
        with self.serve() as server:
            replayed = server.advance(self.tokens["fork"]["replayed"], self.tokens["fork"]["notes"])
            self.assertEqual(replayed["pending"]["stepId"], "rounds@0::round")
            blocked = server.advance(self.tokens["blocked"]["ack"], self.tokens["blocked"]["notes"])
            self.assertEqual(blocked["kind"], "blocked")
            # The same token, in the spelling that this release gives out.
            self.assertEqual(blocked["retryAckToken"],
                             respelled(self.tokens["blocked"]["retry"]))
            seen = server.call("continue_workflow", stateToken=self.tokens["fork"]["state"])
            self.assertEqual(seen["kind"], "ok")

    def test_runs_go_on_with_their_tokens(self):
        with self.serve() as server:
            retried = server.advance(self.tokens["blocked"]["retry"], "Command: true")
            self.assertEqual(retried["pending"]["stepId"], "last")
            self.assertTrue(server.advance(retried["ackToken"])["isComplete"])
            forked = server.advance(self.tokens["fork"]["ack"], "Round two.")
            self.assertEqual(forked["pending"]["stepId"], "proof")
            ended = server.advance(self.tokens["gap"]["ack"], "Shipped.")
            self.assertEqual(ended["status"], "complete_with_gaps")
            planned = server.advance(self.tokens["plan"]["ack"], "Made.")
            self.assertFalse(planned["isComplete"])
            after = server.advance(self.tokens["commands"]["ack"], "Went on.")
            self.assertEqual(after["pending"]["stepId"], "end")
        self.assert_sound()

    def test_a_long_run_reaches_its_end_in_several_processes(self):
        token = self.tokens["long"]["ack"]
        for _ in range(20):
            with self.serve() as server:
                token = server.advance(token, "One more. " + "x" * 200)["ackToken"]
        with self.serve() as server:
            self.assertTrue(server.advance(token)["isComplete"])
        self.assert_sound()

    def test_void_tokens_stay_void(self):
        with self.serve() as server:
            self.assertEqual(server.advance(self.tokens["revoked"]["ack"])["code"], "TOKEN_REVOKED")
            self.assertEqual(server.advance(self.tokens["removed"]["ack"])["code"],
                             "TOKEN_UNKNOWN_NODE")

    def test_a_task_of_an_mcp_client_keeps_its_result(self):
        with self.serve() as server:
            task = server.request("tasks/get", {
                "_meta": META, "taskId": self.tokens["mcp_task"]["task"]})["result"]
            self.assertEqual(task["status"], "completed")
            after = server.advance(self.tokens["mcp_task"]["ack"], "Went on.")
            self.assertTrue(after["isComplete"])

    def test_tasks_of_sub_agents_are_settled_and_joined(self):
        run = self.tokens["tasks"]["run"]
        with self.serve("--surface", "atomic") as server:
            for number in (1, 2):
                task = {"task_id": f"review.item{number}"}
                step = server.call("workflow_get_next_step", workflow_id=run,
                                   sub_agent_context=task)["step"]
                server.call("workflow_step_complete", workflow_id=run, step_id=step["id"],
                            result="Read.", sub_agent_context=task)
            joined = server.call("workflow_get_next_step", workflow_id=run)
            self.assertEqual(joined["step"]["id"], "report")
            state = server.call("workflow_state_read", workflow_id=run)["state"]
            self.assertEqual((state["count"], state["twice"], sorted(state["seen"])),
                             (3, 6, ["a", "b", "c"]))
        self.assert_sound()


def load_tests(loader, _tests, _pattern):
    suite = unittest.TestSuite()
    for release in RELEASES:
        case = type(f"Release_{release}", (OldStore,), {"release": release})
        suite.addTests(loader.loadTestsFromTestCase(case))
    return suite


if __name__ == "__main__":
    assert RELEASES, "no store of an earlier release is here"
    unittest.main(argv=sys.argv[:1], verbosity=2)
