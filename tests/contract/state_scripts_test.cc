// The state with real scripts: what the pure room says without a sandbox is what the sandbox says.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "adapters/script/quickjs_host.h"
#include "base/core/limits.h"
#include "base/testing/json_generator.h"
#include "base/text/text.h"
#include "state/render.h"
#include "state/testing/schemas.h"
#include "state/update.h"
#include "workflow/text/expression.h"

namespace baton::contract {
namespace {

using json::Array;
using json::Object;
using json::Value;
using state::ComputeOutcome;
using state::Delta;
using state::Frame;
using state::Scope;
using state::ScriptAnswers;
using state::ScriptFault;
using state::ScriptSeed;
using state::StateSchema;
using state::Tree;
using state::Write;
using state::testing::computed;
using state::testing::computing;

adapters::QuickJsHost& host() {
  // A busy machine does not fail the state.
  static adapters::QuickJsHost only({.evaluation_ms_max = 120'000, .batch_ms_max = 120'000});
  return only;
}

template <class Ask>
auto pump(const Ask& ask) {
  ScriptAnswers answers;
  for (;;) {
    auto outcome = ask(answers);
    if (!answers.is_lacking()) return state::settled(std::move(outcome));
    std::vector<state::ScriptAnswer> supplied;
    for (auto& result : host().evaluate(answers.asked(), {}))
      supplied.push_back({std::move(result), 0});
    answers.supply(std::move(supplied));
  }
}

Result<Delta> apply(const StateSchema& schema, const Frame& frame, std::vector<Write> writes) {
  return pump([&](ScriptAnswers& answers) {
    return state::apply_writes(schema, frame, writes, {{}, 1}, answers);
  });
}

Write set(std::string_view at, Value value) {
  return {state::testing::path(at), state::Operation::set, std::move(value)};
}

/// Integers that JavaScript has, and members whose names mean something to it.
Value tamed(const Value& value) {
  if (const std::int64_t* integer = value.if_int()) return *integer % (std::int64_t{1} << 53);
  if (const Array* list = value.if_array()) {
    Array out;
    for (const Value& each : *list) out.push_back(tamed(each));
    return out;
  }
  const Object* object = value.if_object();
  if (object == nullptr) return value;
  constexpr std::string_view names[] = {"a", "b", "length", "toString", "__proto__", "constructor"};
  Object out;
  for (const auto& [name, member] : *object) out.set(names[out.size() % 6], tamed(member));
  return out;
}

Object any_fields() {
  json::testing::ShrinkingChoices choose;
  Object out;
  for (const std::string_view name : {"a", "b", "length", "__proto__"}) {
    if (choose(3) > 0) out.set(name, tamed(json::testing::any_value(choose)));
  }
  return out;
}

RC_GTEST_PROP(state_scripts, a_path_means_without_a_script_what_it_means_with_one, ()) {
  const StateSchema schema =
      state::testing::schema(R"({"raw": {"a": "any", "b": "any"}, "state": {"c": "any"}})");
  Frame frame;
  frame.raw = Tree::from(any_fields());
  frame.computed = Tree::from(any_fields());
  const Scope scope(schema, frame);
  std::vector<std::string> codes;
  for (int left = 40; left > 0; --left) {
    std::string code =
        *rc::gen::element<std::string>("a", "b", "c", "d", "this", "raw", "computed", "global");
    for (int depth = *rc::gen::inRange(0, 4); depth > 0; --depth) {
      code += cat('.', *rc::gen::element<std::string>("a", "b", "length", "toString", "__proto__",
                                                      "constructor", "missing"));
    }
    codes.push_back(std::move(code));
  }
  std::vector<state::Evaluation> batch;
  for (const std::string& code : codes) {
    batch.push_back(scope.evaluation(code, state::ScriptForm::expression, {}));
  }
  const auto results = host().evaluate(batch, {});
  for (std::size_t at = 0; at < codes.size(); ++at) {
    const auto native = scope.find(*workflow::plain_path(codes[at]));
    const auto& script = results[at];
    RC_LOG() << codes[at] << " " << batch[at].scope << "\n";
    switch (native.found) {
      case state::Found::value: RC_ASSERT(Tree::from(script.value()) == *native.value); break;
      case state::Found::undefined:
        RC_ASSERT(!script.has_value());
        RC_ASSERT(script.error().fault == ScriptFault::undefined);
        break;
      case state::Found::unknown:
      case state::Found::broken:
        RC_ASSERT(!script.has_value());
        RC_ASSERT(script.error().fault == ScriptFault::thrown);
        break;
      case state::Found::not_native: break;
    }
  }
}

RC_GTEST_PROP(state_scripts, truth_without_a_script_is_truth_with_one, ()) {
  json::testing::ShrinkingChoices choose;
  const Tree value = Tree::from(tamed(json::testing::any_value(choose)));
  const Scope scope = Scope().with("value", value);
  const auto native =
      pump([&](ScriptAnswers& answers) { return state::truth("value", scope, {}, answers); });
  const auto script =
      pump([&](ScriptAnswers& answers) { return state::truth("(value)", scope, {}, answers); });
  RC_ASSERT(MUST(native) == MUST(script));
}

RC_GTEST_PROP(state_scripts, rendering_is_the_same_at_a_replay, ()) {
  const StateSchema schema = computing(Array{computed("total", {"raw.list"}, "input.length")},
                                       {{"raw", Object{{"list", "array"}, {"name", "string"}}}});
  json::testing::ShrinkingChoices choose;
  const std::string name = json::testing::any_string(choose);
  const Delta delta = MUST(apply(
      schema, {},
      {set("raw.list", Array{tamed(json::testing::any_value(choose))}), set("raw.name", name)}));
  const Frame live = MUST(state::replayed({}, delta));
  const Frame folded = MUST(state::replayed(
      {}, MUST(state::delta_from_json(MUST(json::parse(MUST(json::canonical(to_json(delta)))))))));
  const ScriptSeed draw{{*rc::gen::inRange<std::int64_t>(0, 1LL << 40)},
                        *rc::gen::arbitrary<std::uint64_t>()};
  const auto rendered = [&](const Frame& frame) {
    return MUST(pump([&](ScriptAnswers& answers) {
      return state::render_all(
          "{{ total }} {{ list }} {{ name }} {{ uuid() }} {{ now() }} {{ Math.random() }} "
          "{{ Object.entries(this).length }} {{ list.map(each => typeof each) | lines }}",
          Scope(schema, frame), draw, answers);
    }));
  };
  RC_ASSERT(rendered(live) == rendered(folded));
  RC_ASSERT(rendered(live) == rendered(live));
}

TEST(state_scripts, a_cascade_of_fields_follows_one_write) {
  const StateSchema schema = computing(Array{
      computed("filtered", {"raw.file_list"},
               "input.filter(f => !f.includes('node_modules')).filter(f => !f.endsWith('.d.ts'))"),
      computed("batches", {"computed.filtered"},
               "input.reduce((batches, file, index) => {\n"
               "  const at = Math.floor(index / 2);\n"
               "  if (!batches[at]) batches[at] = [];\n"
               "  batches[at].push(file);\n"
               "  return batches;\n"
               "}, []).map((files, idx) => ({ id: `batch_${idx}`, files }))"),
      computed("ready", {"computed.batches", "raw.batch_status"},
               "input[0].filter(batch => (input[1]?.[batch.id] || 'pending') === 'pending')"),
      computed("summary", {"computed.ready"}, "{ left: input.length, label: `${label}!` }")});
  Frame frame = MUST(state::replayed(
      {}, MUST(apply(
              schema, {},
              {set("raw.label", "go"),
               set("raw.file_list", Array{"a.ts", "b.d.ts", "node_modules/c", "d.ts", "e.ts"})}))));
  EXPECT_EQ(frame.computed.find("summary")->print(), R"({"label":"go!","left":2})");
  frame = MUST(state::replayed(
      frame, MUST(apply(schema, frame, {set("raw.batch_status.batch_0", "done")}))));
  EXPECT_EQ(frame.computed.find("ready")->print(), R"([{"files":["e.ts"],"id":"batch_1"}])");
  const Delta label = MUST(apply(schema, frame, {set("raw.label", "come")}));
  ASSERT_EQ(label.computed.size(), 1u);
  EXPECT_EQ(label.computed[0].trigger, "raw.label");
}

TEST(state_scripts, a_result_that_is_not_json_is_a_failure_with_its_reason) {
  const std::pair<std::string_view, std::string_view> wrong[] = {
      {"() => 1", "the result is a function"},
      {"0 / 0", "the result is NaN"},
      {"1 / 0", "the result is Infinity"},
      {"({ n: 1n })", "the result.n is a bigint"},
      {"const a = {}; a.a = a; return a", "the result.a contains itself"},
      {"undefined", "there is no result; a body needs a return"},
      {"new Map()", "the result is a Map"},
      {"input.missing.more", "TypeError: "},
      {"nobody.knows", "ReferenceError: nobody is not defined"}};
  for (const auto& [transform, why] : wrong) {
    const Frame before = state::testing::frame(R"({"raw":{"x":{}}})");
    const auto fields = [&](std::string_view on_error) {
      return computing(Array{computed("a", {"raw.x"}, transform, {{"on_error", on_error}})});
    };
    const Delta delta = MUST(apply(fields("use_fallback"), before, {set("raw.x", Object())}));
    EXPECT_EQ(delta.computed[0].outcome, ComputeOutcome::fallback) << transform;
    EXPECT_TRUE(delta.computed[0].problem.starts_with(why)) << delta.computed[0].problem;
    const auto refused = apply(fields("propagate"), before, {set("raw.x", 1)});
    ASSERT_FALSE(refused) << transform;
    EXPECT_NE(refused.error().message.find(cat("in `", transform)), std::string::npos)
        << refused.error().message;
  }
}

TEST(state_scripts, a_result_has_at_most_script_result_bytes_max) {
  const auto field = [](std::size_t bytes) {
    return computing(Array{
        computed("a", {"raw.x"}, cat("'x'.repeat(", bytes - 2, ")"), {{"on_error", "propagate"}})});
  };
  EXPECT_TRUE(apply(field(limits::script_result_bytes_max), {}, {set("raw.x", 1)}));
  const auto refused = apply(field(limits::script_result_bytes_max + 1), {}, {set("raw.x", 1)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::SCRIPT_LIMIT);
}

TEST(state_scripts, an_undeclared_name_is_an_error_with_the_nearest) {
  const StateSchema schema = state::testing::schema(R"({"raw": {"file_list": "array"}})");
  const Frame frame = state::testing::frame(R"({"raw":{"file_list":[]}})");
  const auto made = pump([&](ScriptAnswers& answers) {
    return state::render_all("{{ fil_list.length + 1 }}", Scope(schema, frame), {}, answers);
  });
  ASSERT_FALSE(made);
  EXPECT_EQ(
      made.error().message,
      "ReferenceError: fil_list is not defined at line 1, column 1, in `fil_list.length + 1`");
  EXPECT_EQ(made.error().next.text(), "did you mean 'file_list'?");
}

TEST(state_scripts, a_validated_division_keeps_its_fallback) {
  const StateSchema schema = computing(Array{
      computed("safe", {"raw.value1", "raw.value2"}, "input[0] / input[1]",
               {{"fallback", 0}, {"validate", "typeof output === 'number' && output < 100"}})});
  const Delta fine = MUST(apply(schema, {}, {set("raw.value1", 6), set("raw.value2", 4)}));
  EXPECT_EQ(fine.computed[0].output, Value(1.5));
  const Delta none = MUST(apply(schema, {}, {set("raw.value1", 6), set("raw.value2", 0)}));
  EXPECT_EQ(none.computed[0].output, Value(0));
  const Delta large = MUST(apply(schema, {}, {set("raw.value1", 600), set("raw.value2", 4)}));
  EXPECT_EQ(large.computed[0].outcome, ComputeOutcome::fallback);
}

}  // namespace
}  // namespace baton::contract
