"""One plan and several servers: real processes on one git repository, or on one file.

    shared_plan_test.py BATON
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stores"))
import mcp  # noqa: E402

BATON = sys.argv.pop(1)
MARKS = 24


class SharedPlan(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name) / "project"
        self.folder.mkdir()
        os.environ["HOME"] = self.scratch.name
        os.environ["GIT_CONFIG_NOSYSTEM"] = "1"

    def git(self, *words):
        done = subprocess.run(["git", *words], cwd=self.folder, capture_output=True, text=True,
                              check=True)
        return done.stdout

    def serve(self, number):
        server = mcp.Server(BATON, f"{self.scratch.name}/runs{number}.db", "--surface", "planner",
                            folder=self.folder)
        self.addCleanup(server.__exit__)
        return server

    def mark_all_at_once(self, servers):
        """Sends every mark before the first answer is read; gives the refusals."""
        tasks = [f"task number {i:02}" for i in range(MARKS)]
        goal = {"type": "feat", "title": "Race"}
        servers[0].call("set_overarching_goal", goal=goal)
        servers[0].call("set_plan", plan=[[False, text, []] for text in tasks])
        for i, text in enumerate(tasks):
            servers[i % len(servers)].send({
                "id": f"mark{i}", "method": "tools/call",
                "params": {"name": "mark_task", "arguments": {"task_id": text}}})
        refused = []
        for server in servers:
            for _ in range(MARKS // len(servers)):
                answer = mcp.json.loads(server.process.stdout.readline())
                while "result" not in answer:  # what the others changed is announced
                    answer = mcp.json.loads(server.process.stdout.readline())
                if answer["result"].get("isError"):
                    refused.append(answer["result"]["content"][0]["text"])
        done = servers[0].call("gather_requirements")["progress"]
        self.assertEqual(done, {"done": MARKS, "total": MARKS})
        return refused

    def test_of_many_marks_over_two_servers_none_is_refused_in_git(self):
        self.git("init", "--quiet", "--initial-branch=main")
        self.assertEqual(self.mark_all_at_once([self.serve(1), self.serve(2)]), [])
        self.assertEqual(self.git("config", "branch.main.description").count("- [x]: "), MARKS)

    def test_of_many_marks_over_two_servers_none_is_refused_in_a_file(self):
        self.assertEqual(self.mark_all_at_once([self.serve(1), self.serve(2)]), [])

    def test_tasks_from_an_old_view_undo_no_mark_of_another_server(self):
        self.git("init", "--quiet", "--initial-branch=main")
        one, other = self.serve(1), self.serve(2)
        one.call("set_overarching_goal", goal={"type": "feat", "title": "T"})
        version = one.call("set_plan", plan=[[False, "A", []]])["version"]
        other.call("mark_task", task_id="A")
        late = one.request("tools/call", {"name": "set_plan", "arguments": {
            "plan": [[False, "A", []], [False, "B", []]], "version": version}})["result"]
        self.assertTrue(late["isError"])
        self.assertIn("the plan was changed since version", late["content"][0]["text"])
        self.assertIn("- [x]: A", self.git("config", "branch.main.description"))

    def test_a_plan_that_no_argument_of_a_command_can_hold_is_kept_in_git(self):
        self.git("init", "--quiet", "--initial-branch=main")
        server = self.serve(1)
        roomy = {"maxInputLength": 1_000_000}
        server.call("set_overarching_goal", goal={"type": "feat", "title": "T"})
        text = 'A "quoted" \\ line; # and\t日本.\n' * 10_000
        server.call("set_detailed_goal", description=text, config=roomy)
        server.call("set_plan", plan=[[False, "A", []]], config=roomy)
        server.call("mark_task", task_id="A")
        kept = self.git("config", "branch.main.description")
        self.assertIn(text.strip(), kept)
        self.assertIn("- [x]: A\n", kept)


if __name__ == "__main__":
    unittest.main()
