#include "workflow/read/other_kind.h"

#include <gtest/gtest.h>

namespace baton::workflow {
namespace {

TEST(other_kind, tells_what_is_beside_workflows) {
  EXPECT_EQ(other_kind({"x/workflows/index.yaml", "- {name: a, path: b.md, tags: [c]}"}),
            "an index of workflows");
  EXPECT_EQ(other_kind({"x/index.yaml", "workflows: [{name: a, path: b.md}]"}),
            "an index of workflows");
  EXPECT_EQ(
      other_kind({"contracts/a.json", R"({"$schema": "http://json-schema.org/draft-07/schema#"})"}),
      "a schema");
  EXPECT_EQ(other_kind({"contracts/a.yaml", "{type: object, properties: {a: {type: string}}}"}),
            "a schema");
  EXPECT_EQ(other_kind({"agents/dev/a.md", "---\nname: a\n---\nYou."}), "a persona");
  EXPECT_EQ(other_kind({"rules/a.md", "---\nname: a\n---\nDo."}), "a rule");
  EXPECT_EQ(other_kind({"a.md", "---\nname: a\nglobs: ['*.c']\n---\nDo."}), "a rule");
}

TEST(other_kind, takes_no_workflow_for_another_thing) {
  EXPECT_EQ(other_kind({"index.yaml", "{id: index, steps: [{prompt: p}]}"}), "");
  EXPECT_EQ(other_kind({"agents/a.md", "---\nname: a\nphases: [{phase: p}]\n---\n"}), "");
  EXPECT_EQ(other_kind({"a.yaml", "{id: a, step: [{prompt: p}]}"}), "") << "it is a broken one";
  EXPECT_EQ(other_kind({"a.yaml", "{"}), "") << "it cannot be read";
  EXPECT_EQ(other_kind({"list.yaml", "[]"}), "");
}

}  // namespace
}  // namespace baton::workflow
