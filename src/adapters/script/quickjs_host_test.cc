#include "adapters/script/quickjs_host.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using state::Evaluation;
using state::Script;
using state::ScriptFault;
using state::ScriptForm;
using state::ScriptProblem;
using state::ScriptResult;
using state::ScriptSeed;

class Sandboxed : public ::testing::Test {
 protected:
  // Time enough for a machine that does other things as well.
  static void SetUpTestSuite() {
    host_ = std::make_unique<QuickJsHost>(
        SandboxOptions{.evaluation_ms_max = 120'000, .batch_ms_max = 120'000});
  }
  static void TearDownTestSuite() { host_.reset(); }

  static ScriptResult evaluate(std::string source, std::string scope = "{}", ScriptSeed draw = {},
                               ScriptForm form = ScriptForm::transform) {
    std::vector<std::string> names;
    const auto parsed = json::parse(scope, {1u << 30, 64});
    if (parsed && parsed->if_object() != nullptr) {
      for (const json::Member& each : *parsed->if_object()) {
        if (each.key != "this") names.push_back(each.key);
      }
    }
    const Evaluation batch[] = {{{std::move(source), form, names}, std::move(scope), draw}};
    return host_->evaluate(batch, {})[0];
  }

  /// The result as text, or the kind of problem, its message and its place.
  static std::string shown(const ScriptResult& result) {
    if (result) return json::print(*result);
    const ScriptProblem& problem = result.error();
    return cat("! ", problem.message, " @", problem.line, ':', problem.column);
  }

  static std::string show(std::string source, std::string scope = "{}") {
    return shown(evaluate(std::move(source), std::move(scope)));
  }

  static std::unique_ptr<QuickJsHost> host_;
};
std::unique_ptr<QuickJsHost> Sandboxed::host_;

TEST_F(Sandboxed, nothing_is_started_before_the_first_script) {
  QuickJsHost host;
  EXPECT_TRUE(host.evaluate({}, {}).empty());
  EXPECT_EQ(host.threads(), 0u);
  const Script script{"1", ScriptForm::expression, {}};
  EXPECT_FALSE(host.check({&script, 1})[0]);
  EXPECT_EQ(host.threads(), 1u);
}

TEST_F(Sandboxed, expressions_and_bodies_are_told_apart) {
  EXPECT_EQ(show("input + 1", R"({"input":1})"), "2");
  EXPECT_EQ(show("{ total: input.length, list: [...input] }", R"({"input":[1,2]})"),
            R"({"total":2,"list":[1,2]})");
  EXPECT_EQ(show("try { return JSON.parse(input) } catch (e) { return { error: e.name } }",
                 R"({"input":"{"})"),
            R"({"error":"SyntaxError"})");
  EXPECT_EQ(show("const a = 1;\nreturn a + 1;"), "2");
  EXPECT_EQ(show("input.length;", R"({"input":[1]})"), "1");
  EXPECT_EQ(show("input // the rest is a comment", R"({"input":1})"), "1");
}

TEST_F(Sandboxed, of_a_truth_only_that_is_told) {
  const auto truth = [&](std::string_view source) {
    const auto result = evaluate(std::string(source), R"({"a":[1]})", {}, ScriptForm::truth);
    return result ? json::print(*result) : result.error().message;
  };
  for (const std::string_view source : {"a.length", "'no'", "a.find(x => x)", "() => 1", "1n"}) {
    EXPECT_EQ(truth(source), "true") << source;
  }
  for (const std::string_view source :
       {"a[1]", "0 / 0", "undefined", "a.find(x => x > 1) // none"}) {
    EXPECT_EQ(truth(source), "false") << source;
  }
  EXPECT_EQ(truth("a.b.c"), "TypeError: cannot read property 'c' of undefined");
  EXPECT_FALSE(evaluate("1) || (2", "{}", {}, ScriptForm::truth));
  EXPECT_FALSE(evaluate("return 1", "{}", {}, ScriptForm::truth));
}

TEST_F(Sandboxed, no_result_differs_from_one_that_is_not_json) {
  EXPECT_EQ(evaluate("undefined").error().fault, ScriptFault::undefined);
  EXPECT_EQ(evaluate("const a = 1;").error().fault, ScriptFault::undefined);
  EXPECT_EQ(evaluate("[undefined]").error().fault, ScriptFault::not_json);
}

TEST_F(Sandboxed, a_body_may_declare_the_name_of_a_field) {
  EXPECT_EQ(show("const files = input.length; return files", R"({"input":[1],"files":[]})"), "1");
}

TEST_F(Sandboxed, statements_are_not_an_expression) {
  const auto result = evaluate("return 1", "{}", {}, ScriptForm::expression);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, ScriptFault::syntax);
}

