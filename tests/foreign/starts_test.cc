// What is validated without errors starts: over workflows that are put together by chance.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "adapters/evidence/assumed_evidence.h"
#include "adapters/script/quickjs_host.h"
#include "base/text/text.h"
#include "engine/load/compile_workflow.h"
#include "player.h"
#include "run/walk/simulation_values.h"
#include "support/world.h"
#include "verbs/run/start_run.h"
#include "verbs/workflow/check_scripts.h"
#include "verbs/workflow/check_start.h"

namespace baton::testing {
namespace {

using Words = std::vector<std::string>;

std::string one_of(const Words& words) { return *rc::gen::elementOf(words); }
bool by_chance(int one_in) { return *rc::gen::inRange(0, one_in) == 0; }

const Words literals = {"1",
                        "1.5",
                        "-3",
                        "text",
                        "'7'",
                        "true",
                        "null",
                        "[]",
                        "[1, 2]",
                        "{a: 1}",
                        "\"{{ 1 + 1 }}\"",
                        "\"{{ nothing.there }}\""};
const Words types = {"string", "number", "integer", "boolean", "array", "object"};
const Words names = {"alpha", "beta", "gamma"};

std::string condition() {
  return one_of({"{var: alpha}", "{var: beta, equals: 1}", "{var: gamma, gt: 2}",
                 "{and: [{var: alpha}, {not: {var: beta}}]}", "\"{{ alpha == 1 }}\"",
                 "\"alpha.length > 1\"", "\"beta.a.b\"", "\"true\""});
}

std::string step(int depth, int& number);

std::string block(int depth, int& number) {
  std::string out = "[";
  const int count = *rc::gen::inRange(1, 3);
  for (int i = 0; i < count; ++i) out += cat(i == 0 ? "" : ", ", step(depth + 1, number));
  return out + "]";
}

/// Keys that some types of steps take and others refuse, or that need values of a kind.
std::string more_keys() {
  std::string out;
  const Words keys = {"timeout_ms: 100",
                      "tools: {deny: [x]}",
                      "requireConfirmation: true",
                      "requireConfirmation: {var: alpha}",
                      "title: \"On {{ alpha }}\"",
                      "state_update: {path: raw.alpha, value: \"{{ result }}\"}",
                      "state_update: {path: raw.delta, value: 1}",
                      "error_handling: {strategy: continue}",
                      "validationCriteria: [{type: length, min: 1}]",
                      "outputContract: {contractRef: loop_control}",
                      "nonAssumableChoice: scope_boundary"};
  for (const std::string& each : keys) {
    if (by_chance(25)) out += cat(", ", each);
  }
  return out;
}

std::string step(int depth, int& number) {
  const std::string id = cat("s", ++number);
  const std::string when = by_chance(4) ? cat(", runCondition: ", condition()) : std::string();
  const auto leaf = [&](std::string_view rest) { return cat("{id: ", id, when, ", ", rest, "}"); };
  switch (*rc::gen::inRange(0, depth > 2 ? 6 : 12)) {
    case 0: return leaf(cat("type: user_message, message: \"{{ alpha }} {{ beta }}\""));
    case 1:
      return leaf(cat("type: state_update, path: ", one_of({"raw.", "state.", "this.", "global."}),
                      one_of(names),
                      ", operation: ", one_of({"set", "increment", "append", "merge"}),
                      ", value: ", one_of(literals)));
    case 2:
      return leaf(cat("type: user_input, prompt: p, validation: {pattern: '",
                      one_of({"a+", ".", "(?=a)b", "^[a-z]*$"}), "'}"));
    case 3: return leaf("type: wait_step");
    case 4:
      return leaf(cat("type: conditional, condition: ", condition(),
                      ", then: ", depth > 4 ? std::string("[]") : block(depth, number)));
    case 6:
      return leaf(cat("type: while, max_iterations: 3, condition: ", condition(),
                      ", body: ", block(depth, number)));
    case 7:
      return leaf(cat("type: foreach, items: ", one_of({"[1, 2]", "\"{{ alpha }}\"", "'beta'"}),
                      ", body: ", block(depth, number)));
    case 8:
      return leaf(cat("type: loop, loop: {type: for, count: ", one_of({"2", "0", "gamma"}),
                      ", maxIterations: 3}, body: ", block(depth, number), more_keys()));
    case 9:
      return leaf(cat("type: loop, loop: {type: forEach, items: ", one_of(names),
                      ", maxIterations: 3}, body: ", block(depth, number)));
    case 10:
      return leaf(cat("type: parallel_foreach, items: ", one_of({"[1]", "\"{{ alpha }}\""}),
                      ", steps: ", block(depth, number)));
    default: return leaf(cat("prompt: \"Do {{ alpha }}.\"", more_keys()));
  }
}

std::string fields_of(const Words& values, bool typed) {
  std::string out = "{";
  for (const std::string& name : names) {
    out += cat(out.size() == 1 ? "" : ", ", name, ": ", typed ? one_of(types) : one_of(values));
  }
  return out + "}";
}

std::string workflow_text() {
  std::string out = "id: w\n";
  const bool has_state = by_chance(2);
  if (has_state) out += cat("default_state: {raw: ", fields_of(literals, false), "}\n");
  if (has_state && by_chance(3)) {
    out += cat("state_schema: {raw: ", by_chance(3) ? fields_of({}, true) : "{}",
               ", computed: {follows: {from: raw.", one_of(names), ", transform: \"",
               one_of({"input", "input", "input.a.b", "input + 1", "return input", "input("}),
               "\", on_error: ", one_of({"use_fallback", "propagate", "ignore"}), "}}}\n");
  }
  if (by_chance(2)) {
    out += cat("inputs: {", one_of(names), ": {type: ", one_of(types),
               by_chance(2) ? cat(", default: ", one_of(literals)) : std::string(),
               by_chance(2) ? ", required: true" : "", "}}\n");
  }
  if (by_chance(10)) out += "config: {timeout_seconds: 5}\n";
  out += "steps:\n";
  int number = 0;
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i) out += cat("  - ", step(0, number), "\n");
  return out;
}

RC_GTEST_PROP(starts, whatever_is_validated_without_errors, ()) {
  static adapters::QuickJsHost scripts;
  const std::string text = workflow_text();
  World world;
  adapters::AssumedEvidence evidence;
  world.workflows.files = {
      {.source = "extra", .path = "w.yaml", .text = text, .problem = {}, .is_read = true}};
  auto compiled = MUST(engine::compile_workflow(world.workflows, world.workflows.files.front()));
  verbs::check_scripts(scripts, compiled.compilation);
  verbs::check_start(scripts, compiled.compilation);
  const bool is_valid = !compiled.compilation.has_errors();
  RC_CLASSIFY(is_valid, "valid");
  engine::Engine engine = world.engine();
  engine.scripts = &scripts;
  engine.evidence = &evidence;
  const std::string problem = why_no_start(engine, "w");
  if (is_valid && !problem.empty()) RC_FAIL(cat(problem, "\n", text));
  // The other way round: nothing that starts at once is called wrong for how it starts.
  const bool only_starts_wrong = std::ranges::any_of(
      compiled.compilation.findings.diagnostics, [](const workflow::Diagnostic& each) {
        return each.message.starts_with("a run cannot begin");
      });
  if (only_starts_wrong && problem.empty()) RC_FAIL(cat("it starts:\n", text));
}

}  // namespace
}  // namespace baton::testing
