// Origin: 004-42

#include "workflow/expand/expand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/schema/schema.h"
#include "base/text/text.h"
#include "workflow/bundled.h"
#include "workflow/check/closed_sets.h"
#include "workflow/check/json_schema.h"
#include "workflow/compile.h"
#include "workflow/read/read.h"
#include "workflow/testing/step_fields.h"

namespace baton::workflow {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Files = std::map<std::string, SourceText, std::less<>>;

Compilation compile(SourceText main, const Files& files, CompileOptions options = {}) {
  Compiler compiler(std::move(main), options);
  for (;;) {
    auto next = compiler.next();
    if (auto* done = std::get_if<Compilation>(&next)) return std::move(*done);
    const NeedSource& need = std::get<NeedSource>(next);
    const std::string name = need.kind == NeedSource::Kind::bindings ? "bindings" : need.name;
    const auto found = files.find(name);
    compiler.supply(found == files.end() ? std::vector<SourceText>()
                                         : std::vector<SourceText>{found->second});
  }
}

Compilation yaml(std::string_view text, const Files& files = {}) {
  return compile({"main.yaml", std::string(text)}, files);
}

std::string errors(const Compilation& compilation) {
  return compilation.has_errors() ? error_of(compilation).message : "";
}

std::string ids(const std::vector<Step>& steps) {
  std::string out;
  for (const Step& step : steps) {
    out += cat(out.empty() ? "" : " ", step.id);
    for (const Block& block : step.blocks) out += cat("[", ids(block.steps), "]");
  }
  return out;
}

std::string ids(const Compilation& compilation) {
  return compilation.has_errors() ? errors(compilation) : ids(compilation.pinned->workflow.steps);
}

SourceText file(std::string name, std::string_view text) {
  return {std::move(name), std::string(text)};
}

// --- includes, imports, routines -----------------------------------------------------------------

TEST(expand, include_brings_steps_frame_and_tasks_in_its_own_names) {
  const Files files = {
      {"part", file("part.yaml",
                    "{id: part, inputs: {n: {type: number}}, state_schema: {raw: {r: any}}, steps: "
                    "[{id: a, prompt: 'on {{ inputs.n }}'}, {id: b, type: parallel_foreach, items: "
                    "'{{ r }}', sub_agent_task: t}], sub_agent_tasks: {t: {steps: [{id: x, prompt: "
                    "p}]}}}")}};
  const Compilation compilation = yaml(
      "{id: w, steps: [{id: do, type: include_workflow, workflow: part, inputs: {n: 3}}]}", files);
  ASSERT_FALSE(compilation.has_errors()) << errors(compilation);
  const CompiledWorkflow& workflow = compilation.pinned->workflow;
  EXPECT_EQ(ids(compilation), "do[do.a do.b]");
  EXPECT_EQ(*testing::field_of(workflow.steps[0].blocks[0].steps[1], "task").if_string(), "do.t");
  EXPECT_NE(workflow.declared.find("tasks")->find("do.t"), nullptr);
  EXPECT_EQ(json::print(testing::field_of(workflow.steps[0], "inputs")), R"({"n":3})");
  EXPECT_EQ(json::print(*testing::field_of(workflow.steps[0], "frame").find("state")),
            R"({"raw":{"r":"any"}})");
  ASSERT_EQ(compilation.provenance.size(), 1u);
  EXPECT_EQ(compilation.provenance[0].from, "include part");
}

TEST(expand, imports_bring_workflows_and_tasks) {
  const Files files = {
      {"shared/common.yaml", file("shared/common.yaml",
                                  "{name: 'shared:check', steps: [{id: c, prompt: p}], "
                                  "sub_agent_tasks: {t: {prompt_template: 'Do {{ item }}'}}}")}};
  const Compilation compilation = yaml(
      "{id: w, imports: [shared/common.yaml], steps: [{id: i, type: include_workflow, workflow: "
      "'shared:check'}, {id: p, type: parallel_foreach, items: [1, 2], sub_agent_task: t}]}",
      files);
  ASSERT_FALSE(compilation.has_errors()) << errors(compilation);
  EXPECT_EQ(ids(compilation), "i[i.c] p");
}

TEST(expand, circles_are_named) {
  const Files files = {
      {"a", file("a.yaml", "{id: a, steps: [{id: s, type: include_workflow, workflow: b}]}")},
      {"b", file("b.yaml", "{id: b, steps: [{id: t, type: include_workflow, workflow: a}]}")}};
  EXPECT_THAT(errors(compile(files.at("a"), files)),
              HasSubstr("WORKFLOW_CYCLE: these workflows include each other: a -> b -> a"));
  const Files imports = {
      {"a.yaml", file("a.yaml", "{id: a, imports: [b.yaml], steps: [{prompt: p}]}")},
      {"b.yaml", file("b.yaml", "{id: b, imports: [a.yaml], steps: [{prompt: p}]}")}};
  EXPECT_THAT(errors(compile(imports.at("a.yaml"), imports)), HasSubstr("a -> b -> a"));
  EXPECT_THAT(errors(yaml("{id: w, steps: [{type: include_workflow, workflow: w}]}",
                          {{"w", file("w.yaml",
                                      "{id: w, steps: [{type: include_workflow, "
                                      "workflow: w}]}")}})),
              HasSubstr("w -> w"));
}

TEST(expand, what_does_not_exist_is_named) {
  EXPECT_THAT(errors(yaml("{id: w, steps: [{type: include_workflow, workflow: nix}]}")),
              HasSubstr("there is no workflow \"nix\""));
  EXPECT_THAT(errors(yaml("{id: w, imports: [nix.yaml], steps: [{prompt: p}]}")),
              HasSubstr("there is no file \"nix.yaml\""));
  EXPECT_THAT(errors(yaml("{id: w, steps: [{type: template_call, templateId: capabilty_probe}]}")),
              HasSubstr("did you mean \"capability_probe\"?"));
  EXPECT_THAT(errors(yaml("{id: w, steps: [{prompt: p, agent: nix}]}")),
              HasSubstr("there is no persona \"nix\""));
  EXPECT_THAT(errors(yaml("{id: w, features: [mode_guidanc], steps: [{prompt: p}]}")),
              HasSubstr("did you mean \"mode_guidance\"?"));
  EXPECT_THAT(errors(yaml("{id: w, steps: [{prompt: p, outputContract: {contractRef: loop}}]}")),
              HasSubstr("there is no contract \"loop\""));
  EXPECT_THAT(errors(yaml("{id: w, steps: [{prompt: p, functionReferences: [f()]}]}")),
              HasSubstr("there is no function \"f\""));
  EXPECT_THAT(errors(yaml("{id: w, steps: [{prompt: p, assessmentRefs: [q]}]}")),
              HasSubstr("there is no assessment \"q\""));
  EXPECT_THAT(errors(yaml("{id: w, steps: [{type: parallel_foreach, items: [1], sub_agent_task: "
                          "t}]}")),
              HasSubstr("there is no task \"t\""));
}

// Enforces: G9
TEST(expand, depth_of_includes_is_bounded) {
  const auto chain = [](std::size_t depth) {
    Files files;
    for (std::size_t i = 0; i <= depth; ++i) {
      const std::string step = i == depth
                                   ? std::string("{prompt: p}")
                                   : cat("{id: i, type: include_workflow, workflow: w", i + 1, '}');
      files[cat("w", i)] = file(cat("w", i, ".yaml"), cat("{id: w", i, ", steps: [", step, "]}"));
    }
    return errors(compile(files.at("w0"), files));
  };
  EXPECT_EQ(chain(limits::include_depth_max), "");
  EXPECT_THAT(chain(limits::include_depth_max + 1), HasSubstr("LIMIT_EXCEEDED"));
}

// Enforces: G9
TEST(expand, copies_are_bounded) {
  const auto copies = [](std::size_t count) {
    const std::string text(limits::workflow_copied_bytes_max / 4, 'x');
    const Files files = {
        {"big", file("big.yaml", cat("{id: big, steps: [{id: a, prompt: ", text, "}]}"))}};
    std::string steps;
    for (std::size_t i = 0; i < count; ++i) {
      steps += cat("{id: s", i, ", type: template_call, templateId: big},");
    }
    return errors(yaml(cat("{id: w, steps: [", steps, "]}"), files));
  };
  EXPECT_EQ(copies(3), "");
  EXPECT_THAT(copies(4), HasSubstr("LIMIT_EXCEEDED"));
}

// Enforces: G9
TEST(expand, number_of_other_files_is_bounded) {
  const auto many = [](std::size_t count) {
    Files files;
    std::string imports;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = cat("f", i, ".yaml");
      files[name] = file(name, cat("{id: f", i, ", steps: [{prompt: p}]}"));
      imports += name + ",";
    }
    return errors(yaml(cat("{id: w, imports: [", imports, "], steps: [{prompt: p}]}"), files));
  };
  EXPECT_EQ(many(limits::workflow_sources_max), "");
  EXPECT_THAT(many(limits::workflow_sources_max + 1), HasSubstr("LIMIT_EXCEEDED"));
}

