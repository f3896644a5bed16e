#!/usr/bin/env python3
"""Cheats at gates that need a terminal, a second process, a database tool or a key.

    gates_test.py BATON

Each test is a row, as in trust_test.py: what must hold, and whether the cheat is refused or
succeeds at a given level. What succeeds below `sealed` does not where a seal is asked for.

Enforces: G31
"""

import hashlib
import json
import os
import pathlib
import pty
import select
import sqlite3
import subprocess
import sys
import tempfile
import termios
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


CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"


def id_bytes(text):
    """The 16 bytes of an id."""
    value = 0
    for letter in text.split("_")[1]:
        value = value * 32 + CROCKFORD.index(letter)
    return value.to_bytes(16, "big")


def id_text(data):
    value = int.from_bytes(data, "big")
    return "".join(CROCKFORD[value >> 5 * place & 31] for place in range(25, -1, -1))


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
        self.said = answer
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

    def talk(self, *words, says):
        """At a terminal of our own, as a person: types each answer when its question is there. All
        that the terminal showed, whether it hid what was typed at each question, and the code."""
        ours, theirs = pty.openpty()
        settings = termios.tcgetattr(theirs)
        running = subprocess.Popen([BATON, *words, "--db", self.store], stdin=theirs, stdout=theirs,
                                   stderr=theirs, cwd=self.folder, env=self.environment())
        shown, hidden, read = "", [], 0
        try:
            for question, answer in says:
                while question not in shown[read:]:
                    ready, _, _ = select.select([ours], [], [], 60)
                    self.assertTrue(ready, shown)
                    shown += os.read(ours, 4096).decode()
                read = shown.index(question, read) + len(question)
                hidden.append(not termios.tcgetattr(theirs)[3] & termios.ECHO)
                os.write(ours, (answer + "\n").encode())
            code = running.wait(60)
            while select.select([ours], [], [], 0)[0]:
                shown += os.read(ours, 4096).decode()
            self.assertEqual(termios.tcgetattr(theirs), settings, "the terminal is as it was")
        finally:
            running.kill()
            running.wait()
            os.close(ours)
            os.close(theirs)
        return shown, hidden, code

    def test_a_passphrase_is_typed_unseen(self):
        run, _, token = self.start_sealed()
        shown, hidden, code = self.talk("approve", run, says=[
            ("Passphrase of your approval key: ", PASSPHRASE)])
        self.assertEqual(code, 0, shown)
        self.assertEqual(hidden, [True])
        self.assertNotIn(PASSPHRASE, shown)
        self.assertNotIn("correct", shown)
        self.assertEqual(self.outcome(token), "passed")

    def test_a_passphrase_is_guessed_three_times_at_most(self):
        """Refused: The agent makes itself a terminal and guesses the passphrase in one process."""
        run, _, token = self.start_sealed()
        asked = "Passphrase of your approval key: "
        shown, hidden, code = self.talk("approve", run, says=[
            (asked, "first guess"), (asked, "second guess"), (asked, "third guess")])
        self.assertNotEqual(code, 0)
        self.assertEqual(shown.count(asked), 3, shown)
        self.assertEqual(hidden, [True, True, True])
        self.assertNotIn("guess", shown)
        self.assertEqual(self.outcome(token), "GATE_WAITING")

    def test_a_new_passphrase_is_typed_twice_and_unseen(self):
        with self.serve():
            pass
        shown, _, code = self.talk("approvals", "init", says=[
            ("assphrase", PASSPHRASE), ("Once more: ", "another one")])
        self.assertNotEqual(code, 0)
        self.assertIn("differ", shown)
        self.assertNotIn("correct", shown)
        self.assertNotIn("another one", shown)
        shown, _, code = self.talk("approvals", "init", says=[
            ("assphrase", PASSPHRASE), ("Once more: ", PASSPHRASE)])
        self.assertEqual(code, 0, shown)
        self.assertNotIn("correct", shown)

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


    # --- a ceiling ---

    def test_a_wish_above_the_ceiling_starts_at_it(self):
        """Refused: The agent starts a run in a mode above the owner's ceiling."""
        with self.serve("--policy", "ceiling.autonomy=guided", "--policy",
                        "ceiling.risk=conservative") as server:
            first = server.call("start_workflow", workflowId="claimed", preferences={
                "autonomy": "full_auto_never_stop", "riskPolicy": "aggressive"})
        self.assertEqual(first["preferences"], {"autonomy": "guided",
                                                "riskPolicy": "conservative"})
        self.assertIn("ceiling", first["warnings"][0])

    def test_no_mode_passes_a_gate(self):
        """Refused: The agent starts in full_auto_never_stop so that no gate holds it up."""
        with self.serve() as server:
            first = server.call("start_workflow", workflowId="present",
                                preferences={"autonomy": "full_auto_never_stop"})
            waits = server.advance(first["ackToken"])
        self.assertEqual(waits["blockers"][0]["code"], "GATE_WAITING", waits)

    # --- a history that is written by another program ---

    def kept_key(self):
        """The owner's public key, as kept elsewhere."""
        return self.done("approvals", "show").split("first key:")[1].split()[0]

    def head(self):
        """A line of `baton verify` that the owner notes elsewhere."""
        return next(line.split()[1] for line in self.done("verify").splitlines()
                    if line.startswith("head:"))

    def latest_word(self):
        """The latest decision at a gate, as the log has it."""
        with sqlite3.connect(self.store) as store:
            body, = store.execute("SELECT body FROM commits WHERE dedupe_key LIKE 'owner:gate:%' "
                                  "ORDER BY commit_no DESC").fetchone()
        return json.loads(body)["events"][0]

    def forge(self, run, word):
        """Appends a decision to the log of a run, as the server would write it: the chain of hashes
        needs no secret."""
        with sqlite3.connect(self.store) as store:
            number, = store.execute("SELECT session_no FROM runs WHERE run_id = ?",
                                    (id_bytes(run),)).fetchone()
            session, = store.execute("SELECT id FROM sessions WHERE session_no = ?",
                                     (number,)).fetchone()
            gate = next(event["node"] for body, in store.execute(
                "SELECT body FROM commits WHERE session_no = ?", (number,))
                for event in json.loads(body)["events"] if event["kind"] == "gate_opened")
            commit, = store.execute("SELECT max(commit_no) + 1 FROM commits").fetchone()
            seq, at, previous = store.execute(
                "SELECT seq, at_ms, hash FROM commits WHERE session_no = ? ORDER BY seq DESC",
                (number,)).fetchone()
            event = {**word, "run": run, "gate": gate, "number": 1}
            body = json.dumps({"events": [event], "v": 2}, sort_keys=True, separators=(",", ":"))
            key = f"owner:gate:{gate}:1"
            text = "\n".join(["baton commit 1", previous.hex() + "sess_" + id_text(session),
                              str(seq + 1), str(at), str(len(key)), key, str(len(body)), body])
            store.execute("INSERT INTO commits VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                          (commit, number, seq + 1, key, at, previous,
                           hashlib.sha256(text.encode()).digest(), body))
            store.execute("UPDATE runs SET last_commit = ?, last_ms = ? WHERE session_no = ?",
                          (commit, at, number))

    def test_a_forged_presence_passes(self):
        """Succeeds at present: A program appends the owner's approval to the store itself."""
        other, _, _ = self.wait_at("present")
        self.assertEqual(self.in_terminal("approve", other).returncode, 0)
        run, _, token = self.wait_at("present", notes="Done too.")
        self.forge(run, self.latest_word())
        self.assertEqual(self.outcome(token, notes="Done too."), "passed")
        self.done("verify")

    def test_a_forged_presence_is_no_seal(self):
        """Refused: A program appends the owner's presence to the store, where a seal is asked."""
        other, _, _ = self.wait_at("present")
        self.assertEqual(self.in_terminal("approve", other).returncode, 0)
        run, _, token = self.start_sealed()
        self.forge(run, self.latest_word())
        self.assertEqual(self.outcome(token), "GATE_WAITING")

    def test_a_seal_for_another_run_is_none_for_this_one(self):
        """Refused: A program copies a seal of the owner's to the gate of another run."""
        other, _, _ = self.start_sealed()
        sealed = self.with_passphrase("approve", other)
        self.assertEqual(sealed.returncode, 0, sealed.stderr)
        run, _, token = self.wait_at("sealed", notes="Done too.")
        self.forge(run, self.latest_word())
        self.assertEqual(self.outcome(token, notes="Done too."), "GATE_WAITING", self.said)
        said = self.baton("verify")
        self.assertNotEqual(said.returncode, 0, said.stdout)
        self.assertIn("seal", said.stdout)

    def test_a_seal_by_a_key_that_does_not_count_is_found(self):
        """Refused: A program appends a decision that is sealed by a key of its own."""
        other, _, _ = self.start_sealed()
        self.assertEqual(self.with_passphrase("approve", other).returncode, 0)
        word = self.latest_word()
        run, _, token = self.wait_at("sealed", notes="Done too.")
        word["seal"]["key"] = "ab" * 32
        self.forge(run, word)
        self.assertEqual(self.outcome(token, notes="Done too."), "GATE_WAITING", self.said)
        self.assertNotEqual(self.baton("verify").returncode, 0)

    def remake(self):
        """As a program with the owner's shell: a store of its own, with a key of its own."""
        for path in [*self.folder.glob("baton.db*"),
                     *(self.folder / "home").glob(".local/share/baton/approval.key*")]:
            path.unlink()

    def test_a_store_of_ones_own_seals_what_it_likes(self):
        """Succeeds at sealed, unless it is checked: A program makes a store with its own key."""
        run, _, _ = self.start_sealed()
        self.assertEqual(self.with_passphrase("approve", run).returncode, 0)
        key, head = self.kept_key(), self.head()
        self.done("verify", "--approvals", key, "--since", head)
        self.remake()
        run, _, token = self.start_sealed()
        self.assertEqual(self.with_passphrase("approve", run).returncode, 0)
        self.assertEqual(self.outcome(token), "passed")
        self.done("verify")
        found = self.baton("verify", "--approvals", key)
        self.assertNotEqual(found.returncode, 0)
        self.assertIn("not one of those that were kept elsewhere", found.stdout)
        self.assertNotEqual(self.baton("verify", "--since", head).returncode, 0)

    def test_an_older_set_of_files_drops_a_refusal(self):
        """Succeeds at sealed, unless it is checked: A whole older copy of the store is put back."""
        run, _, token = self.start_sealed()
        kept = {path.name: path.read_bytes() for path in self.folder.glob("baton.db*")}
        refused = self.with_passphrase("refuse", run, "--why", "not yet")
        self.assertEqual(refused.returncode, 0, refused.stderr)
        self.assertEqual(self.outcome(token), "GATE_REFUSED")
        key, head = self.kept_key(), self.head()
        for path in self.folder.glob("baton.db*"):
            path.unlink()
        for name, content in kept.items():
            (self.folder / name).write_bytes(content)
            (self.folder / name).chmod(0o600)
        self.assertEqual(self.outcome(token), "GATE_WAITING")
        self.done("verify", "--approvals", key)
        self.assertNotEqual(self.baton("verify", "--since", head).returncode, 0)


if __name__ == "__main__":
    unittest.main()