TEST_F(Sandboxed, this_is_what_the_scope_says) {
  EXPECT_EQ(show("this.a + this.b", R"({"this":{"a":1,"b":2}})"), "3");
  EXPECT_EQ(show("this === undefined"), "true");
}

TEST_F(Sandboxed, a_name_without_a_value_is_undefined) {
  const Script script{"[typeof a, typeof toString, typeof constructor]",
                      ScriptForm::expression,
                      {"a", "toString", "constructor"}};
  const Evaluation batch[] = {{script, "{}", {}}};
  EXPECT_EQ(shown(host_->evaluate(batch, {})[0]), R"(["undefined","undefined","undefined"])");
}

TEST_F(Sandboxed, a_name_that_is_not_there_is_an_error_with_the_nearest) {
  const auto result = evaluate("total + coutn", R"({"total":1,"count":2})");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, ScriptFault::thrown);
  EXPECT_EQ(result.error().message, "ReferenceError: coutn is not defined");
  EXPECT_EQ(result.error().hint, "did you mean 'count'?");
}

TEST_F(Sandboxed, the_place_of_a_mistake_is_its_place_in_the_script) {
  EXPECT_EQ(show("1 +\n  * 3"), "! unexpected token in expression: '*' @2:3");
  EXPECT_EQ(show("(1 +"), "! the script ends too early @1:5");
  EXPECT_EQ(show("let a = 1;\nreturn a b;").substr(0, 2), "! ");
  EXPECT_TRUE(show("let a = 1;\nreturn a b;").ends_with("@2:10"));
  EXPECT_EQ(show("const a = 1;\nthrow new Error('no')"), "! Error: no @2:11");
}

TEST_F(Sandboxed, a_source_stays_in_its_frame) {
  for (const std::string source :
       {"1) + (2", "1], [2", "1)}), (function(){return (2", "} return 1; {", "} while (0); do {",
        "}}), (function(){{ return 1", "/*", "`", "'", "1 //", "*/ 1 /*"}) {
    const auto result = evaluate(source);
    if (source == "1 //") {
      EXPECT_EQ(shown(result), "1");
      continue;
    }
    ASSERT_FALSE(result) << source << " is " << json::print(*result);
    EXPECT_EQ(result.error().fault, ScriptFault::syntax) << source;
  }
}

TEST_F(Sandboxed, results_that_are_not_json_are_named) {
  EXPECT_EQ(show("0 / 0"), "! the result is NaN @0:0");
  EXPECT_EQ(show("({ a: [1, -1 / 0] })"), "! the result.a[1] is -Infinity @0:0");
  EXPECT_EQ(show("[() => 1]"), "! the result[0] is a function @0:0");
  EXPECT_EQ(show("10n"), "! the result is a bigint @0:0");
  EXPECT_EQ(show("[1, undefined]"), "! the result[1] is undefined @0:0");
  EXPECT_EQ(show("undefined"), "! there is no result; a body needs a return @0:0");
  EXPECT_EQ(show("const a = 1;"), "! there is no result; a body needs a return @0:0");
  EXPECT_EQ(show("new Map()"), "! the result is a Map @0:0");
  EXPECT_EQ(show("const a = {}; a.a = a; return a"), "! the result.a contains itself @0:0");
  EXPECT_EQ(show("({ a: undefined, b: 1 })"), R"({"b":1})");
  EXPECT_EQ(show("new Date(0)"), R"("1970-01-01T00:00:00.000Z")");
}