TEST(expand, routine_becomes_steps_with_arguments_as_text) {
  const Files files = {
      {"look", file("look.yaml",
                    "{id: look, kind: routine, steps: [{id: a, prompt: 'See ${what} "
                    "and {{ inputs.what }}.'}, {id: b, prompt: q, dependencies: [a]}]}")}};
  const Compilation compilation =
      yaml("{id: w, steps: [{id: c, type: template_call, template: look, args: {what: 'a}}\"b'}}]}",
           files);
  ASSERT_FALSE(compilation.has_errors()) << errors(compilation);
  EXPECT_EQ(ids(compilation), "c.a c.b");
  EXPECT_EQ(compilation.pinned->workflow.steps[0].prompt, "See a}}\"b and a}}\"b.");
  EXPECT_EQ(compilation.provenance[1].from, "routine look");
}

// --- what the compiler writes itself -------------------------------------------------------------

TEST(expand, templates_check_their_arguments) {
  EXPECT_EQ(ids(yaml("{id: w, steps: [{id: p, templateCall: {templateId: "
                     "wr.templates.capability_probe, args: {capability: delegation}}}]}")),
            "p.probe");
  EXPECT_THAT(errors(yaml("{id: w, steps: [{type: template_call, templateId: capability_probe, "
                          "args: {capabilty: x}}]}")),
              ::testing::AllOf(HasSubstr("needs the argument \"capability\""),
                               HasSubstr("takes no argument \"capabilty\"")));
}

