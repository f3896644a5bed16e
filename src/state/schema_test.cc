#include "state/schema.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "state/testing/schemas.h"

namespace baton::state {
namespace {

using json::Array;
using testing::computed;
using testing::computing;
using testing::object;
using testing::path;
using testing::schema;

/// The fields that a change affects with what triggered each, in order.
std::string affected(const StateSchema& schema, std::string_view changed) {
  const Path paths[] = {path(changed)};
  std::string out;
  for (const StateSchema::Affected& each : schema.affected(paths)) {
    out += cat(out.empty() ? "" : ", ", schema.computed()[each.field].name, " by ", each.trigger);
  }
  return out;
}

std::string order_of(const StateSchema& schema) {
  std::string out;
  for (const ComputedField& each : schema.computed()) {
    out += cat(out.empty() ? "" : " ", each.name, ':', each.level);
  }
  return out;
}

TEST(schema, fields_are_declared_by_types_defaults_inputs_and_as_computed) {
  const StateSchema made = schema(R"({"raw": {"a": "string"}, "state": {"b": "array"},
    "defaults": {"raw": {"c": 1}, "state": {"d": 2}, "inputs": {"e": 3}},
    "computed": [{"name": "f", "from": ["raw.a"], "list": false, "transform": "input",
                  "on_error": "ignore"}]})",
                                  R"({"g": {"type": "integer", "required": true}, "h": {}})");
  EXPECT_EQ(made.names(Root::raw), (StateSchema::Names{"a", "c"}));
  EXPECT_EQ(made.names(Root::state), (StateSchema::Names{"b", "d"}));
  EXPECT_EQ(made.names(Root::inputs), (StateSchema::Names{"e", "g", "h"}));
  EXPECT_EQ(made.names(Root::computed), (StateSchema::Names{"f"}));
  EXPECT_EQ(made.type_of(Root::raw, "a"), FieldType::string);
  EXPECT_EQ(made.type_of(Root::raw, "c"), FieldType::any);
  EXPECT_EQ(made.type_of(Root::inputs, "g"), FieldType::integer);
  EXPECT_EQ(made.find_computed("f")->on_error, OnTransformError::ignore);
  EXPECT_EQ(made.find_computed("g"), nullptr);
  EXPECT_TRUE(made.declares("h"));
  EXPECT_FALSE(made.declares("i"));
  EXPECT_TRUE(made.declares_state());
  EXPECT_FALSE(schema("{}", R"({"g": {}})").declares_state());
}

TEST(schema, names_of_include_steps_are_declared) {
  const StateSchema made = MUST(StateSchema::read({}, {}, FrameKind::root, {"checks"}));
  EXPECT_TRUE(made.declares("checks"));
}

TEST(schema, a_change_affects_what_reads_above_at_and_below_it) {
  const StateSchema made = computing(
      Array{computed("all", {"raw.a"}, "input"), computed("at", {"raw.a.b"}, "input"),
            computed("below", {"raw.a.b.c"}, "input"), computed("beside", {"raw.a.x"}, "input"),
            computed("other", {"state.a"}, "input")});
  EXPECT_EQ(affected(made, "raw.a.b"), "all by raw.a.b, at by raw.a.b, below by raw.a.b");
  EXPECT_EQ(affected(made, "raw.a.b.c.d"),
            "all by raw.a.b.c.d, at by raw.a.b.c.d, below by raw.a.b.c.d");
  EXPECT_EQ(affected(made, "raw.a"), "all by raw.a, at by raw.a, below by raw.a, beside by raw.a");
  EXPECT_EQ(affected(made, "state.a"), "other by state.a");
  EXPECT_EQ(affected(made, "raw.ab"), "");
}

TEST(schema, a_change_propagates_through_computed_fields) {
  const StateSchema made = computing(
      Array{computed("c", {"computed.b"}, "input"), computed("b", {"a"}, "input"),
            computed("a", {"raw.x"}, "input"), computed("d", {"this.a", "computed.c"}, "input")});
  EXPECT_EQ(order_of(made), "a:0 b:1 c:2 d:3");
  EXPECT_EQ(affected(made, "raw.x"),
            "a by raw.x, b by computed.a, c by computed.b, d by computed.a");
}

TEST(schema, a_bare_name_is_read_from_the_tier_that_has_it) {
  const StateSchema made = computing(Array{computed("a", {"x"}, "input")});
  for (const std::string_view tier : {"raw", "state", "inputs", "this"}) {
    EXPECT_EQ(affected(made, cat(tier, ".x")), cat("a by ", tier, ".x"));
  }
}

