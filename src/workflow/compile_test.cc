#include "workflow/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "workflow/testing/step_fields.h"

namespace baton::workflow {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Files = std::map<std::string, SourceText, std::less<>>;

/// Compiles with files by the name they are asked for.
Compilation compile(std::string_view name, std::string_view text, const Files& files = {}) {
  Compiler compiler({std::string(name), std::string(text)}, {});
  for (;;) {
    auto next = compiler.next();
    if (auto* done = std::get_if<Compilation>(&next)) return std::move(*done);
    const auto found = files.find(std::get<NeedSource>(next).name);
    compiler.supply(found == files.end() ? std::vector<SourceText>()
                                         : std::vector<SourceText>{found->second});
  }
}

Compilation yaml(std::string_view text, const Files& files = {}) {
  return compile("w.yaml", text, files);
}

/// Every diagnostic as "line:column severity CODE message".
std::string problems(const Compilation& compilation) {
  std::string out;
  for (const Diagnostic& each : compilation.findings.diagnostics) {
    out += cat(each.at.line, ':', each.at.column, ' ', name_of(each.severity), ' ',
               name_of(each.code), ' ', each.message);
    if (!each.hint.empty()) out += cat(" (", each.hint, ')');
    out += '\n';
  }
  return out;
}

std::string problems(std::string_view text) { return problems(yaml(text)); }

/// The compiled steps as JSON; the problems when there are any.
std::string steps(std::string_view text, const Files& files = {}) {
  const Compilation compilation = yaml(text, files);
  if (compilation.has_errors()) return problems(compilation);
  return json::print(*to_json(compilation.pinned->workflow).find("steps"));
}

const Step& step_of(const Compilation& compilation, std::size_t index = 0) {
  return compilation.pinned->workflow.steps.at(index);
}

constexpr std::string_view plain = R"(
id: demo.review
name: Review
description: Reads a change and judges it.
version: 1.2.0
tags: [review, short]
steps:
  - id: read
    title: Read it
    prompt: Read the change.
  - {id: judge, title: Judge it, prompt: "Say what you think.\nBe \"kind\".",
     requireConfirmation: true, agentRole: reviewer}
)";

// --- one workflow, one hash ----------------------------------------------------------------------

TEST(compile, hash_of_a_plain_workflow_never_changes) {
  const Compilation compilation = yaml(plain);
  ASSERT_FALSE(compilation.has_errors()) << problems(compilation);
  EXPECT_EQ(compilation.pinned->hash.hex(),
            "5c717c3168d36910cf9ae4c168707fd27dcdb3522075b1e4e05f4075ad19744f");
}

TEST(compile, hash_depends_on_neither_format_nor_order_nor_comments_nor_file) {
  const std::string hash = yaml(plain).pinned->hash.hex();
  const Compilation json = compile("other/name.json", R"({
    "version": "1.2.0", "tags": ["review", "short"], "steps": [
      {"prompt": "Read the change.", "id": "read", "title": "Read it", "type": "prompt"},
      {"agentRole": "reviewer", "requireConfirmation": true, "title": "Judge it", "id": "judge",
       "prompt": "Say what you think.\nBe \"kind\"."}],
    "description": "Reads a change and judges it.", "name": "Review", "id": "demo.review"})");
  ASSERT_FALSE(json.has_errors()) << problems(json);
  EXPECT_EQ(json.pinned->hash.hex(), hash);
  EXPECT_EQ(yaml(cat("# comment\nbaton: 1\n", plain)).pinned->hash.hex(), hash);
  EXPECT_EQ(yaml("workflow:\n  id: x\n  steps: [{id: a, prompt: p}]").pinned->hash.hex(),
            yaml("{id: x, steps: [{prompt: p, id: a}]}").pinned->hash.hex());
}

TEST(compile, order_of_keys_in_maps_changes_nothing) {
  const auto hash = [](std::string_view fields, std::string_view output) {
    return yaml(cat("{id: x, state_schema: {raw: {a: number}, computed: ", fields,
                    "}, steps: [{id: s, promptBlocks: {outputRequired: ", output, "}}]}"))
        .pinned->hash.hex();
  };
  EXPECT_EQ(hash("{c: {from: raw.a, transform: input}, b: {from: computed.c, transform: input}}",
                 "{x: one, y: two}"),
            hash("{b: {transform: input, from: computed.c}, c: {transform: input, from: raw.a}}",
                 "{y: two, x: one}"));
}

