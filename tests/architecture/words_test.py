"""The check of words sees tools, arguments and flags in the engine's rooms, and nowhere else."""

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

    def test_ordinary_words_comments_and_other_rooms_pass(self):
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
