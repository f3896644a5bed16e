#!/usr/bin/env python3
"""What is written as version 1 was known to release 0.1.0, which takes anything else for damage.

    format_test.py BATON

A store with something of everything is made by the real program, and each commit of version 1 is
read as 0.1.0 reads it: with the fields and names that are listed here, as they were then, and no
others.
"""

import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import make_store
import mcp

BATON = sys.argv.pop(1)

FIELDS = {  # of each kind, in 0.1.0
    "session_created": "",
    "run_started": "run workflow workflowHash goal task",
    "node_created": "run node parent nodeKind position open settled frames shown items",
    "edge_created": "run from to edgeKind cause",
    "advance_recorded": "run node intent ordinal attempt step to drawn input reply",
    "node_output_appended": "run node channel notes sha256 content",
    "context_set": "run node source context",
    "preferences_changed": "run node autonomy riskPolicy",
    "tokens_revoked": "run",
    "observation_recorded": "run key value",
    "mcp_task_changed": "task call status worker message state requests responses result error",
    "decision_trace_appended": "run node entries",
    "validation_performed": "run node contract valid issues suggestions",
    "gap_recorded": "run node gap severity category reason summary step",
    "gap_resolved": "run node gap summary",
    "capability_observed": "run node capability status provenance failureCode detail",
    "divergence_recorded": "run node reason summary relatedStep",
    "assessment_recorded": "run node assessment dimensions summary guidance",
    "run_state_changed": "run node to why resetsCounts",
    "state_updated": "run node sets computed frame cause ended writes",
    "step_failed": "run node step type message consequence",
    "evidence_recorded": "run node step requirements baseline entries",
    "process_intended": "run node step argv timeoutMs runner tries delayMs directory environment",
    "process_finished": "run node intended end code problem outputBytes outputCut output errors",
    "task_leased": "run node task attempt session child until_ms",
    "task_settled": "run node task attempt final status result type message writes",
}
REPLY = ("kind session run state ack checkpoint pending checkpointNode nextIntent "
         "preferences warnings status blockers retryable example gaps openGaps "
         "capabilities stepContext task")
PENDING = "stepId title prompt requireConfirmation agentRole kind definition"
INTENTS = "perform_pending_then_continue await_user_confirmation rehydrate_only complete"
REASONS = ("needs_user_secret_or_token needs_user_account_access needs_user_artifact "
           "needs_user_choice needs_user_approval needs_user_environment_action "
           "missing_required_output invalid_required_output "
           "required_capability_unavailable required_capability_unknown "
           "invariant_violation storage_corruption_detected evaluation_error "
           "evidence_missing")
BLOCKERS = ("USER_ONLY_DEPENDENCY MISSING_REQUIRED_OUTPUT INVALID_REQUIRED_OUTPUT "
            "REQUIRED_CAPABILITY_UNKNOWN REQUIRED_CAPABILITY_UNAVAILABLE "
            "INVARIANT_VIOLATION STORAGE_CORRUPTION_DETECTED EVIDENCE_MISSING")
BASELINE = "look what seen bytes sha256 commit tips"
STEP = ("id type title prompt requireConfirmation agentRole then else body steps agent "
        "allowParallel argv assessmentConsequences assessmentRefs choices condition "
        "confirmation context context_template count default dependencies description env "
        "evidence expected_response file format fragments frame hints input_type inputs "
        "instructions item_var items index_var iteration_var kind command control loop_id "
        "max_iterations max_parallel max_retries message message_type nonAssumableChoice "
        "notesOptional on_error on_sub_agent_error outputContract output_format "
        "parameters pathPatterns reason runCondition sub_agent_prompt tags task "
        "timeout_ms tool tools updates validation validationCriteria wait_for_all "
        "workflow working_directory error_update required_output_format allowed_actions")


class VersionOne(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = str(self.folder / "store/baton.db")

    def run_baton(self, *words):
        return subprocess.run([BATON, *words, "--db", self.store], check=True, capture_output=True,
                              text=True).stdout

    def bodies(self):
        with sqlite3.connect(self.store) as store:
            rows = store.execute("SELECT body FROM commits ORDER BY commit_no")
            return [json.loads(row[0]) for row in rows]

    def only(self, names, value, what):
        self.assertLessEqual(set(value), set(names.split()), what)

    def check_reply(self, reply):
        self.only(REPLY, reply, reply)
        self.only(PENDING, reply.get("pending", {}), reply)
        self.assertIn(reply["nextIntent"], INTENTS.split())
        for blocker in reply.get("blockers", []):
            self.assertIn(blocker["code"], BLOCKERS.split())
        for gap in reply.get("gaps", []):
            self.assertIn(gap["reason"], REASONS.split())

    def check_steps(self, steps):
        for step in steps:
            self.only(STEP, step, step["id"])
            for block in ("then", "else", "body", "steps"):
                inner = step.get(block)
                if isinstance(inner, list) and inner and isinstance(inner[0], dict):
                    self.check_steps(inner)

    def check_started(self, event):
        with sqlite3.connect(self.store) as store:
            text, = store.execute("SELECT data FROM workflows WHERE hash = ?",
                                  (bytes.fromhex(event["workflowHash"]),)).fetchone()
        self.check_steps(json.loads(text)["steps"])

    def check(self, event):
        self.assertIn(event["kind"], FIELDS)
        self.only("kind " + FIELDS[event["kind"]], event, event)
        if event["kind"] == "advance_recorded":
            self.check_reply(event["reply"])
        if event["kind"] == "gap_recorded":
            self.assertIn(event["reason"], REASONS.split())
        if event["kind"] == "run_started":
            self.check_started(event)
        for entry in event.get("baseline", []):
            self.only(BASELINE, entry, event)

    def test_has_nothing_that_0_1_0_does_not_know(self):
        make_store.main(BATON, str(self.folder / "store"))
        run = json.loads((self.folder / "store/tokens.json").read_text())["fork"]
        self.run_baton("guide", run["run"], "Mind the gap.")
        self.run_baton("pause", run["run"], "--why", "lunch")
        self.run_baton("resume", run["run"])
        with mcp.Server(BATON, self.store, "--workflows", str(make_store.WORKFLOWS),
                        "--allow-shell", folder=self.folder) as server:
            server.advance(run["ack"], "Round two.")
            fork = server.advance(run["ack"], "Another round two.")
            self.assertEqual(fork["kind"], "ok", fork)
        versions = set()
        for body in self.bodies():
            versions.add(body["v"])
            if body["v"] == 1:
                for event in body["events"]:
                    self.check(event)
        self.assertEqual(versions, {1, 2})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