// --- mistakes ------------------------------------------------------------------------------------

TEST(compile, all_mistakes_are_reported_at_once_with_places_and_nearest_names) {
  const std::string out = problems(R"(id: "no spaces"
stepz: []
steps:
  - id: a
    promt: x
    prompt: y
  - id: a
    type: lop
  - {id: b, prompt: 3}
  - {id: c, type: user_message}
)");
  EXPECT_EQ(out,
            "1:5 error WORKFLOW_WRONG_VALUE \"no spaces\" is invalid (letters, digits, '-', '_', "
            "':' and '.' only, 1 to 128 characters; a title goes into \"title\")\n"
            "2:1 error WORKFLOW_UNKNOWN_KEY there is no key \"stepz\" in a workflow (did you mean "
            "\"steps\"?)\n"
            "5:5 error WORKFLOW_UNKNOWN_KEY there is no key \"promt\" in a prompt step (did you "
            "mean \"prompt\"?)\n"
            "8:11 error WORKFLOW_UNKNOWN_STEP there is no step type \"lop\" (did you mean "
            "\"loop\"?)\n"
            "9:21 error WORKFLOW_WRONG_TYPE \"prompt\" must be a string, not a number (quote it)\n"
            "10:5 error WORKFLOW_MISSING_KEY a user_message step needs \"message\" (message: What "
            "is shown)\n");
}

TEST(compile, workflow_needs_a_name_and_steps) {
  EXPECT_THAT(problems("description: x"), HasSubstr("needs \"id\" or \"name\""));
  EXPECT_THAT(problems("id: x"), HasSubstr("needs \"steps\""));
  EXPECT_THAT(problems("id: x\nsteps: []"), HasSubstr("at least one step"));
  EXPECT_THAT(problems("[]"), HasSubstr("must be an object"));
  EXPECT_THAT(problems("{id: baton.x, steps: [{prompt: p}]}"), HasSubstr("WORKFLOW_RESERVED_NAME"));
}

TEST(compile, ids_are_unique_and_valid) {
  EXPECT_THAT(problems("{id: x, steps: [{id: a, prompt: p}, {id: a, prompt: p}]}"),
              HasSubstr("WORKFLOW_DUPLICATE_ID the id \"a\" is taken"));
  EXPECT_THAT(problems("{id: x, steps: [{id: a, prompt: p}, {type: conditional, condition: 'true',"
                       " then: [{id: a, prompt: p}]}]}"),
              HasSubstr("WORKFLOW_DUPLICATE_ID"));
  EXPECT_THAT(problems("{id: x, steps: [{id: 'a b', prompt: p}]}"), HasSubstr("is not an id"));
  EXPECT_THAT(problems("{id: x, steps: [{id: 'a::b', prompt: p}]}"), HasSubstr("is not an id"));
}

TEST(compile, steps_without_ids_get_them_from_their_place) {
  const Compilation compilation = yaml(
      "{id: x, steps: [{prompt: p}, {type: conditional, condition: 'a', then: [{prompt: q}],"
      " else: [{type: exit}]}]}");
  ASSERT_FALSE(compilation.has_errors()) << problems(compilation);
  EXPECT_EQ(step_of(compilation).id, "prompt-1");
  EXPECT_EQ(step_of(compilation, 1).id, "conditional-2");
  EXPECT_EQ(step_of(compilation, 1).blocks[0].steps[0].id, "conditional-2.then.prompt-1");
}

TEST(compile, dependencies_are_known_and_without_circle) {
  EXPECT_THAT(problems("{id: x, steps: [{id: plan, prompt: p}, {id: b, prompt: p, "
                       "dependsOn: [paln]}]}"),
              HasSubstr("there is no step \"paln\" in this block (did you mean \"plan\"?)"));
  EXPECT_THAT(problems("{id: x, steps: [{id: a, prompt: p, dependencies: [a]}]}"),
              HasSubstr("needs itself"));
  EXPECT_THAT(problems("{id: x, steps: [{id: a, prompt: p, dependencies: [c]}, {id: b, prompt: p, "
                       "dependencies: [a]}, {id: c, prompt: p, dependencies: [b]}]}"),
              HasSubstr("WORKFLOW_CYCLE these steps depend on each other: a -> c -> b -> a"));
}