TEST_F(Sandboxed, integers_are_exact_or_refused) {
  EXPECT_EQ(show("input", R"({"input":9007199254740991})"), "9007199254740991");
  EXPECT_EQ(show("input", R"({"input":1152921504606846976})"), "1152921504606846976");
  EXPECT_EQ(show("[2 ** 53, -(2 ** 62), 2 ** 64]"),
            "[9007199254740992,-4611686018427387904,18446744073709552000]");
  for (const std::string_view number : {"9007199254740993", "-9223372036854775807"}) {
    const auto result = evaluate("input", cat(R"({"input":[")", number, R"(",)", number, "]}"));
    ASSERT_FALSE(result) << number;
    EXPECT_EQ(result.error().fault, ScriptFault::inexact);
    EXPECT_EQ(result.error().message, cat("JavaScript cannot represent ", number));
  }
  EXPECT_EQ(show("input", R"({"input":-0.0000001234567890123456})"), "-1.234567890123456e-7");
}

TEST_F(Sandboxed, time_and_chance_are_drawn) {
  const ScriptSeed draw{WallMs{1'700'000'000'123}, 7};
  EXPECT_EQ(shown(evaluate("[Date.now(), new Date().getTime(), now()]", "{}", draw)),
            R"([1700000000123,1700000000123,"2023-11-14T22:13:20.123Z"])");
  const auto first = evaluate("[uuid(), Math.random(), Math.random()]", "{}", draw);
  EXPECT_EQ(first, evaluate("[uuid(), Math.random(), Math.random()]", "{}", draw));
  EXPECT_NE(first, evaluate("[uuid(), Math.random(), Math.random()]", "{}", {draw.now, 8}));
  EXPECT_EQ(show("new Date(2020, 5, 1).toISOString()"), R"("2020-06-01T00:00:00.000Z")");
  EXPECT_EQ(show("/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/"
                 ".test(uuid())"),
            "true");
}

TEST_F(Sandboxed, the_language_is_that_of_2020_and_later) {
  EXPECT_EQ(show("input?.a ?? [...'ab'].flatMap(x => [x, x])", R"({"input":null})"),
            R"(["a","a","b","b"])");
  EXPECT_EQ(show("Object.fromEntries(new Map([['a', 2n ** 3n === 8n]]))"), R"({"a":true})");
  EXPECT_EQ(show("[3, 1].toSorted().at(-1) + [...'a1b2'.matchAll(/[0-9]/g)].length"), "5");
  EXPECT_EQ(show("class A { #x = 1; get x() { return this.#x } } return new A().x"), "1");
}

TEST_F(Sandboxed, what_reaches_out_is_not_there) {
  for (const std::string_view name :
       {"require", "process", "fetch", "XMLHttpRequest", "WebAssembly", "Atomics", "performance",
        "SharedArrayBuffer", "setTimeout", "console", "std", "os", "print", "load", "eval",
        "queueMicrotask", "WeakRef", "FinalizationRegistry"}) {
    EXPECT_EQ(show(cat("typeof ", name)), R"("undefined")") << name;
  }
}

TEST_F(Sandboxed, properties_of_plain_objects_can_have_any_name) {
  EXPECT_EQ(show("const count = {}; for (const w of ['toString', 'constructor', 'toString'])"
                 " count[w] = (Object.hasOwn(count, w) ? count[w] : 0) + 1; return count"),
            R"({"toString":2,"constructor":1})");
}

TEST_F(Sandboxed, a_script_of_the_largest_size_is_run_and_a_longer_one_is_not) {
  const std::string padding(limits::script_source_bytes_max - 1, ' ');
  EXPECT_EQ(show(padding + "1"), "1");
  const auto result = evaluate(padding + "12");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, ScriptFault::size);
}

TEST_F(Sandboxed, a_scope_of_the_largest_size_is_read_and_a_longer_one_is_not) {
  const std::size_t frame = std::string_view(R"({"input":""})").size();
  const std::string text(limits::script_scope_bytes_max - frame, 'x');
  EXPECT_EQ(show("input.length", cat(R"({"input":")", text, "\"}")), cat(text.size()));
  const auto result = evaluate("input.length", cat(R"({"input":"x)", text, "\"}"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, ScriptFault::size);
}

