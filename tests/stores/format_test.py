#!/usr/bin/env python3
"""What is written as version 1 was known to release 0.1.0, which takes anything else for damage.

    format_test.py BATON

A store with something of everything is made by the real program, and each commit of version 1 is
read as 0.1.0 reads it: with the fields and names that are listed here, as they were then, and no
others.
"""

import collections
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


WORKFLOW = ("id name description version tags steps assessments capabilities "
            "clarificationPrompts complexity config contracts error_handling "
            "estimated_duration_minutes functions guidance inputs kind metaGuidance on_resume "
            "personas preconditions recommendedPreferences references rules state tasks triggers "
            "features")
TYPES = ("prompt user_message user_input mcp_call shell_command agent_shell_command state_update "
         "conditional loop break continue exit parallel_foreach include apply_hints wait_step")
SNAPSHOT = ("v session run node nodeKind workflow workflowHash position open context autonomy "
            "riskPolicy frames runState ledger shown states workspace evidence process ran items "
            "task")
LEDGER = "gapsRecorded openGaps capabilities assessments setbacks"
SETBACKS = "step refused failed restarts error"

# A workflow with each member that 0.1.0 does not know, at a step that the run is not at when it is
# started: only the workflow needs a later version then.
NEWER = {
    "gate": "{prompt: P., gate: {prompt: Ship it?}}",
    "effect": "{prompt: P., effect: true}",
    "on_fork": "{type: mcp_call, tool: t, effect: true, on_fork: reuse}",
    "undo": "{type: shell_command, command: 'true', undo: 'true'}",
    "despite_gaps": "{type: shell_command, command: 'true', despite_gaps: true}",
    "waivable": "{prompt: P., evidence: [{file_exists: a}], waivable: true}",
    "sandbox": "{type: shell_command, command: 'true', sandbox: workspace}",
}
PLACES = {  # of such a step
    "outermost": "steps: [{prompt: Begin.}, %s]",
    "loop": "steps: [{prompt: Begin.}, {type: loop, loop: {type: for, count: 1, maxIterations: 1}, "
            "body: [%s]}]",
    "task": "steps: [{prompt: Begin.}, {type: parallel_foreach, items: '{{ [1] }}', "
            "sub_agent_task: t}]\nsub_agent_tasks: {t: {steps: [%s]}}",
    "on_failure": "steps: [{prompt: Begin.}]\nerror_handling: {on_error: checkpoint_and_fail, "
                  "on_failure: [%s]}",
}


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
            self.assertIn(step["type"], TYPES.split())
            for block in ("then", "else", "body", "steps"):
                inner = step.get(block)
                if isinstance(inner, list) and inner and isinstance(inner[0], dict):
                    self.check_steps(inner)

    def workflow_of(self, event):
        with sqlite3.connect(self.store) as store:
            text, = store.execute("SELECT data FROM workflows WHERE hash = ?",
                                  (bytes.fromhex(event["workflowHash"]),)).fetchone()
        return json.loads(text)

    def check_workflow(self, workflow):
        self.only(WORKFLOW, workflow, workflow["id"])
        self.check_steps(workflow["steps"])
        self.check_steps(workflow.get("error_handling", {}).get("on_failure", []))
        for task in workflow.get("tasks", {}).values():
            self.check_steps(task.get("steps", []))
            self.check_steps(task.get("error_handling", {}).get("cleanup", []))

    def check_snapshots(self):
        """How many snapshots of each version there are."""
        with sqlite3.connect(self.store) as store:
            rows = store.execute("SELECT data FROM snapshots").fetchall()
        versions = collections.Counter()
        for text, in rows:
            snapshot = json.loads(text)
            versions[snapshot["v"]] += 1
            if snapshot["v"] == 1:
                self.only(SNAPSHOT, snapshot, snapshot)
                self.only(LEDGER, snapshot.get("ledger", {}), snapshot)
                self.only(SETBACKS, snapshot.get("ledger", {}).get("setbacks", {}), snapshot)
                self.check_workflow(self.workflow_of(snapshot))
        return versions

    def check(self, event):
        self.assertIn(event["kind"], FIELDS)
        self.only("kind " + FIELDS[event["kind"]], event, event)
        if event["kind"] == "advance_recorded":
            self.check_reply(event["reply"])
        if event["kind"] == "gap_recorded":
            self.assertIn(event["reason"], REASONS.split())
        if event["kind"] == "run_started":
            self.check_workflow(self.workflow_of(event))
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
        self.check_snapshots()

    def write_workflow(self, name, text):
        folder = self.folder / "workflows"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.yaml").write_text(f"id: {name}\n{text}\n")

    def begin(self, server, name):
        """The token of a new run, and the events of its first commit, of which only what says the
        form of its workflow needs a later version."""
        begun = server.call("start_workflow", workflowId=name)
        self.assertIn("ackToken", begun, begun)
        body = self.bodies()[-1]
        started = next(each for each in body["events"] if each["kind"] == "run_started")
        self.assertEqual(body["v"], 2 if "workflowForm" in started else 1, name)
        started = dict(started)
        form = started.pop("workflowForm", 1)
        for event in body["events"]:
            if event["kind"] not in FIELDS:
                self.assertEqual(body["v"], 2, event)
                continue
            self.only("kind " + FIELDS[event["kind"]],
                      started if event["kind"] == "run_started" else event, event)
        return begun["ackToken"], started, form

    def test_a_run_of_a_workflow_that_0_1_0_does_not_know_is_said_to_be_newer(self):
        for key, step in NEWER.items():
            for place, text in PLACES.items():
                self.write_workflow(f"newer.{key}.{place}", text % step)
        # A member of the workflow itself, beside its steps.
        self.write_workflow("newer.budget", "budget: {steps: 9}\nsteps: [{prompt: Begin.}]")
        old = "{prompt: P., evidence: [{file_exists: a}], agentRole: tester, tags: [x]}"
        for place, text in PLACES.items():
            self.write_workflow(f"older.{place}", text % old)
        with mcp.Server(BATON, self.store, "--workflows", str(self.folder / "workflows"),
                        folder=self.folder) as server:
            for key in NEWER:
                for place in PLACES:
                    _, started, form = self.begin(server, f"newer.{key}.{place}")
                    workflow = self.workflow_of(started)
                    self.assertIn(f'"{key}":', json.dumps(workflow))
                    with self.assertRaises(AssertionError, msg=f"{key} is known to 0.1.0"):
                        self.check_workflow(workflow)
                    self.assertEqual(form, 2, (key, place))
            self.assertEqual(self.begin(server, "newer.budget")[2], 2)
            for place in PLACES:
                _, started, form = self.begin(server, f"older.{place}")
                self.check_workflow(self.workflow_of(started))
                self.assertEqual(form, 1, place)

    def test_a_snapshot_of_such_a_run_is_newer_too(self):
        # 0.1.0 begins at a snapshot and does not read the run's first commit then.
        # Of a step in a loop the counts of the breaker are newer than 0.1.0, so there is none here.
        many = "".join(f"  - {{id: one-{number}, prompt: Do one more.}}\n" for number in range(30))
        long = f"steps:\n{many}  - {{id: end, prompt: End.%s}}"
        self.write_workflow("older.long", long % "")
        self.write_workflow("newer.long", long % ", effect: false")
        versions = {}
        with mcp.Server(BATON, self.store, "--workflows", str(self.folder / "workflows"),
                        folder=self.folder) as server:
            for name in ("older.long", "newer.long"):
                token, _, _ = self.begin(server, name)
                for number in range(30):
                    token = server.advance(token, f"Number {number}. " + "x" * 200)["ackToken"]
                versions[name] = self.check_snapshots()
        self.assertEqual(set(versions["older.long"]), {1})
        self.assertEqual(versions["newer.long"][1], versions["older.long"][1])
        self.assertGreater(versions["newer.long"][2], 0)

    def test_a_bundle_of_such_a_run_has_a_later_version(self):
        self.write_workflow("newer", PLACES["outermost"] % NEWER["gate"])
        self.write_workflow("older", PLACES["outermost"] % "{prompt: P.}")
        with mcp.Server(BATON, self.store, "--workflows", str(self.folder / "workflows"),
                        folder=self.folder) as server:
            runs = {name: self.begin(server, name)[1]["run"] for name in ("newer", "older")}
        self.assertEqual(json.loads(self.run_baton("export", runs["newer"]))["v"], 2)
        self.assertEqual(json.loads(self.run_baton("export", runs["older"]))["v"], 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
