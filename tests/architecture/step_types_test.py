"""The check of the step types sees a payload that is read outside of steps/."""

import unittest

import step_types
from scratch import ScratchTest

TABLE = "#pragma once\n// Types.\n#define TYPES(TYPE) \\\n  TYPE(loop, Loop, \"loop\") \\\n" \
        "  TYPE(prompt, PromptStep, \"prompt\")\n"


class StepTypes(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant(step_types.TABLE, TABLE)

    def test_a_payload_that_is_read_elsewhere_is_told(self):
        for read in ("step.as<workflow::Loop>()", "step->as<Loop>()",
                     "std::get_if<workflow::Loop>(&step.body)",
                     "std::holds_alternative<baton::workflow::Loop>(body)"):
            self.plant("src/run/walk/a.cc", f"int n;\nauto x = {read};\n")
            self.assert_one(step_types.check(self.root), "src/run/walk/a.cc:2:", "Loop",
                            "behaviour_of")

    def test_the_owners_of_the_types_and_tests_may_read_them(self):
        for path in ("src/run/steps/loop.cc", "src/workflow/show/outline.cc",
                     "src/run/walk/a_test.cc", "tests/verbs/a_test.cc"):
            self.plant(path, "auto x = step.as<workflow::Loop>();\n")
        self.plant("src/run/walk/a.cc", "// step.as<Loop>()\nauto x = value.as<Looped>();\n")
        self.assertEqual(step_types.check(self.root), [])

    def test_a_line_of_the_list_excuses_one_type_in_one_file(self):
        self.plant("src/run/walk/a.cc", "auto x = step.as<workflow::Loop>();\n")
        self.plant(step_types.LIST, "# Why.\nsrc/run/walk/a.cc Loop: a reason\n")
        self.assertEqual(step_types.check(self.root), [])
        self.plant("src/run/walk/a.cc", "auto x = step.as<workflow::Loop>();\n"
                                        "auto y = step.as<workflow::PromptStep>();\n")
        self.assert_one(step_types.check(self.root), "src/run/walk/a.cc:2:", "PromptStep")

    def test_a_line_without_a_use_or_a_reason_is_refused(self):
        self.plant(step_types.LIST, "src/run/walk/a.cc Loop: a reason\n")
        self.assert_one(step_types.check(self.root), "step_types.txt:1:", "take the line out")
        self.plant("src/run/walk/a.cc", "auto x = step.as<workflow::Loop>();\n")
        self.plant(step_types.LIST, "src/run/walk/a.cc Loop\n")
        self.assert_one(step_types.check(self.root), "has no reason")

    def test_a_table_that_cannot_be_read_is_told(self):
        self.plant(step_types.TABLE, "#pragma once\n// Nothing.\n")
        self.assert_one(step_types.check(self.root), "no row")


if __name__ == "__main__":
    unittest.main()
