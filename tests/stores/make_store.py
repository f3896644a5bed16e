#!/usr/bin/env python3
"""Makes a store with the release that is to be kept: make_store.py BATON FOLDER

Run it once with a release's own binary, just before the next release begins; the folder then holds
the store, its keys and `tokens.json`, which names what store_test.py goes on with.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import mcp

WORKFLOWS = pathlib.Path(__file__).parent / "workflows"


def rail(server, out):
    """Forks, a blocked attempt, a checkpoint, gaps, preferences and a revoked run."""
    first = server.call("start_workflow", workflowId="stores.fork", goal="Show every kind of node",
                        context={"ticket": "A-1"})
    look = first["ackToken"]
    second = server.advance(look, "Looked.")
    server.call("checkpoint_workflow", checkpointToken=second["checkpointToken"],
                output={"notesMarkdown": "Half a round."})
    third = server.advance(second["ackToken"], "Round one.", context={"rounds": 1})
    fourth = server.advance(third["ackToken"], "Round two. " + "A long text is kept apart. " * 40)
    blocked = server.advance(fourth["ackToken"], "It works, I saw it.")
    assert blocked["kind"] == "blocked", blocked
    out["blocked"] = {"ack": fourth["ackToken"], "notes": "It works, I saw it.",
                      "retry": blocked["retryAckToken"]}
    # The chat is rewound to the first round: the second answer begins a branch.
    fork = server.advance(second["ackToken"], "Round one, done differently.")
    out["fork"] = {"ack": fork["ackToken"], "replayed": look, "notes": "Looked.",
                   "run": first["session"]["runId"], "state": first["stateToken"]}

    auto = server.call("start_workflow", workflowId="stores.gaps",
                       preferences={"autonomy": "full_auto_never_stop"})
    done = server.advance(auto["ackToken"], "Decided.")
    assert done["openGaps"] == 1, done
    out["gap"] = {"ack": done["ackToken"], "run": auto["session"]["runId"]}

    raised = server.call("start_workflow", workflowId="stores.fork")
    server.advance(raised["ackToken"], "Looked.", preferences={"autonomy": "full_auto_never_stop"})

    long = server.call("start_workflow", workflowId="stores.long", goal="Enough for a snapshot")
    token = long["ackToken"]
    for number in range(40):
        token = server.advance(token, f"Number {number}. " + "x" * 200)["ackToken"]
    out["long"] = {"ack": token, "run": long["session"]["runId"]}

    revoked = server.call("start_workflow", workflowId="stores.fork", goal="To be revoked")
    out["revoked"] = {"ack": revoked["ackToken"], "run": revoked["session"]["runId"]}


def commands(server, out):
    """A run that goes on over a command of the server, in the middle of it."""
    run = server.call("start_workflow", workflowId="stores.commands")
    after = server.advance(run["ackToken"], "Begun.")
    assert after["pending"]["stepId"] == "after", after
    out["commands"] = {"ack": after["ackToken"], "run": run["session"]["runId"]}


def mcp_task(server, out):
    """A call that outlasts its wait and becomes a task of the MCP client."""
    begun = server.call("start_workflow", workflowId="stores.slow")
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "extensions": {"io.modelcontextprotocol/tasks": {}}}}
    task = server.request("tools/call", {
        "_meta": meta, "name": "continue_workflow",
        "arguments": {"ackToken": begun["ackToken"], "output": {"notesMarkdown": "Begun."}},
    })["result"]
    assert task["resultType"] == "task", task
    while task["status"] == "working":
        time.sleep(1)
        task = server.request("tasks/get", {"_meta": meta, "taskId": task["taskId"]})["result"]
    reply = task["result"]["structuredContent"]
    out["mcp_task"] = {"task": task["taskId"], "ack": reply["ackToken"]}


def tasks(server, out):
    """Three tasks: one is settled, one is in a sub-agent's hands, one waits."""
    run = server.call("workflow_start", workflow="stores.state",
                      inputs={"files": ["a", "b", "c"]})["workflow_id"]
    server.call("workflow_step_complete", workflow_id=run, step_id="first", result="Begun.")
    server.call("workflow_get_next_step", workflow_id=run)
    for number in (0, 1):
        server.call("workflow_get_next_step", workflow_id=run,
                    sub_agent_context={"task_id": f"review.item{number}"})
    server.call("workflow_step_complete", workflow_id=run, step_id="review@0::read", result="Read.",
                sub_agent_context={"task_id": "review.item0"})
    out["tasks"] = {"run": run}


def plan(baton, store, out):
    """A run with a step for each open task of a plan."""
    with tempfile.TemporaryDirectory() as project:
        (pathlib.Path(project) / ".baton").mkdir()
        (pathlib.Path(project) / ".baton/plan.md").write_text(
            "feat: Keep stores of old releases\n\n- [ ]: Make one\n- [ ]: Open it\n")
        made = subprocess.run([baton, "plan", "run", "--json", "--db", store], cwd=project,
                              check=True, capture_output=True, text=True).stdout
    out["plan"] = {"run": json.loads(made)["runId"], "ack": json.loads(made)["ackToken"]}


def main(baton, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    store = str(folder / "baton.db")
    out = {}
    flags = ["--workflows", str(WORKFLOWS), "--allow-shell"]
    with mcp.Server(baton, store, *flags, folder=folder) as server:
        old = server.call("start_workflow", workflowId="stores.fork", goal="To be removed")
        out["removed"] = {"ack": server.advance(old["ackToken"])["ackToken"],
                          "run": old["session"]["runId"]}
    subprocess.run([baton, "gc", "--days", "0", "--db", store], check=True)
    with mcp.Server(baton, store, *flags, folder=folder) as server:
        rail(server, out)
        commands(server, out)
        mcp_task(server, out)
    with mcp.Server(baton, store, "--surface", "atomic", *flags, folder=folder) as server:
        tasks(server, out)
    plan(baton, store, out)
    subprocess.run([baton, "revoke", out["revoked"]["run"], "--db", store], check=True)
    (folder / "tokens.json").write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