TEST(expand, required_capability_is_probed_first) {
  EXPECT_EQ(ids(yaml("{id: w, capabilities: {web_browsing: required, delegation: preferred}, "
                     "steps: [{id: a, prompt: p}]}")),
            "web_browsing.probe a");
}

TEST(expand, probe_asks_for_an_observation_of_its_capability) {
  const Compilation compilation =
      yaml("{id: w, capabilities: {web_browsing: required}, steps: [{id: a, prompt: p}]}");
  ASSERT_FALSE(compilation.has_errors()) << errors(compilation);
  const json::Value& contract =
      testing::field_of(compilation.pinned->workflow.steps[0], "outputContract");
  EXPECT_EQ(*contract.find("capability"), json::Value("web_browsing"));
}

TEST(expand, observed_capability_is_a_known_one_in_its_contract) {
  EXPECT_THAT(errors(yaml("{id: w, steps: [{id: a, prompt: p, outputContract: {contractRef: "
                          "capability_observation, capability: flying}}]}")),
              HasSubstr("there is no capability \"flying\""));
  EXPECT_THAT(errors(yaml("{id: w, steps: [{id: a, prompt: p, outputContract: {contractRef: "
                          "loop_control, capability: delegation}}]}")),
              HasSubstr("belongs to the contract capability_observation"));
}

TEST(expand, prompt_blocks_are_sections_in_their_order) {
  const Compilation compilation = yaml(
      "{id: w, steps: [{id: a, promptBlocks: {verify: [v], procedure: [one, two], goal: [{kind: "
      "text, text: 'G: '}, {kind: ref, refId: wr.refs.evidence_first}], outputRequired: {b: two, "
      "a: one}, constraints: [c]}}]}");
  ASSERT_FALSE(compilation.has_errors()) << errors(compilation);
  const std::string& prompt = compilation.pinned->workflow.steps[0].prompt;
  EXPECT_THAT(prompt, ::testing::StartsWith("## Goal\n\nG: Support each claim"));
  EXPECT_THAT(prompt,
              ::testing::EndsWith("## Constraints\n\n- c\n\n## Procedure\n\n1. one\n2. two\n\n"
                                  "## Output required\n\n- a: one\n- b: two\n\n## Verify\n\n- "
                                  "v"));
}