TEST(schema, the_length_of_a_list_changes_with_its_elements) {
  const StateSchema made = computing(Array{computed("a", {"raw.x.length"}, "input")});
  EXPECT_EQ(affected(made, "raw.x[3]"), "a by raw.x.3");
}

TEST(schema, what_a_transform_mentions_affects_it_too) {
  const StateSchema made = computing(
      Array{computed("a", {"raw.x"}, "input.map(each => ({ y: each, at: `${z.b}`, w: this.v }))"),
            computed("b", {"raw.x"}, "[a, raw.u]", {{"validate", "output < limit"}})});
  EXPECT_EQ(affected(made, "raw.z.b"), "a by raw.z.b, b by computed.a");
  EXPECT_EQ(affected(made, "state.v"), "a by state.v, b by computed.a");
  EXPECT_EQ(affected(made, "raw.u"), "b by raw.u");
  EXPECT_EQ(affected(made, "raw.limit"), "b by raw.limit");
  EXPECT_EQ(affected(made, "raw.y"), "");
  EXPECT_EQ(affected(made, "raw.w"), "");
  EXPECT_EQ(order_of(made), "a:0 b:1");
}

TEST(schema, fields_that_merely_mention_each_other_are_computed_in_the_order_of_the_workflow) {
  const StateSchema made =
      computing(Array{computed("a", {"raw.x"}, "[input, b]"),
                      computed("b", {"raw.y"}, "[input, a]"), computed("c", {"raw.y"}, "[c, b]")});
  EXPECT_EQ(order_of(made), "a:0 b:1 c:2");
  EXPECT_EQ(affected(made, "raw.x"), "a by raw.x, b by computed.a, c by computed.b");
  EXPECT_EQ(affected(made, "raw.y"), "b by raw.y, c by raw.y");
}

TEST(schema, a_field_computed_from_itself_is_refused) {
  const json::Object circle{{"computed", Array{computed("a", {"computed.b"}, "input"),
                                               computed("b", {"global.a"}, "input")}}};
  const auto made = StateSchema::read(circle, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::WORKFLOW_CYCLE);
  EXPECT_TRUE(StateSchema::read(circle, {}, FrameKind::nested));  // another frame's `a`
}

TEST(schema, a_nested_frame_reads_the_roots_as_global) {
  const json::Object state{{"computed", Array{computed("a", {"global.x"}, "input")}}};
  const StateSchema nested = MUST(StateSchema::read(state, {}, FrameKind::nested));
  EXPECT_TRUE(nested.reads_global());
  EXPECT_EQ(affected(nested, "global.x.y"), "a by global.x.y");
  EXPECT_EQ(affected(nested, "raw.x"), "");
  const StateSchema root = MUST(StateSchema::read(state, {}));
  EXPECT_FALSE(root.reads_global());
  EXPECT_EQ(affected(root, "raw.x"), "a by raw.x");
}

TEST(schema, what_an_include_computed_is_read_with_and_without_its_step) {
  const StateSchema made =
      computing(Array{computed("a", {"checks.total"}, "input"), computed("b", {"total"}, "input"),
                      computed("c", {"checks.other"}, "input")});
  EXPECT_EQ(affected(made, "this.checks.total"), "a by this.checks.total, b by this.checks.total");
  EXPECT_EQ(affected(made, "this.checks"), "a by this.checks, b by this.checks, c by this.checks");
}

TEST(schema, at_most_computed_levels_max_fields_depend_on_one_another) {
  Array chain{computed("f0", {"raw.x"}, "input")};
  for (std::size_t i = 1; i < limits::computed_levels_max; ++i) {
    chain.push_back(computed(cat('f', i), {cat("computed.f", i - 1)}, "input"));
  }
  EXPECT_TRUE(StateSchema::read({{"computed", chain}}, {}));
  chain.push_back(computed("last", {cat("computed.f", limits::computed_levels_max - 1)}, "input"));
  const auto made = StateSchema::read({{"computed", chain}}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::LIMIT_EXCEEDED);
}

TEST(schema, what_no_compiler_wrote_is_refused) {
  for (const std::string_view text :
       {R"({"computed": {}})", R"({"computed": [{}]})", R"({"raw": []})",
        R"({"computed": [{"name": "a", "from": [], "list": false, "transform": "1",
            "on_error": "ignore"}]})",
        R"({"computed": [{"name": "a", "from": ["x"], "list": false, "transform": "1",
            "on_error": "panic"}]})"}) {
    const auto made = StateSchema::read(object(text), {});
    ASSERT_FALSE(made) << text;
    EXPECT_EQ(made.error().code, Code::STORE_CORRUPT) << text;
  }
}

}  // namespace
}  // namespace baton::state
