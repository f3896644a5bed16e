#include "state/update.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "state/testing/fake_scripts.h"
#include "state/testing/schemas.h"

namespace baton::state {
namespace {

using json::Array;
using json::Object;
using json::Value;
using testing::computed;
using testing::computing;
using testing::frame;
using testing::path;
using testing::pump;
using testing::Pumped;
using testing::schema;
using testing::threw;
using testing::tree;
using testing::value;

/// "input" gives its input back, "fail" throws, "output > 9" is what it says, anything
/// else is a text: what it was asked, with its scope.
ScriptResult scripts(std::string_view source, const Value& scope) {
  if (source == "fail") return threw("it fails");
  if (source == "gone") {
    return std::unexpected(ScriptProblem{ScriptFault::unavailable, "no sandbox", {}, 0, 0});
  }
  if (source == "input") {
    if (const Value* input = scope.find("input")) return *input;
    return std::unexpected(ScriptProblem{ScriptFault::undefined, "there is no result", {}, 0, 0});
  }
  if (source == "output > 9") return scope.find("output")->as_double() > 9;
  return Value(cat(source, json::print(scope)));
}

Result<Delta> apply(const StateSchema& schema, const Frame& frame, std::vector<Write> writes,
                    Pumped* pumped = nullptr) {
  return pump(
      scripts,
      [&](ScriptAnswers& answers) { return apply_writes(schema, frame, writes, {}, answers); },
      pumped);
}

Write set(std::string_view at, Value value) { return {path(at), Operation::set, std::move(value)}; }

TEST(update, writes_are_made_in_order_and_recorded_where_they_change_something) {
  const StateSchema made = schema("{}");
  const Frame before = frame(R"({"raw":{"list":[1],"n":1}})");
  const Delta delta = MUST(apply(made, before,
                                 {set("raw.a.b", 1),
                                  {path("raw.list"), Operation::append, 2},
                                  {path("raw.list"), Operation::append, 3},
                                  {path("raw.n"), Operation::increment, nullptr},
                                  set("state.s", "x")}));
  EXPECT_EQ(json::print(to_json(delta)),
            R"({"sets":[{"path":"raw.a.b","value":1},{"path":"raw.list.1","value":2},)"
            R"({"path":"raw.list.2","value":3},{"path":"raw.n","value":2},)"
            R"({"path":"state.s","value":"x"}],"computed":[]})");
  const Frame after = MUST(replayed(before, delta));
  EXPECT_EQ(after.raw.print(), R"({"a":{"b":1},"list":[1,2,3],"n":2})");
  EXPECT_EQ(after.state.print(), R"({"s":"x"})");
}

TEST(update, affected_fields_are_computed_once_each_after_what_they_read) {
  const StateSchema made = computing(Array{
      computed("a", {"raw.x"}, "input"), computed("b", {"raw.x"}, "input"),
      computed("c", {"computed.a", "computed.b"}, "input"), computed("d", {"raw.y"}, "input")});
  Pumped pumped;
  const Delta delta = MUST(apply(made, Frame(), {set("raw.x", 1), set("raw.x", 2)}, &pumped));
  ASSERT_EQ(delta.computed.size(), 3u);
  EXPECT_EQ(delta.computed[0],
            (Computation{"a", Value(2), ComputeOutcome::computed, "", "raw.x", 1}));
  EXPECT_EQ(delta.computed[2],
            (Computation{"c", Value(Array{2, 2}), ComputeOutcome::computed, "", "computed.a", 1}));
  EXPECT_EQ(pumped.rounds, 2u);  // a and b at once
  EXPECT_EQ(MUST(replayed(Frame(), delta)).computed.print(), R"({"a":2,"b":2,"c":[2,2]})");
}

TEST(update, a_transform_sees_its_input_and_the_flattened_state) {
  const StateSchema made =
      computing(Array{computed("a", {"raw.x", "raw.none"}, "[input, y, raw.z, inputs, this.s]")});
  const Delta delta =
      MUST(apply(made, frame(R"({"raw":{"y":1,"z":2,"other":9},"state":{"s":3},"inputs":{"i":4}})"),
                 {set("raw.x", 5)}));
  EXPECT_EQ(*delta.computed[0].output->if_string(),
            R"([input, y, raw.z, inputs, this.s]{"input":[5,null],"inputs":{"i":4},)"
            R"("raw":{"z":2},"this":{"s":3},"y":1})");
}

TEST(update, a_failing_transform_falls_back_is_ignored_or_refuses_the_batch) {
  const auto with = [](std::string_view on_error, Object more = {}) {
    more.set("on_error", on_error);
    return computing(
        Array{computed("a", {"raw.x"}, "fail", more), computed("b", {"computed.a"}, "seen: ")});
  };
  const Delta fallback =
      MUST(apply(with("use_fallback", {{"fallback", 7}}), Frame(), {set("raw.x", 1)}));
  EXPECT_EQ(fallback.computed[0],
            (Computation{"a", Value(7), ComputeOutcome::fallback,
                         "it fails at line 1, column 1, in `fail`", "raw.x", 1}));
  const Delta null = MUST(apply(with("use_fallback"), Frame(), {set("raw.x", 1)}));
  EXPECT_EQ(null.computed[0].output, Value());
  const Frame before = frame(R"({"computed":{"a":1}})");
  const Delta ignored = MUST(apply(with("ignore"), before, {set("raw.x", 1)}));
  EXPECT_EQ(ignored.computed[0].outcome, ComputeOutcome::ignored);
  EXPECT_EQ(ignored.computed[0].output, std::nullopt);
  EXPECT_EQ(MUST(replayed(before, ignored)).computed.print(), R"({"b":"seen: {}"})");
  const auto refused = apply(with("propagate"), before, {set("raw.x", 1), set("raw.y", 2)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::SCRIPT_FAILED);
  EXPECT_EQ(refused.error().message,
            "the computed field \"a\": it fails at line 1, column 1, in `fail`");
}

TEST(update, a_field_does_not_propagate_before_all_it_is_computed_from_is_set) {
  const StateSchema made =
      computing(Array{computed("a", {"raw.x", "raw.y"}, "fail", {{"on_error", "propagate"}})});
  const Delta delta = MUST(apply(made, Frame(), {set("raw.x", 1)}));
  EXPECT_EQ(delta.computed[0].outcome, ComputeOutcome::ignored);
  EXPECT_FALSE(apply(made, frame(R"({"raw":{"x":1}})"), {set("raw.y", 1)}));
}

TEST(update, a_machine_without_sandbox_does_not_fail_a_transform) {
  const StateSchema made = computing(Array{computed("a", {"raw.x"}, "gone")});
  const auto refused = apply(made, Frame(), {set("raw.x", 1)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::ENVIRONMENT);
}

TEST(update, a_value_that_does_not_pass_its_check_is_a_failure) {
  const Object check{{"validate", "output > 9"}, {"fallback", 0}};
  const StateSchema made = computing(Array{computed("a", {"raw.x"}, "input", check)});
  EXPECT_EQ(MUST(apply(made, Frame(), {set("raw.x", 10)})).computed[0].output, Value(10));
  const Delta small = MUST(apply(made, Frame(), {set("raw.x", 9)}));
  EXPECT_EQ(small.computed[0].output, Value(0));
  EXPECT_EQ(small.computed[0].problem, "the value does not pass the check `output > 9`");
  Object strict = check;
  strict.set("on_error", "propagate");
  const auto refused = apply(computing(Array{computed("a", {"raw.x"}, "input", strict)}), Frame(),
                             {set("raw.x", 9)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::STATE_CHECK_FAILED);
}

TEST(update, one_wrong_write_refuses_all_and_says_which) {
  const StateSchema made = schema(R"({"raw":{"n":"integer"}})");
  const auto refused = apply(made, Frame(), {set("raw.n", 1), set("raw.n", "x")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "update 2: \"raw.n\": expected integer, got string");
}

TEST(update, a_batch_has_at_most_state_writes_max_writes) {
  std::vector<Write> writes(limits::state_writes_max, set("raw.n", 1));
  EXPECT_TRUE(apply(schema("{}"), Frame(), writes));
  writes.push_back(set("raw.n", 1));
  const auto refused = apply(schema("{}"), Frame(), writes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
}

TEST(update, a_state_has_at_most_state_bytes_max_bytes) {
  Frame full;
  const std::size_t empty = full.bytes();
  const std::size_t around = std::string_view(R"("a":"")").size();
  const std::string most(limits::state_bytes_max - empty - around, 'x');
  EXPECT_TRUE(apply(schema("{}"), full, {set("raw.a", most)}));
  const auto refused = apply(schema("{}"), full, {set("raw.a", most + 'x')});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
}

TEST(update, the_first_state_has_defaults_inputs_and_every_computed_field) {
  const StateSchema made = schema(R"({"raw": {"n": "integer"},
    "defaults": {"raw": {"n": 1}, "state": {"s": 2}, "inputs": {"i": 3, "j": 4}},
    "computed": [{"name": "a", "from": ["raw.n", "inputs.i"], "list": true, "transform": "input",
                  "on_error": "propagate"}]})");
  const Delta delta = MUST(pump(scripts, [&](ScriptAnswers& answers) {
    return first_state(made, made.defaults(), {{"i", 5}}, {}, answers);
  }));
  const Frame after = MUST(replayed(Frame(), delta));
  EXPECT_EQ(json::print(to_json(after)),
            R"({"raw":{"n":1},"state":{"s":2},"computed":{"a":[1,5]},"inputs":{"i":5,"j":4}})");
  EXPECT_EQ(delta.computed[0].trigger, "start");
}

TEST(update, a_default_of_another_type_is_refused) {
  const StateSchema made = schema(R"({"raw": {"n": "integer"}, "defaults": {"raw": {"n": "x"}}})");
  ScriptAnswers answers;
  const auto refused = settled(first_state(made, made.defaults(), {}, {}, answers));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::STATE_WRONG_TYPE);
}

TEST(update, what_an_include_computed_is_assigned_and_read) {
  const StateSchema made = computing(Array{computed("a", {"checks.total"}, "input")});
  const Delta delta = MUST(pump(scripts, [&](ScriptAnswers& answers) {
    return apply_assignments(made, Frame(), {{path("this.checks"), value(R"({"total":3})")}}, {},
                             answers);
  }));
  const Frame after = MUST(replayed(Frame(), delta));
  EXPECT_EQ(after.computed.print(), R"({"a":3})");
  EXPECT_EQ(read(after, path("this.checks.total")), tree("3"));
  EXPECT_EQ(read(after, path("this.total")), tree("3"));
}

TEST(update, a_nested_frame_follows_the_roots) {
  const Object state{
      {"computed", Array{computed("a", {"global.x"}, "input"), computed("b", {"raw.y"}, "input")}}};
  const StateSchema nested = MUST(StateSchema::read(state, {}, FrameKind::nested));
  const Frame root = frame(R"({"raw":{"x":8}})");
  const Path changed[] = {path("raw.x")};
  const Delta delta = MUST(pump(scripts, [&](ScriptAnswers& answers) {
    return follow_global(nested, Frame(), changed, {}, answers, root);
  }));
  ASSERT_EQ(delta.computed.size(), 1u);
  EXPECT_EQ(delta.computed[0].output, Value(8));
}

TEST(update, the_input_of_a_computation_can_be_had_again) {
  const StateSchema made = computing(Array{computed("a", {"raw.x.length"}, "input"),
                                           computed("b", {"computed.a", "raw.none"}, "input")});
  const Delta delta = MUST(apply(made, Frame(), {set("raw.x", Array{1, 2})}));
  const Frame after = MUST(replayed(Frame(), delta));
  EXPECT_EQ(input_of(made, after, "a"), Value(2));
  EXPECT_EQ(input_of(made, after, "b"), Value(Array{2, nullptr}));
  EXPECT_EQ(input_of(made, Frame(), "a"), std::nullopt);
}

TEST(update, fields_have_chances_of_their_own) {
  const StateSchema made =
      computing(Array{computed("a", {"raw.x"}, "uuid()"), computed("b", {"raw.x"}, "uuid()")});
  ScriptAnswers answers;
  const Write writes[] = {set("raw.x", 1)};
  EXPECT_TRUE(is_not_yet(apply_writes(made, Frame(), writes, {{}, 5}, answers)));
  ASSERT_EQ(answers.asked().size(), 2u);
  EXPECT_NE(answers.asked()[0].draw.seed, answers.asked()[1].draw.seed);
}

TEST(delta, what_no_update_wrote_is_refused) {
  for (
      const std::string_view text :
      {"[]", R"({"sets":[]})", R"({"sets":[{"path":"raw.a"}],"computed":[]})",
       R"({"sets":[{"path":"computed.a","value":1}],"computed":[]})",
       R"({"sets":[{"path":"raw","value":1}],"computed":[]})",
       R"({"sets":[{"path":"raw..","value":1}],"computed":[]})",
       R"({"sets":[],"computed":[{"field":"a","outcome":"guessed","trigger":"x","elapsed_us":1}]})",
       R"({"sets":[],"computed":[],"more":1})"}) {
    const auto read = delta_from_json(value(text));
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Code::STORE_CORRUPT) << text;
  }
}

TEST(delta, one_of_another_state_is_refused) {
  const Delta delta{{{path("raw.list[5]"), 1}}, {}};
  const auto after = replayed(frame(R"({"raw":{"list":[1]}})"), delta);
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, Code::STORE_CORRUPT);
}

}  // namespace
}  // namespace baton::state
