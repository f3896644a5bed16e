// Golden hashes: what runs have pinned must compile to the same bytes in every release. A hash that
// differs here is a change of the compiled form, and needs a new compiler_version and a reason.
// Origin: 004-24, 004-83, 004-120

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text/text.h"
#include "workflow/bundled.h"
#include "workflow/compile.h"

namespace baton::workflow {
namespace {

std::string_view stem(std::string_view name) {
  name = name.substr(name.find('/') + 1);
  return name.substr(0, name.rfind('.'));
}

/// Compiles with the bundled personas, rules and workflows.
Compilation compile(std::string_view name, std::string_view text, bool is_bundled) {
  using Kind = NeedSource::Kind;
  Compiler compiler({std::string(name), std::string(text)}, {.is_bundled = is_bundled});
  for (;;) {
    auto next = compiler.next();
    if (auto* done = std::get_if<Compilation>(&next)) return std::move(*done);
    const NeedSource& need = std::get<NeedSource>(next);
    const std::string_view folder = need.kind == Kind::persona ? "agents/"
                                    : need.kind == Kind::rules ? "rules/"
                                                               : "workflows/";
    std::vector<SourceText> found;
    for (const EmbeddedText& each : bundled_texts()) {
      const bool is_wanted = need.kind == Kind::rules || stem(each.name) == need.name;
      if (!each.name.starts_with(folder) || !is_wanted) continue;
      found.push_back({std::string(each.name), std::string(each.text)});
    }
    compiler.supply(std::move(found));
  }
}

struct Golden {
  std::string_view name;
  std::string_view hash;
  std::string_view text;  // empty: the bundled workflow of that name
};

/// WorkRail: loops, conditions, blocks, refs, features, contracts, assessments, delegation.
constexpr std::string_view workrail = R"({
  "$schema": "workrail/workflow.schema.json",
  "id": "golden-rail", "name": "Golden rail", "version": "2.1.0", "description": "Of everything.",
  "metricsProfile": "coding", "preconditions": ["A clean tree"],
  "clarificationPrompts": ["Which branch?"], "metaGuidance": ["Stay small."],
  "functionDefinitions": [{"name": "note", "definition": "Write it down."}],
  "references": [{"id": "r", "title": "House rules", "source": "docs/rules.md",
                  "purpose": "To follow", "authoritative": true}],
  "recommendedPreferences": {"recommendedAutonomy": "guided"},
  "assessments": [{"id": "sound", "purpose": "Is it sound?",
                   "dimensions": [{"id": "depth", "purpose": "How deep",
                                   "levels": ["low", "high"]}]}],
  "steps": [
    {"id": "plan", "title": "Plan", "agentRole": "A planner.", "functionReferences": ["note"],
     "promptBlocks": {"goal": "Plan it", "constraints": ["No code yet"],
                      "procedure": ["Read", "Write"],
                      "outputRequired": {"plan": "What to do"}, "verify": ["It is short"]},
     "assessmentRefs": ["sound"],
     "assessmentConsequences": [{"when": {"anyEqualsLevel": "low"},
                                 "effect": {"kind": "require_followup", "guidance": "Go deeper."}}]
},
    {"id": "again", "type": "loop", "title": "Again",
     "loop": {"type": "while", "maxIterations": 4, "conditionSource":
              {"kind": "artifact_contract", "contractRef": "wr.contracts.loop_control",
               "loopId": "again"}},
     "body": [{"id": "do", "title": "Do", "prompt": "Do one thing.",
               "runCondition": {"or": [{"var": "mode", "equals": "full"},
                                       {"not": {"var": "done"}}]},
               "validationCriteria": {"and": [
                 {"type": "contains", "value": "done", "message": "say so"},
                 {"type": "length", "min": 10, "message": "more"}]}},
              {"id": "judge", "title": "Judge", "prompt": "Go on?", "requireConfirmation": true,
               "outputContract": {"contractRef": "wr.contracts.loop_control"}}]},
    {"id": "each", "type": "loop", "title": "Each",
     "loop": {"type": "forEach", "items": "slices", "itemVar": "slice", "maxIterations": 20},
     "body": [{"id": "slice", "title": "Slice", "prompt": "Take {{slice.name}}."}]}
  ]
})";

/// AroMCP: state, computed fields, control flow, commands, user input, sub-agents.
constexpr std::string_view aromcp = R"(name: "golden:aro"
description: Of everything
version: 1.0.0
inputs:
  files: {type: array, required: true, description: What to look at}
default_state:
  raw: {counter: 0, results: []}
state_schema:
  raw: {counter: number, results: array}
  computed:
    many:
      {from: this.results, transform: "input.length > 3", on_error: use_fallback, fallback: false}
