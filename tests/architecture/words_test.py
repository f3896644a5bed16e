"""The check of words sees tools, arguments and flags where they do not belong."""

import unittest

import words
from scratch import ScratchTest

TOOLS = """protocol::Tool start_workflow(const EngineSource& engine) {
  return {.schema = R"({"workflowId":{"type":"string"},"goal":{}})"};
}
"""


class Words(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant("src/surface/rail/tools.cc", TOOLS)

    def test_a_tool_an_argument_and_a_flag_are_found(self):
        for text, what in (("call start_workflow", "the tool start_workflow"),
                           ("send a workflowId", "the argument workflowId"),
                           ("use --db to choose", "a flag"),
                           ("`baton show` has it", "a command of the terminal")):
            self.plant("src/run/a.cc", f'const char* text = "{text}";\n')
            self.assert_one(words.check(self.root), "src/run/a.cc:1", what)

    def test_a_tool_of_another_surface_is_found_everywhere(self):
        for path in ("surface/atomic/encode.cc", "surface/page.cc", "surface/prompts/prompt.cc",
                     "workflow/a.cc", "adapters/a.cc", "protocol/a.h", "cli/commands/show.cc"):
            self.plant(f"src/{path}", 'const char* text = "then call start_workflow";\n')
            self.assert_one(words.check(self.root), f"src/{path}:1",
                            "the tool start_workflow of the surface rail")
            (self.root / "src" / path).unlink()

    def test_an_argument_of_another_surface_is_found(self):
        self.plant("src/surface/atomic/start.cc", "protocol::Tool workflow_start(const Source& s);")
        self.plant("src/surface/atomic/encode.cc", 'const char* text = "send the workflowId";\n')
        self.assert_one(words.check(self.root), "src/surface/atomic/encode.cc:1", "workflowId")
        self.plant("src/surface/tokens.cc", 'const char* text = "send the workflowId";\n')
        self.assertEqual(len(words.check(self.root)), 2)
        (self.root / "src/surface/tokens.cc").unlink()
        self.plant("src/surface/atomic/tools.cc", 'R"({"workflowId":{"type":"string"}})"\n')
        self.assertEqual(words.check(self.root), [])

    def test_a_tool_in_a_bundled_workflow_is_found(self):
        self.plant("content/workflows/a.yaml", "steps:\n  - prompt: Call start_workflow.\n")
        self.assert_one(words.check(self.root), "content/workflows/a.yaml:2", "start_workflow")

    def test_what_plays_an_agent_may_call_tools(self):
        for path in words.CALLERS:
            self.plant(path, 'const char* text = "start_workflow";\n')
        self.assertEqual(words.check(self.root), [])

    def test_ordinary_words_comments_and_the_own_surface_pass(self):
        self.plant("src/run/a.cc", '// start_workflow\nconst char* text = "the goal is set";\n')
        self.plant("src/surface/rail/words.cc", 'const char* text = "call start_workflow";\n')
        self.plant("src/run/a_test.cc", 'const char* text = "call start_workflow";\n')
        self.assertEqual(words.check(self.root), [])

    def test_a_key_that_the_log_has_too_passes_alone(self):
        self.plant("src/surface/rail/more.cc", 'R"({"task_id":{"type":"string"}})"\n')
        self.plant("src/run/a.cc", 'f.string("task_id");\n')
        self.assertEqual(words.check(self.root), [])
        self.plant("src/run/a.cc", 'fail("send the task_id");\n')
        self.assert_one(words.check(self.root), "task_id")


if __name__ == "__main__":
    unittest.main()
