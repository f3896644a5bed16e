#!/usr/bin/env python3
"""Cheats at gates that need a terminal, a second process, a database tool or a key.

    gates_test.py BATON

Each test is a row, as in trust_test.py: what must hold, and whether the cheat is refused or
succeeds at a given level. What succeeds below `sealed` does not where a seal is asked for.

Enforces: G31
"""

import json
import os
import pathlib
import pty
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "stores"))
import mcp  # noqa: E402  the small client of the tests of stores

BATON = sys.argv.pop(1)
PASSPHRASE = "correct horse battery staple"

FLOWS = {
    "claimed": "{assurance: claimed}",
    "asked": "{assurance: asked}",
    "present": "{assurance: present}",
    "sealed": "{assurance: sealed}",
}


class Gates(unittest.TestCase):
    """A run that waits at a gate, an agent's server and the owner's command line."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name).resolve()
        self.store = str(self.folder / "baton.db")
        (self.folder / "flows").mkdir()
        (self.folder / "home").mkdir()
        for name, gate in FLOWS.items():
            (self.folder / "flows" / f"{name}.yaml").write_text(
                f"id: {name}\nsteps:\n"
                f"  - {{id: ask, prompt: Do it., gate: {gate}}}\n"
                "  - {id: after, prompt: Go on.}\n")

    def environment(self):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home")}

    def serve(self, *flags, capabilities=None):
        return mcp.Server(BATON, self.store, "--workflows", str(self.folder / "flows"), *flags,
                          folder=self.folder, environment=self.environment(),
                          capabilities=capabilities)

    def baton(self, *words, **options):
        return subprocess.run([BATON, *words, "--db", self.store], capture_output=True, text=True,
                              cwd=self.folder, env=self.environment(),
                              stdin=options.pop("stdin", subprocess.DEVNULL), **options)

    def done(self, *words):
        result = self.baton(*words)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def with_passphrase(self, *words, passphrase=PASSPHRASE, twice=False):
        """As the owner, or as a program that knows the passphrase."""
        reading, writing = os.pipe()
        os.write(writing, (passphrase + "\n").encode() * (2 if twice else 1))
        os.close(writing)
        try:
            return self.baton(*words, "--passphrase-fd", str(reading), pass_fds=(reading,))
        finally:
            os.close(reading)

    def in_terminal(self, *words, typed="y\n", leaves=False):
        """As a person at a terminal, or as a program that makes itself one."""
        ours, theirs = pty.openpty()
        os.write(ours, typed.encode())
        running = subprocess.Popen([BATON, *words, "--db", self.store], stdin=theirs,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=self.folder, env=self.environment())
        os.close(theirs)
        if leaves:  # what asks for more finds the terminal closed
            os.close(ours)
        out, errors = running.communicate(timeout=60)
        if not leaves:
            os.close(ours)
        return subprocess.CompletedProcess(words, running.returncode, out, errors)

    def wait_at(self, workflow, notes="Done."):
        """The run's id, the token of its start and of where it waits."""
        with self.serve() as server:
            first = server.call("start_workflow", workflowId=workflow)
            waits = server.advance(first["ackToken"], notes=notes)
            self.assertEqual(waits["blockers"][0]["code"], "GATE_WAITING", waits)
        run = json.loads(self.done("runs", "--json").splitlines()[0])["runId"]
        return run, first["ackToken"], waits["ackToken"]

    def outcome(self, token, notes="Done.", **more):
        """`passed`, or the code of what is in the way."""
        with self.serve() as server:
            answer = server.advance(token, notes=notes, **more)
        if answer.get("kind") == "ok":
            return "passed"
        return answer["blockers"][0]["code"] if "blockers" in answer else answer["code"]

    # --- present ---

    def test_a_pipe_is_no_terminal(self):
        """Refused: The agent runs `baton approve` in its shell, where presence is asked for."""
        run, _, token = self.wait_at("present")
        self.assertNotEqual(self.baton("approve", run).returncode, 0)
        self.assertEqual(self.outcome(token), "GATE_WAITING")

    def test_a_pseudo_terminal_is_one(self):
        """Succeeds at present: The agent makes itself a terminal and approves."""
        run, _, token = self.wait_at("present")
        approved = self.in_terminal("approve", run)
        self.assertEqual(approved.returncode, 0, approved.stdout + approved.stderr)
        self.assertEqual(self.outcome(token), "passed")

    def test_another_output_is_not_what_was_approved(self):
        """Refused: The agent changes its output after the approval."""
        run, _, token = self.wait_at("present")
        self.assertEqual(self.in_terminal("approve", run).returncode, 0)
        self.assertEqual(self.outcome(token, notes="Something else."), "GATE_WAITING")

    def test_an_approval_is_for_one_run(self):
        """Refused: The agent uses the approval of one run in another one."""
        run, _, _ = self.wait_at("present")
        self.assertEqual(self.in_terminal("approve", run).returncode, 0)
        _, _, token = self.wait_at("present")
        self.assertEqual(self.outcome(token), "GATE_WAITING")

    def test_a_branch_from_above_asks_again(self):
        """Refused: The agent goes back to before an approved gate and passes it again."""
        run, first, token = self.wait_at("present")
        self.assertEqual(self.in_terminal("approve", run).returncode, 0)
        self.assertEqual(self.outcome(token), "passed")
        self.assertEqual(self.outcome(first, notes="On another branch."), "GATE_WAITING")

    # --- a decision is made once ---

    def test_the_first_decision_counts(self):
        """Refused: A second process approves what the owner has refused."""
        run, _, token = self.wait_at("present")
        self.assertEqual(self.in_terminal("refuse", run, "--why", "not yet").returncode, 0)
        self.assertNotEqual(self.in_terminal("approve", run).returncode, 0)
        self.assertEqual(self.outcome(token), "GATE_REFUSED")

    def test_a_hold_is_not_lifted_by_an_approval(self):
        """Refused: The agent goes on with an approved output while the run is paused."""
        run, _, token = self.wait_at("present")
        self.assertEqual(self.in_terminal("approve", run).returncode, 0)
        self.done("pause", run)
        self.assertEqual(self.outcome(token), "RUN_PAUSED")

    def test_resuming_is_no_approval(self):
        """Refused: A run that waits is paused and resumed, and its gate is taken for passed."""
        run, _, token = self.wait_at("present")
        self.done("pause", run)
        self.done("resume", run)
        self.assertEqual(self.outcome(token), "GATE_WAITING")

    # --- asked ---

    def test_an_agents_own_client_answers(self):
        """Succeeds at asked: The agent starts a client of its own, which answers the form."""
        with self.serve(capabilities={"elicitation": {}}) as server:
            first = server.call("start_workflow", workflowId="asked")
            server.answers = {"action": "accept", "content": {"decision": "approve"}}
            passed = server.advance(first["ackToken"])
        self.assertEqual(passed["kind"], "ok", passed)

    def test_an_agents_own_client_is_not_present(self):
        """Refused: A client of the agent's own answers the form, where presence is asked for."""
        with self.serve(capabilities={"elicitation": {}}) as server:
            first = server.call("start_workflow", workflowId="present")
            server.answers = {"action": "accept", "content": {"decision": "approve"}}
            waits = server.advance(first["ackToken"])
        self.assertEqual(waits["blockers"][0]["code"], "GATE_WAITING", waits)

    # --- sealed ---

    def make_key(self, *flags):
        made = self.with_passphrase("approvals", "init", *flags, twice=True)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        return made.stdout

    def test_a_seal_passes_its_gate(self):
        run, _, token = self.start_sealed()
        sealed = self.with_passphrase("approve", run)
        self.assertEqual(sealed.returncode, 0, sealed.stdout + sealed.stderr)
        self.assertEqual(self.outcome(token), "passed")

    def start_sealed(self):
        with self.serve():
            pass
        self.make_key()
        return self.wait_at("sealed")

    def test_a_pseudo_terminal_is_no_seal(self):
        """Refused: The agent makes itself a terminal and approves, where a seal is asked for."""
        run, _, token = self.start_sealed()
        self.assertNotEqual(self.in_terminal("approve", run, leaves=True).returncode, 0)
        self.assertEqual(self.outcome(token), "GATE_WAITING")

    def test_a_wrong_passphrase_seals_nothing(self):
        """Refused: The agent guesses the passphrase of the owner's key."""
        run, _, token = self.start_sealed()
        self.assertNotEqual(
            self.with_passphrase("approve", run, passphrase="hunter2hunter2").returncode, 0)
        self.assertEqual(self.outcome(token), "GATE_WAITING")

    def test_another_key_seals_nothing(self):
        """Refused: The agent makes a key of its own and seals with that."""
        run, _, token = self.start_sealed()
        other = str(self.folder / "other.key")
        self.with_passphrase("approvals", "init", "--key", other, twice=True)
        self.assertNotEqual(self.with_passphrase("approve", run, "--key", other).returncode, 0)
        self.assertEqual(self.outcome(token), "GATE_WAITING")

    def test_a_claim_is_no_seal(self):
        """Refused: The agent claims the owner's words where a seal is asked for."""
        _, _, token = self.start_sealed()
        claim = [{"kind": "baton.confirmation", "words": "Yes, I agree."}]
        self.assertEqual(self.outcome(token, output={"artifacts": claim}), "GATE_WAITING")


if __name__ == "__main__":
    unittest.main()