TEST(compile, leaving_a_loop_needs_a_loop) {
  EXPECT_THAT(problems("{id: x, steps: [{type: break}]}"), HasSubstr("WORKFLOW_MISPLACED_STEP"));
  EXPECT_THAT(problems("{id: x, steps: [{type: conditional, condition: a, then: [{type: "
                       "continue}]}]}"),
              HasSubstr("WORKFLOW_MISPLACED_STEP"));
  EXPECT_EQ(problems("{id: x, steps: [{type: while, condition: a, body: [{type: conditional, "
                     "condition: b, then: [{type: break}]}]}]}"),
            "");
  EXPECT_THAT(problems("{id: x, steps: [{type: foreach, items: '{{ a }}', body: [{type: "
                       "parallel_foreach, items: '{{ b }}', steps: [{type: break}]}]}]}"),
              HasSubstr("WORKFLOW_MISPLACED_STEP"));
}

TEST(compile, what_can_never_run_is_a_warning) {
  const std::string out = problems(
      "{id: x, steps: [{id: a, type: exit}, {id: b, prompt: p}], "
      "sub_agent_tasks: {t: {steps: [{prompt: p}]}}}");
  EXPECT_THAT(out, HasSubstr("warning WORKFLOW_UNREACHABLE the step \"b\" can never run"));
  EXPECT_THAT(out, HasSubstr("warning WORKFLOW_UNREACHABLE no step uses the task \"t\""));
}

// Enforces: G9
TEST(compile, loops_are_bounded) {
  const auto loop = [](std::string_view most) {
    return problems(cat("{id: x, steps: [{id: l, type: loop, loop: {type: for, count: 2", most,
                        "}, body: [{prompt: p}]}]}"));
  };
  EXPECT_THAT(loop(""), HasSubstr("WORKFLOW_UNBOUNDED_LOOP a loop needs \"maxIterations\""));
  EXPECT_EQ(loop(cat(", maxIterations: ", limits::loop_iterations_max)), "");
  EXPECT_THAT(loop(cat(", maxIterations: ", limits::loop_iterations_max + 1)),
              HasSubstr("WORKFLOW_UNBOUNDED_LOOP"));
  EXPECT_THAT(loop(", maxIterations: 0"), HasSubstr("WORKFLOW_WRONG_VALUE"));
  const auto while_loop = [](std::int64_t most) {
    return problems(cat("{id: x, steps: [{type: while, condition: a, max_iterations: ", most,
                        ", body: [{prompt: p}]}]}"));
  };
  EXPECT_EQ(while_loop(limits::while_iterations_max), "");
  EXPECT_THAT(while_loop(limits::while_iterations_max + 1), HasSubstr("WORKFLOW_UNBOUNDED_LOOP"));
}

// Enforces: G9
TEST(compile, steps_are_bounded_also_after_expansion) {
  const auto many = [](std::size_t count) {
    std::string text = "{id: x, steps: [";
    for (std::size_t i = 0; i < count; ++i) text += cat("{id: s", i, ", prompt: p},");
    return problems(text + "]}");
  };
  EXPECT_EQ(many(limits::workflow_steps_max), "");
  EXPECT_THAT(many(limits::workflow_steps_max + 1), HasSubstr("LIMIT_EXCEEDED more than"));
}

// Enforces: G9
TEST(compile, names_are_bounded) {
  const auto with_ids = [](std::size_t workflow, std::size_t step) {
    return problems(cat("{id: ", std::string(workflow, 'w'),
                        ", steps: [{id: ", std::string(step, 's'), ", prompt: p}]}"));
  };
  constexpr std::size_t most = limits::workflow_name_bytes_max;
  EXPECT_EQ(with_ids(most, most), "");
  EXPECT_THAT(with_ids(most + 1, most), HasSubstr("is invalid"));
  EXPECT_THAT(with_ids(most, most + 1), HasSubstr("is not an id"));
}

// --- state ---------------------------------------------------------------------------------------

constexpr std::string_view stateful = R"(
id: x
inputs: {branch: {type: string}}
default_state: {raw: {files: []}}
state_schema:
  raw: {files: array, done: number}
  computed:
    count: {from: raw.files, transform: input.length}
    ready: {from: [computed.count, raw.done], transform: "input[0] === input[1]"}
steps:
)";

std::string stateful_problems(std::string_view step) { return problems(cat(stateful, step)); }