TEST_F(Sandboxed, a_result_of_the_largest_size_is_taken_and_a_longer_one_is_not) {
  const std::size_t longest = limits::script_result_bytes_max - 2;
  const auto result = evaluate(cat("'x'.repeat(", longest, ")"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->if_string()->size(), longest);
  EXPECT_FALSE(evaluate(cat("'x'.repeat(", longest + 1, ")")));
}

TEST_F(Sandboxed, a_result_of_the_largest_depth_is_taken_and_a_deeper_one_is_not) {
  const auto nested = [](std::size_t depth) {
    return cat("let a = []; for (let i = 1; i < ", depth, "; ++i) a = [a]; return a");
  };
  EXPECT_TRUE(evaluate(nested(limits::json_depth_max)));
  const auto result = evaluate(nested(limits::json_depth_max + 1));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, ScriptFault::not_json);
}

TEST_F(Sandboxed, memory_ends_where_it_is_said_to) {
  const auto bytes = [](std::size_t size) { return cat("new ArrayBuffer(", size, ").byteLength"); };
  EXPECT_TRUE(evaluate(bytes(limits::script_memory_bytes_max / 2)));
  const auto result = evaluate(bytes(limits::script_memory_bytes_max));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, ScriptFault::memory);
}

TEST_F(Sandboxed, recursion_has_room_for_a_thousand_calls_but_not_for_a_million) {
  const auto depth = [](int calls) {
    return cat("const down = n => n === 0 ? 0 : 1 + down(n - 1); return down(", calls, ")");
  };
  EXPECT_EQ(show(depth(1000)), "1000");
  const auto result = evaluate(depth(1'000'000));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, ScriptFault::stack);
  static_assert(limits::script_stack_bytes_max < limits::script_thread_stack_bytes);
}

TEST_F(Sandboxed, what_was_thrown_is_cut_to_a_line) {
  const auto result = evaluate("throw new Error('a\\nb' + 'é'.repeat(5000))");
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message.starts_with("Error: a bé"));
  EXPECT_LE(result.error().message.size(), limits::script_message_bytes_max);
}

TEST_F(Sandboxed, a_batch_ends_when_its_time_is_over) {
  QuickJsHost host({.evaluation_ms_max = 50, .batch_ms_max = 120});
  static_assert(limits::script_ms_max < limits::script_batch_ms_max);
  const std::vector<Evaluation> batch(10, {{"for (;;) {}", ScriptForm::transform, {}}, "{}", {}});
  for (const ScriptResult& each : host.evaluate(batch, {})) {
    ASSERT_FALSE(each);
    EXPECT_EQ(each.error().fault, ScriptFault::time);
  }
}

TEST_F(Sandboxed, there_is_at_most_one_thread_for_each_core) {
  QuickJsHost host;
  std::vector<std::thread> askers;
  for (int who = 0; who < 24; ++who) {
    askers.emplace_back([&, run = cat("run ", who)] {
      const Evaluation batch[] = {{{"1", ScriptForm::expression, {}}, "{}", {}}};
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(host.evaluate(batch, {run, run})[0], ScriptResult(1));
      }
    });
  }
  for (std::thread& each : askers) each.join();
  EXPECT_LE(host.threads(), std::max(1u, std::thread::hardware_concurrency()));
  EXPECT_LE(host.threads(), limits::script_threads_max);
}

TEST_F(Sandboxed, invalid_names_are_refused) {
  const Script scripts[] = {{"1", ScriptForm::expression, {"a-b"}},
                            {"1", ScriptForm::expression, {"class"}},
                            {"1", ScriptForm::expression, {"a}){}//"}},
                            {"größe", ScriptForm::expression, {"größe"}}};
  const auto problems = host_->check(scripts);
  EXPECT_TRUE(problems[0]);
  EXPECT_TRUE(problems[1]);
  EXPECT_TRUE(problems[2]);
  EXPECT_FALSE(problems[3]);
}

}  // namespace
}  // namespace baton::adapters