TEST(expand, features_add_to_blocks_in_the_order_of_their_ids) {
  const std::string_view one =
      "{id: w, features: [wr.features.mode_guidance, memory_context], "
      "steps: [{id: a, promptBlocks: {goal: g}}, {id: b, prompt: p}]}";
  const std::string_view other =
      "{id: w, features: [memory_context, mode_guidance], "
      "steps: [{id: a, promptBlocks: {goal: g}}, {id: b, prompt: p}]}";
  EXPECT_EQ(yaml(one).pinned->hash, yaml(other).pinned->hash);
  const std::string prompt = yaml(one).pinned->workflow.steps[0].prompt;
  EXPECT_LT(prompt.find("Before you begin"), prompt.find("In guided mode"));
  EXPECT_EQ(yaml(one).pinned->workflow.steps[1].prompt, "p");
  EXPECT_THAT(errors(yaml("{id: w, features: [{id: mode_guidance, config: {x: 1}}], steps: "
                          "[{prompt: p}]}")),
              HasSubstr("has no setting \"x\""));
}

TEST(expand, personas_and_rules_are_pinned) {
  const Files files = {
      {"reviewer", file("agents/reviewer.md", "---\nname: reviewer\n---\nYou review.")},
      {"", file("rules/safe.md", "---\nname: safe\nalways_apply: true\n---\nNever guess.")}};
  const Compilation compilation =
      yaml("{id: w, steps: [{id: a, prompt: p, agent: reviewer}]}", files);
  ASSERT_FALSE(compilation.has_errors()) << errors(compilation);
  const CompiledWorkflow& workflow = compilation.pinned->workflow;
  EXPECT_EQ(workflow.steps[0].agent_role, "You review.");
  EXPECT_EQ(json::print(*workflow.declared.find("rules")),
            R"([{"name":"safe","text":"Never guess."}])");
}

TEST(expand, bindings_are_resolved_in_prompts) {
  const std::string_view text =
      "{id: w, extensionPoints: [{slotId: review, purpose: p, default: plain}], steps: [{id: a, "
      "prompt: 'Use {{wr.bindings.review}}.'}]}";
  EXPECT_EQ(yaml(text).pinned->workflow.steps[0].prompt, "Use plain.");
  const Files files = {{"bindings", file("bindings.json", R"({"review":"deep"})")}};
  EXPECT_EQ(yaml(text, files).pinned->workflow.steps[0].prompt, "Use deep.");
}

TEST(expand, composite_steps_of_workrail_become_several) {
  EXPECT_EQ(ids(yaml("{id: w, steps: [{id: abc, title: T, prompt: p, audit: {rubric: [r]}, "
                     "verification: {command: make}}]}")),
            "abc abc.audit abc.verification");
  EXPECT_EQ(
      ids(yaml("{id: w, steps: [{id: one, title: T, prompt: p}, {id: l, type: loop, title: L, "
               "loop: {type: for, count: 2, maxIterations: 2}, body: one}]}")),
      "l[one]");
}

TEST(expand, delegations_have_the_steps_of_their_routine_with_values_of_the_context) {
  const Files files = {
      {"look",
       file("look.yaml",
            "{id: look, kind: routine, steps: [{id: one, prompt: 'At {{ what }}, {{ how }}.'}, "
            "{id: two, prompt: p, runCondition: {var: deep}}]}")}};
  const Compilation found = yaml(
      "{id: w, steps: [{id: par, type: parallel, title: T, parallelDelegations: "
      "[{workflowId: look, goal: Find it, args: {how: closely}, "
      "contextMapping: {subject: what}}, {workflowId: look, runCondition: {var: x}}], "
      "synthesis: {}}]}",
      files);
  EXPECT_EQ(ids(found),
            "par[delegate-1.one delegate-1.two delegate-2.one delegate-2.two] par.synthesis");
  const std::vector<Step>& steps = found.pinned->workflow.steps[0].blocks[0].steps;
  EXPECT_EQ(steps[0].prompt, "Goal: Find it\n\nAt {{ subject }}, closely.");
  EXPECT_EQ(json::print(*steps[0].run_condition),
            R"({"var":"item.delegation","op":"equals","value":1})");
  for (const std::size_t guarded : {std::size_t{1}, std::size_t{3}}) {
    const std::string condition = json::print(*steps[guarded].run_condition);
    EXPECT_THAT(condition, HasSubstr("item.delegation"));
    EXPECT_THAT(condition, HasSubstr("deep"));
  }
}