TEST(compile, names_in_expressions_are_held_against_what_is_declared) {
  EXPECT_EQ(stateful_problems("  - prompt: \"{{ files.length }} of {{ count }} on {{ "
                              "inputs.branch }} {{ this.ready }} {{ now() }} {{ Math.max(1, done) "
                              "}}\""),
            "");
  EXPECT_THAT(stateful_problems("  - prompt: \"See {{ fils }}\""),
              HasSubstr("11:21 error WORKFLOW_BAD_EXPRESSION \"fils\" is not declared (did you "
                        "mean \"files\"?)"));
  EXPECT_THAT(stateful_problems("  - prompt: \"{{ inputs.brnch }}\""),
              HasSubstr("\"brnch\" is not declared in inputs (did you mean \"branch\"?)"));
  EXPECT_THAT(stateful_problems("  - prompt: \"{{ item }}\""), HasSubstr("\"item\""));
  EXPECT_EQ(stateful_problems("  - {type: foreach, items: '{{ files }}', variable_name: f, body: "
                              "[{prompt: '{{ f }} {{ item }} {{ loop.iteration }} {{ index }}'}]}"),
            "");
  EXPECT_THAT(stateful_problems("  - {type: conditional, condition: 'cuont > 0', then: [{prompt: "
                                "p}]}"),
              HasSubstr("did you mean \"count\"?"));
}

TEST(compile, without_declared_state_names_come_from_the_context) {
  EXPECT_EQ(problems("{id: x, steps: [{prompt: 'On {{ anything.at.all }}'}]}"), "");
}

TEST(compile, broken_expressions_have_places) {
  EXPECT_THAT(problems("id: x\nsteps:\n  - prompt: |\n      Look\n      at {{ this"),
              HasSubstr("5:10 error WORKFLOW_BAD_EXPRESSION this {{ has no }}"));
  EXPECT_THAT(problems("{id: x, steps: [{prompt: 'a {{ }}'}]}"), HasSubstr("nothing between"));
  EXPECT_THAT(problems("{id: x, steps: [{prompt: '{{.Names}}'}]}"), HasSubstr("not an expression"));
}

TEST(compile, written_paths_are_held_against_the_tiers) {
  const auto write = [](std::string_view path) {
    return stateful_problems(cat("  - {type: state_update, path: ", path, ", value: 1}"));
  };
  EXPECT_EQ(write("raw.done"), "");
  EXPECT_EQ(write("this.files"), "");
  EXPECT_EQ(write("'raw.files.{{ count }}.x'"), "");
  EXPECT_THAT(write("raw.dnoe"), HasSubstr("did you mean \"done\"?"));
  EXPECT_THAT(write("computed.count"), HasSubstr("only the engine writes computed"));
  EXPECT_THAT(write("this.count"), HasSubstr("is computed"));
  EXPECT_THAT(write("done"), HasSubstr("did you mean \"raw.done\"?"));
  EXPECT_THAT(write("inputs.branch"), HasSubstr("WORKFLOW_BAD_STATE_PATH"));
}

TEST(compile, computed_fields_have_an_order_and_no_circle) {
  const Compilation compilation = yaml(cat(stateful, "  - prompt: p"));
  ASSERT_FALSE(compilation.has_errors()) << problems(compilation);
  const json::Value* state = compilation.pinned->workflow.declared.find("state");
  EXPECT_EQ(json::print(*state->find("computed")),
            R"([{"name":"count","from":["raw.files"],"list":false,"transform":"input.length",)"
            R"("on_error":"use_fallback"},{"name":"ready","from":["computed.count","raw.done"],)"
            R"("list":true,"transform":"input[0] === input[1]","on_error":"use_fallback"}])");
  EXPECT_THAT(problems("{id: x, state_schema: {computed: {a: {from: computed.b, transform: input}, "
                       "b: {from: this.a, transform: input}}}, steps: [{prompt: p}]}"),
              HasSubstr("these computed fields depend on each other: a -> b -> a"));
}

TEST(compile, collisions_are_warnings_and_scopes_are_reserved) {
  EXPECT_THAT(problems("{id: x, state_schema: {raw: {a: any}, computed: {a: {from: raw.a, "
                       "transform: input}}}, steps: [{prompt: p}]}"),
              HasSubstr("warning WORKFLOW_NAME_COLLISION \"a\" is a field of computed and of raw"));
  EXPECT_THAT(problems("{id: x, state_schema: {raw: {inputs: any}}, steps: [{prompt: p}]}"),
              HasSubstr("WORKFLOW_RESERVED_NAME"));
}

// --- lowering ------------------------------------------------------------------------------------