steps:
  - {id: hello, type: user_message, message: "{{ inputs.files.length }} files", format: markdown}
  - id: ask
    type: user_input
    prompt: Which?
    choices: [a, b]
    default: a
    state_update: {path: this.counter, value: input}
  - id: list
    type: shell_command
    command: "ls {{ inputs.files[0] }} | wc -l"
    output_format: lines
    timeout: 5
    error_handling: {strategy: retry, max_retries: 2}
    state_update: {path: this.results, value: stdout}
  - id: round
    type: while_loop
    condition: "{{ this.counter }} < 3"
    max_iterations: 5
    body:
      - id: which
        type: conditional
        condition: "{{ this.many }}"
        then_steps: [{id: out, type: break}]
        else_steps: [{id: up, type: state_update, path: this.counter, operation: increment}]
  - {id: tool, type: mcp_call, tool: lint, parameters: {files: "{{ inputs.files }}"},
     store_result: this.results}
  - {id: spread, type: parallel_foreach, items: "{{ inputs.files }}", sub_agent_task: one,
     max_parallel: 3}
sub_agent_tasks:
  one:
    description: One file
    inputs: {file: {type: string, required: true}}
    prompt_template: "Look at {{ file }}."
)";

/// Midex: phases that need each other, agents by name, the body as guidance.
constexpr std::string_view midex = R"(---
name: golden-midex
description: Of everything
tags: [golden]
complexity: moderate
phases:
  - {phase: Plan It, agent: architect, description: Make a plan}
  - {phase: build, agent: implementer, description: Build it, dependsOn: [Plan It],
     allowParallel: true}
  - {phase: check, agent: reviewer, description: Check it, dependsOn: [Plan It, build]}
---
# Golden

Guidance for all of it.
)";

constexpr Golden goldens[] = {
    {"baton.bug-fix", "25b92502cc840f3cb9327f57b8ed5c696d839113d4721de20b9208307115dd96", ""},
    {"baton.challenge", "b837f4b8a49911fb55d5eb8b17aa7253797fdfe23f120e1de995ea3177c8de23", ""},
    {"baton.code-review", "e8a875abbdb030a2405e92f2e5d8b3b21e08728e8d59d61ef583b6160a6ff529", ""},
    {"baton.feature", "d00b5be02dce6542a3295e9d558bd151211060a7d2a78ef953ed67cf5643adc9", ""},
    {"baton.refactor", "a6872206a06251671460f6139102b4abe6b2e4d40708ddd96b621e03a42d5e40", ""},
    {"baton.release", "ffbbcc8c82feb051649157c2ec6a5f94663dad443f81fdbce46a182f511fb883", ""},
    {"baton.research", "30c62638e0bce74dbaadfdc3e68e2f2565de222dd85d9e23b4f7290b57450c03", ""},
    {"baton.security-audit", "b91048de2a6f08cf9dddd95eef7fc52b4456789ede5443c3ec0c0f5d07c3607a",
     ""},
    {"baton.standards-fix", "0648d52b2e82309b3fe65b931320905f6ca1e9a5591cff010005fdd4ba86270b", ""},
    {"rail.json", "e6da62f645f8de0dd234840959ba27c0e1e33f7810bb0f64b1cc30e4a32076b9", workrail},
    {".aromcp/workflows/aro.yaml",
     "89eb35e01bc7cfb00dcbb9259c420acfb8e85926f5007e9250011d98917e75f7", aromcp},
    {"midex.md", "31ef933426fa6e5a51b7273d23bdef015debe635a8177f7ce1d7e28cf58fb362", midex},
};

TEST(golden, compiled_workflows_hash_as_they_always_did) {
  std::size_t bundled = 0;
  for (const EmbeddedText& each : bundled_texts()) {
    if (!each.name.starts_with("workflows/")) continue;
    ++bundled;
    const auto known = std::ranges::find(goldens, stem(each.name), &Golden::name);
    ASSERT_NE(known, std::end(goldens)) << each.name << " has no golden hash";
    const Compilation compilation = compile(each.name, each.text, true);
    ASSERT_FALSE(compilation.has_errors()) << error_of(compilation).message;
    EXPECT_EQ(compilation.pinned->hash.hex(), known->hash) << each.name;
  }
  for (const Golden& each : goldens) {
    if (each.text.empty()) continue;
    const Compilation compilation = compile(each.name, each.text, false);
    ASSERT_FALSE(compilation.has_errors()) << error_of(compilation).message;
    EXPECT_NE(compilation.dialect, Dialect::native) << each.name;
    EXPECT_EQ(compilation.pinned->hash.hex(), each.hash) << each.name;
  }
  const auto known = std::ranges::count(goldens, std::string_view(), &Golden::text);
  EXPECT_EQ(bundled, static_cast<std::size_t>(known));
}

}  // namespace
}  // namespace baton::workflow