TEST(expand, a_delegation_to_nothing_is_refused_but_told_where_workrail_takes_it) {
  constexpr std::string_view text =
      R"({"id": "w", "name": "W", "description": "d", "version": "1.0.0", "steps": [{"id": "par",)"
      R"("type": "parallel", "title": "T", "parallelDelegations": [{"workflowId": "nowhere",)"
      R"("contextMapping": {"subject": "what"}}]}]})";
  EXPECT_THAT(errors(yaml("{id: w, steps: [{id: par, type: parallel, title: T, "
                          "parallelDelegations: [{workflowId: nowhere}]}]}")),
              HasSubstr("there is no workflow or routine \"nowhere\""));
  const Compilation told = compile({"main.json", std::string(text)}, {});
  EXPECT_EQ(ids(told), "par[delegate-1]");
  EXPECT_EQ(told.pinned->workflow.steps[0].blocks[0].steps[0].prompt,
            "Carry out the workflow \"nowhere\".\n\nFrom the context:\n- what: {{ subject }}");
}

TEST(expand, what_holds_for_the_run_opens_the_first_prompt) {
  const Compilation compilation = compile(
      {"w.md", "---\nid: w\nmetaGuidance: [Be kind.]\nsteps: [{id: a, prompt: Go.}]\n---\nText."},
      {});
  EXPECT_EQ(compilation.pinned->workflow.steps[0].prompt,
            "Text.\n\n## For the whole run\n\n- Be kind.\n\n---\n\nGo.");
}

// --- the tables themselves -----------------------------------------------------------------------

TEST(closed_sets, texts_of_templates_and_contracts_are_sound) {
  for (const Template& each : templates()) {
    Diagnostics diagnostics;
    EXPECT_TRUE(read_yaml(each.steps, {}, diagnostics)) << each.id;
    EXPECT_FALSE(diagnostics.has_errors()) << each.id;
  }
  for (const Contract& each : contracts()) {
    const auto value = json::parse(each.schema);
    ASSERT_TRUE(value) << each.id;
    EXPECT_TRUE(schema::Schema::compile(*value, {})) << each.id;
  }
}

TEST(bundled, every_workflow_compiles_and_fits_the_schema) {
  Files files;
  std::string first_rule;
  for (const EmbeddedText& each : bundled_texts()) {
    const std::string_view name = each.name.substr(each.name.find('/') + 1);
    files[std::string(name.substr(0, name.rfind('.')))] = file(std::string(each.name), each.text);
  }
  const schema::Schema language = schema::Schema::compile(language_schema(), {}).value();
  std::size_t workflows = 0;
  for (const EmbeddedText& each : bundled_texts()) {
    if (!each.name.starts_with("workflows/")) continue;
    ++workflows;
    const Compilation compilation =
        compile(file(std::string(each.name), each.text), files, {.is_bundled = true});
    EXPECT_FALSE(compilation.has_errors()) << errors(compilation);
    for (const Diagnostic& warning : compilation.findings.diagnostics) {
      ADD_FAILURE() << short_text_of(warning, compilation.findings.sources);
    }
    Diagnostics none;
    const auto node = read_yaml(each.text, {}, none);
    const auto fits = language.check(node->to_json());
    EXPECT_TRUE(fits) << each.name << ": " << fits.error().message;
  }
  EXPECT_GE(workflows, 8u);
}

TEST(language_schema, takes_what_the_compiler_takes_and_refuses_unknown_keys) {
  const schema::Schema language = schema::Schema::compile(language_schema(), {}).value();
  for (const std::string_view text :
       {R"({"id":"x","steps":[{"prompt":"p"}]})",
        R"({"workflow":{"name":"x","steps":[{"id":"a","type":"while_loop","condition":"a",)"
        R"("body":[{"type":"break"}]}]}})",
        R"({"id":"x","steps":[{"prompt":"p","runCondition":{"and":[{"var":"a"},{"var":"b"}]},)"
        R"("validationCriteria":{"and":[{"type":"regex","pattern":"x","message":"m"}]}}]})",
        R"({"name":"m","phases":[{"phase":"a","agent":"b"}]})"}) {
    const auto fits = language.check(json::parse(text).value());
    EXPECT_TRUE(fits) << text << fits.error().message;
  }
  for (const std::string_view text :
       {R"({"id":"x","stepz":[]})", R"({"id":"x","steps":[{"promt":"p"}]})",
        R"({"id":"x","steps":[{"type":"lop"}]})", R"({"id":3,"steps":[{"prompt":"p"}]})"}) {
    EXPECT_FALSE(language.accepts(json::parse(text).value())) << text;
  }
}

}  // namespace
}  // namespace baton::workflow