TEST(compile, spellings_of_other_systems_lower_to_one_form) {
  EXPECT_EQ(steps("{id: x, steps: [{id: w, type: while_loop, condition: '{{ a < 3 }}', body: [{id: "
                  "s, type: state_update, path: this.a, operation: increment}]}]}"),
            steps("{id: x, steps: [{id: w, type: while, max_iterations: 100, condition: 'a < 3', "
                  "steps: [{id: s, type: batch_state_update, updates: [{path: this.a, operation: "
                  "increment, value: 1}]}]}]}"));
  EXPECT_EQ(steps("{id: x, steps: [{id: c, type: conditional, condition: a, then_steps: [{id: d, "
                  "prompt: p}]}]}"),
            R"([{"id":"c","type":"conditional","title":"c","condition":{"js":"a"},)"
            R"("then":[{"id":"d","type":"prompt","title":"d","prompt":"p",)"
            R"("requireConfirmation":false}]}])");
  EXPECT_EQ(steps("{id: x, steps: [{id: m, type: mcp_call, mcp: {method: t, params: {a: 1}}, "
                  "store_result: raw.r}]}"),
            steps("{id: x, steps: [{id: m, type: mcp_call, tool: t, parameters: {a: 1}, "
                  "state_update: {path: raw.r}}]}"));
  EXPECT_EQ(steps("{id: x, steps: [{id: s, type: shell_command, command: ls, execution_context: "
                  "client, timeout_seconds: 2}]}"),
            steps("{id: x, steps: [{id: s, type: agent_shell_command, command: ls, timeout: "
                  "2000}]}"));
}

TEST(compile, conditions_lower_to_one_form) {
  const auto condition = [](std::string_view text) {
    const Compilation out =
        yaml(cat("{id: x, steps: [{id: a, prompt: p, runCondition: ", text, "}]}"));
    if (out.has_errors()) return problems(out);
    return json::print(testing::field_of(step_of(out), "runCondition"));
  };
  EXPECT_EQ(condition("{var: a}"), R"({"var":"a"})");
  EXPECT_EQ(condition("{var: a.b, gte: 3}"), R"({"var":"a.b","op":"gte","value":3})");
  EXPECT_EQ(condition("{and: [{var: a}, {not: {var: b, equals: 'yes'}}]}"),
            R"({"and":[{"var":"a"},{"not":{"var":"b","op":"equals","value":"yes"}}]})");
  EXPECT_EQ(condition("'{{ a && b }}'"), R"({"js":"a && b"})");
  EXPECT_EQ(condition("true"), R"({"js":"true"})");
  EXPECT_THAT(condition("{}"), HasSubstr("WORKFLOW_BAD_CONDITION"));
  EXPECT_THAT(condition("{equals: 1}"), HasSubstr("needs \"var\""));
  EXPECT_THAT(condition("{var: a, gt: 1, lt: 3}"), HasSubstr("one operator"));
  EXPECT_THAT(condition("{var: a, gt: x}"), HasSubstr("needs a number"));
  EXPECT_THAT(condition("{var: a, eqals: 1}"), HasSubstr("did you mean \"equals\"?"));
  EXPECT_THAT(condition("{var: a, matches: '['}"), HasSubstr("the pattern"));
  EXPECT_THAT(condition("{or: []}"), HasSubstr("needs a list"));
}

TEST(compile, shell_slots_become_variables_and_unsafe_ones_errors) {
  const Compilation compilation = yaml(
      "{id: x, steps: [{id: s, type: shell_command, command: 'git show {{ rev }}'}, {id: t, type: "
      "shell_command, argv: [ls, '{{ dir }}']}]}");
  ASSERT_FALSE(compilation.has_errors()) << problems(compilation);
  EXPECT_EQ(*testing::field_of(step_of(compilation), "command").if_string(),
            "git show \"${BATON_V1}\"");
  EXPECT_EQ(json::print(testing::field_of(step_of(compilation), "env")),
            R"({"BATON_V1":"{{ rev }}"})");
  ASSERT_EQ(compilation.commands.size(), 2u);
  EXPECT_EQ(compilation.commands[1].command, "ls \"{{ dir }}\"");
  EXPECT_THAT(problems("{id: x, steps: [{type: shell_command, command: 'eval {{ x }}'}]}"),
              HasSubstr("WORKFLOW_UNSAFE_SHELL"));
  EXPECT_THAT(problems("{id: x, steps: [{type: shell_command, argv: ['{{ x }}']}]}"),
              HasSubstr("WORKFLOW_UNSAFE_SHELL"));
  EXPECT_THAT(problems("{id: x, steps: [{type: shell_command}]}"), HasSubstr("\"argv\""));
}

// Enforces: G14
TEST(compile, values_among_arguments_are_not_code_either) {
  for (const std::string_view argv :
       {"['{{ x }}']", "[sh, -c, 'echo {{ x }}']", "[env, '{{ x }}']", "[bash, -xc, '{{ x }}']",
        "[python3, -c, 'print({{ x }})']", "[eval, '{{ x }}']", "[sudo, sh, -c, 'a {{ x }}']",
        "[sh, -c, 'echo \"$1\"', sh, '{{ x }}']"}) {
    const std::string step =
        cat("{id: x, steps: [{id: a, type: shell_command, argv: ", argv, "}]}");
    EXPECT_THAT(problems(step), HasSubstr("WORKFLOW_UNSAFE_SHELL")) << argv;
    const std::string proof =
        cat("{id: x, steps: [{id: a, prompt: p, evidence: [{command: {argv: ", argv, "}}]}]}");
    EXPECT_THAT(problems(proof), HasSubstr("WORKFLOW_UNSAFE_SHELL")) << argv;
  }
  for (const std::string_view argv :
       {"[git, commit, -m, 'a \"b\" $c `d` {{ x }}']", "[sh, check.sh, '{{ x }}']",
        "[grep, -q, '{{ x }}', a.txt]"}) {
    const std::string step =
        cat("{id: x, steps: [{id: a, type: shell_command, argv: ", argv, "}]}");
    EXPECT_EQ(problems(step), "") << argv;
  }
}

TEST(compile, timeouts_are_milliseconds_and_doubtful_units_warned_of) {
  const auto timeout = [](std::string_view name, std::string_view given) {
    const Compilation out =
        compile(name, cat("{name: x, steps: [{id: a, type: wait_step, ", given, "}]}"));
    return cat(out.has_errors() ? std::string("!")
                                : json::print(testing::field_of(step_of(out), "timeout_ms")),
               out.findings.diagnostics.empty() ? "" : " warned");
  };
  EXPECT_EQ(timeout("w.yaml", "timeout: 30000"), "30000");
  EXPECT_EQ(timeout("w.yaml", "timeout: 30"), "30 warned");
  EXPECT_EQ(timeout(".aromcp/workflows/w.yaml", "timeout: 30"), "30000");
  EXPECT_EQ(timeout(".aromcp/workflows/w.yaml", "timeout: 999"), "999000");
  EXPECT_EQ(timeout(".aromcp/workflows/w.yaml", "timeout: 1000"), "1000 warned");
  EXPECT_EQ(timeout("w.yaml", "timeout_seconds: 1.5"), "1500");
  EXPECT_EQ(timeout("w.yaml", "timeout_seconds: 1, timeout_ms: 3"), "! warned");
}

TEST(compile, expressions_are_collected_with_their_places) {
  const Compilation compilation =
      yaml("id: x\nsteps:\n  - id: a\n    prompt: \"On {{ a.b }} and {{ c | json }}\"\n");
  ASSERT_EQ(compilation.expressions.size(), 2u);
  EXPECT_EQ(compilation.expressions[0].at, (SourcePlace{0, 4, 17}));
  EXPECT_TRUE(compilation.expressions[0].is_path);
  EXPECT_EQ(compilation.expressions[1].filter, ExpressionFilter::json);
  EXPECT_EQ(compilation.expressions[1].code, "c");
}

TEST(compile, shape_follows_from_dependencies) {
  const auto shape = [](std::string_view list) {
    return std::string(shape_of(yaml(cat("{id: x, steps: [", list, "]}")).pinned->workflow));
  };
  EXPECT_EQ(shape("{id: a, prompt: p}, {id: b, prompt: p}"), "sequential");
  EXPECT_EQ(shape("{id: a, prompt: p}, {id: b, prompt: p, dependsOn: [a]}, {id: c, prompt: p, "
                  "dependsOn: [a]}"),
            "parallel");
  EXPECT_EQ(shape("{id: a, prompt: p}, {id: b, prompt: p, dependsOn: [a]}"), "hybrid");
  EXPECT_EQ(shape("{id: a, prompt: p}, {id: b, prompt: p, dependsOn: [a], allowParallel: false}, "
                  "{id: c, prompt: p, dependsOn: [a]}"),
            "hybrid");
}

}  // namespace
}  // namespace baton::workflow
