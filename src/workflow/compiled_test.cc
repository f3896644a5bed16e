#include "workflow/compiled.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "base/testing/json_generator.h"
#include "base/text/text.h"

namespace baton::workflow {
namespace {

CompiledWorkflow sample() {
  CompiledWorkflow workflow;
  workflow.id = "demo.review";
  workflow.name = "Review";
  workflow.description = "Reads a change and judges it.";
  workflow.version = "1.2.0";
  workflow.tags = {"review", "short"};
  workflow.steps = {
      prompt_step("read", "Read it", "Read the change."),
      prompt_step("judge", "Judge it", "Say what you think.\nBe \"kind\".", true, "reviewer")};
  return workflow;
}

/// A loop around a conditional, with fields of several kinds.
Step nested_step() {
  Step inner;
  inner.id = "maybe";
  inner.title = "Maybe";
  inner.body = Conditional{json::Value(json::Object{{"js", "a > 1"}})};
  inner.blocks = {{"then", {prompt_step("x", "X", "p")}}, {"else", {prompt_step("y", "Y", "q")}}};
  Step loop;
  loop.id = "again";
  loop.title = "Again";
  Loop bounded;
  bounded.max_iterations = 3;
  loop.body = std::move(bounded);
  loop.blocks = {{"body", {inner}}};
  return loop;
}

rc::Gen<CompiledWorkflow> any_workflow() {
  return rc::gen::exec([] {
    json::testing::ShrinkingChoices choose;
    const auto text = [&] { return json::testing::any_string(choose); };
    CompiledWorkflow workflow;
    workflow.id = text();
    workflow.name = text();
    workflow.description = text();
    workflow.version = text();
    for (std::size_t left = choose(4); left > 0; --left) workflow.tags.push_back(text());
    for (std::size_t left = choose(4); left > 0; --left) {
      Step step = prompt_step(text(), text(), text(), choose(2) == 1);
      if (choose(2) == 1) step.agent_role = text();
      if (choose(2) == 1) step.tags = std::vector<std::string>{text()};
      workflow.steps.push_back(choose(4) == 0 ? nested_step() : std::move(step));
    }
    if (choose(2) == 1) workflow.declared.set("guidance", text());
    return workflow;
  });
}

TEST(pin, hash_is_the_same_on_every_machine_and_release) {
  const Pinned pinned = pin(sample()).value();
  EXPECT_EQ(pinned.text,
            R"({"description":"Reads a change and judges it.","id":"demo.review",)"
            R"("name":"Review","steps":[{"id":"read","prompt":"Read the change.",)"
            R"("requireConfirmation":false,"title":"Read it","type":"prompt"},)"
            R"({"agentRole":"reviewer","id":"judge",)"
            R"("prompt":"Say what you think.\nBe \"kind\".","requireConfirmation":true,)"
            R"("title":"Judge it","type":"prompt"}],"tags":["review","short"],)"
            R"("version":"1.2.0"})");
  EXPECT_EQ(pinned.hash.hex(), "5c717c3168d36910cf9ae4c168707fd27dcdb3522075b1e4e05f4075ad19744f");
  EXPECT_EQ(pinned.hash, sha256(pinned.text));
}

// Enforces: G9
TEST(pin, a_text_past_its_limit_is_not_read) {
  CompiledWorkflow workflow = sample();
  const std::size_t around = pin(workflow).value().text.size() - workflow.description.size();
  workflow.description.assign(limits::compiled_workflow_bytes_max - around, 'd');
  const Pinned full = pin(workflow).value();
  ASSERT_EQ(full.text.size(), limits::compiled_workflow_bytes_max);
  EXPECT_TRUE(unpin(full.text, full.hash).has_value());
  workflow.description += 'd';
  const Pinned over = pin(workflow).value();
  EXPECT_EQ(unpin(over.text, over.hash).error().code, Code::STORE_CORRUPT);
}

RC_GTEST_PROP(pin, what_was_pinned_comes_back, ()) {
  const CompiledWorkflow workflow = *any_workflow();
  const Pinned pinned = MUST(pin(workflow));
  const Pinned back = MUST(unpin(pinned.text, pinned.hash));
  RC_ASSERT(back.workflow == workflow);
  RC_ASSERT(back.text == pinned.text);
  RC_ASSERT(back.hash == pinned.hash);
}

TEST(pin, workflows_that_differ_anywhere_have_different_hashes) {
  const Sha256 hash = pin(sample()).value().hash;
  const auto differs = [&](auto change) {
    CompiledWorkflow workflow = sample();
    change(workflow);
    return pin(workflow).value().hash != hash;
  };
  EXPECT_TRUE(differs([](auto& w) { w.id += "x"; }));
  EXPECT_TRUE(differs([](auto& w) { w.name += "x"; }));
  EXPECT_TRUE(differs([](auto& w) { w.description += "x"; }));
  EXPECT_TRUE(differs([](auto& w) { w.version += "x"; }));
  EXPECT_TRUE(differs([](auto& w) { std::swap(w.tags[0], w.tags[1]); }));
  EXPECT_TRUE(differs([](auto& w) { std::swap(w.steps[0], w.steps[1]); }));
  EXPECT_TRUE(differs([](auto& w) { w.steps[0].id += "x"; }));
  EXPECT_TRUE(differs([](auto& w) { w.steps[0].title += "x"; }));
  EXPECT_TRUE(differs([](auto& w) { w.steps[0].prompt += "x"; }));
  EXPECT_TRUE(differs([](auto& w) { w.steps[0].require_confirmation = true; }));
  EXPECT_TRUE(differs([](auto& w) { w.steps[0].agent_role = ""; }));
}

// Enforces: G4
TEST(unpin, any_changed_byte_is_noticed) {
  const Pinned pinned = pin(sample()).value();
  for (std::size_t i = 0; i < pinned.text.size(); ++i) {
    std::string changed = pinned.text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(unpin(changed, pinned.hash).error().code, Code::STORE_CORRUPT) << i;
  }
  EXPECT_EQ(unpin(pinned.text + " ", pinned.hash).error().code, Code::STORE_CORRUPT);
  EXPECT_EQ(unpin("", pinned.hash).error().code, Code::STORE_CORRUPT);
}

TEST(unpin, text_with_the_right_hash_and_another_shape_is_refused) {
  const json::Value right = to_json(sample());
  const auto code = [](json::Value value) {
    const std::string text = json::canonical(value).value();
    const auto pinned = unpin(text, sha256(text));
    return pinned ? std::string("ok") : std::string(name_of(pinned.error().code));
  };
  EXPECT_EQ(code(right), "ok");
  for (const json::Member& member : *right.if_object()) {
    json::Object without = *right.if_object();
    without.erase(member.key);
    EXPECT_EQ(code(without), "STORE_CORRUPT") << member.key;
    json::Object wrong = *right.if_object();
    wrong.set(member.key, 1);
    EXPECT_EQ(code(wrong), "STORE_CORRUPT") << member.key;
  }
  json::Object more = *right.if_object();
  more.set("steeps", json::Array{});
  EXPECT_EQ(code(more), "STORE_CORRUPT");

  const json::Object step = *right.find("steps")->if_array()->at(1).if_object();
  const auto with_step = [&](json::Object changed) {
    json::Object workflow = *right.if_object();
    workflow.set("steps", json::Array{std::move(changed)});
    return code(workflow);
  };
  EXPECT_EQ(with_step(step), "ok");
  for (const json::Member& member : step) {
    json::Object without = step;
    without.erase(member.key);
    EXPECT_EQ(with_step(without), member.key == "agentRole" ? "ok" : "STORE_CORRUPT");
    json::Object wrong = step;
    wrong.set(member.key, 1);
    EXPECT_EQ(with_step(wrong), "STORE_CORRUPT") << member.key;
  }
  json::Object other = step;
  other.set("type", "lop");
  EXPECT_EQ(with_step(other), "STORE_CORRUPT");
  json::Object unknown = step;
  unknown.set("extra", true);
  EXPECT_EQ(with_step(unknown), "STORE_CORRUPT");
}

// Enforces: G9
TEST(unpin, depth_is_bounded) {
  const auto reads_back = [](std::size_t depth) {
    json::Value value = 1;
    for (std::size_t i = 0; i < depth; ++i) {
      json::Array outer;
      outer.push_back(std::move(value));
      value = std::move(outer);
    }
    CompiledWorkflow workflow = sample();
    workflow.declared.set("triggers", std::move(value));
    const Pinned pinned = pin(std::move(workflow)).value();
    return unpin(pinned.text, pinned.hash).has_value();
  };
  EXPECT_TRUE(reads_back(limits::compiled_workflow_depth_max - 1));
  EXPECT_FALSE(reads_back(limits::compiled_workflow_depth_max));
}

TEST(unpin, text_that_is_not_json_is_refused_as_corrupt) {
  for (const std::string text : {"", "{", "[]", "null", "\xFF"}) {
    EXPECT_EQ(unpin(text, sha256(text)).error().code, Code::STORE_CORRUPT) << text;
  }
}

TEST(pin, nested_steps_are_read_back) {
  CompiledWorkflow workflow = sample();
  workflow.steps.push_back(nested_step());
  workflow.declared.set("inputs", json::Object{{"a", json::Object{{"type", "string"}}}});
  const Pinned pinned = pin(workflow).value();
  EXPECT_EQ(unpin(pinned.text, pinned.hash).value().workflow, workflow);
}

/// A step of each type with everything that it can say.
constexpr std::string_view whole_steps = R"([
  {"id":"a","type":"prompt","title":"A","prompt":"p","requireConfirmation":true,"agentRole":"r",
   "description":"d","tags":[],"pathPatterns":["*.cc"],"allowParallel":false,"timeout_ms":5,
   "on_error":{"strategy":"retry","retries":2,"delay_ms":3,"value":null,"message":"m"},
   "updates":[{"path":"raw.x","operation":"set","value":1}],"dependencies":["b"],
   "runCondition":{"js":"x"},"error_update":{"path":"raw.e","operation":"set","value":0},
   "confirmation":{"kind":"human_approval","condition":{"var":"x"}},"notesOptional":true,
   "fragments":[{"id":"f","when":{"var":"x"},"text":"t"}],"agent":"g","allowed_actions":["read"],
   "required_output_format":null,"assessmentRefs":["q"],
   "assessmentConsequences":[{"when":{"anyEqualsLevel":"low"},"effect":{}}],
   "nonAssumableChoice":"scope_boundary","tools":{"allow":["*"]},"context":{"k":1},
   "expected_response":"string","max_retries":1,"validation":{"min":1},
   "validationCriteria":{"type":"length"},
   "outputContract":{"contract":"c","required":false,"capability":"web_browsing"},
   "evidence":[{"file_exists":"x"}]},
  {"id":"b","type":"user_message","title":"B","message":"m","message_type":"info","format":"code"},
  {"id":"c","type":"user_input","title":"C","message":"m","instructions":"i","choices":[1,2],
   "default":null,"validation":{"pattern":"x"},"input_type":"choice","max_retries":0},
  {"id":"d","type":"mcp_call","title":"D","tool":"t","parameters":{"a":[]}},
  {"id":"e","type":"shell_command","title":"E","working_directory":"w","reason":"r",
   "sandbox":"workspace","output_format":"json","argv":["a","b"]},
  {"id":"f","type":"agent_shell_command","title":"F","output_format":"text",
   "env":{"BATON_V1":"{{ x }}"},"command":"c"},
  {"id":"g","type":"state_update","title":"G"},
  {"id":"h","type":"conditional","title":"H","condition":{"js":"x"},
   "then":[{"id":"i","type":"exit","title":"I"}],"else":[{"id":"j","type":"exit","title":"J"}]},
  {"id":"k","type":"loop","title":"K","kind":"until","max_iterations":3,"iteration_var":"i",
   "item_var":"it","index_var":"ix","items":{"var":"v"},"count":{"var":"n"},
   "control":{"contract":"loop_control","loop_id":"o"},"condition":{"js":"x"},
   "body":[{"id":"l","type":"break","title":"L"},{"id":"m","type":"continue","title":"M"}]},
  {"id":"n","type":"parallel_foreach","title":"N","items":{"list":[1]},"max_parallel":2,
   "wait_for_all":false,"task":"t","on_sub_agent_error":{"strategy":"fail_all","max_retries":1,
   "collect_errors":true,"error_state_path":"raw.e"},"sub_agent_prompt":"p",
   "steps":[{"id":"o","type":"wait_step","title":"O"}]},
  {"id":"p","type":"include","title":"P","workflow":"w","inputs":{"a":"{{ x }}"},
   "frame":{"inputs":{"a":{"type":"string"}},"state":{"raw":{}}},
   "steps":[{"id":"q","type":"wait_step","title":"Q","message":"m"}]},
  {"id":"r","type":"apply_hints","title":"R","file":"f","hints":null}])";

TEST(steps_from_json, what_a_step_of_each_type_says_comes_back) {
  const json::Value written = MUST(json::parse(whole_steps));
  const std::vector<Step> steps = MUST(steps_from_json(*written.if_array()));
  json::Array back;
  for (const Step& step : steps) back.push_back(to_json(step));
  EXPECT_EQ(json::print_pretty(back), json::print_pretty(written));
  CompiledWorkflow workflow = sample();
  workflow.steps = steps;
  const Pinned pinned = pin(workflow).value();
  EXPECT_EQ(pinned.text, json::canonical(to_json(workflow)).value());
  EXPECT_EQ(unpin(pinned.text, pinned.hash).value().workflow, workflow);
}

// --- its form -----------------------------------------------------------------------------------

/// With one step of its own in each place that steps are in.
std::vector<CompiledWorkflow> with_everywhere(const Step& step) {
  const auto inside = [&](StepBody body, std::string block) {
    Step outer = prompt_step("outer", "Outer", "");
    outer.body = std::move(body);
    outer.blocks = {{std::move(block), {prompt_step("before", "Before", "p"), step}}};
    CompiledWorkflow workflow = sample();
    workflow.steps.push_back(std::move(outer));
    return workflow;
  };
  const auto declared = [&](std::string key, json::Value value) {
    CompiledWorkflow workflow = sample();
    workflow.declared.set(std::move(key), std::move(value));
    return workflow;
  };
  const json::Array steps{to_json(step)};
  CompiledWorkflow outermost = sample();
  outermost.steps.push_back(step);
  return {outermost,
          inside(Conditional(), "then"),
          inside(Conditional(), "else"),
          inside(Loop(), "body"),
          inside(ParallelForeach(), "steps"),
          inside(Include(), "steps"),
          declared("tasks", json::Object{{"t", json::Object{{"steps", steps}}}}),
          declared("tasks", json::Object{{"t", json::Object{{"error_handling",
                                                             json::Object{{"cleanup", steps}}}}}})};
}

// What 0.1.0 read is in tests/stores/format_test.py once more, from the file that it was in.
TEST(form_of, a_member_that_0_1_0_does_not_know_needs_the_second_form_in_every_place) {
  const json::Value written = MUST(json::parse(whole_steps));
  for (Step& step : MUST(steps_from_json(*written.if_array()))) {
    if (auto* command = std::get_if<ShellCommand>(&step.body)) command->sandbox = {};
    for (const CompiledWorkflow& each : with_everywhere(step)) {
      EXPECT_EQ(MUST(pin(each)).form, 1) << step.id;
    }
  }
  ShellCommand fenced;
  fenced.sandbox = std::string("workspace");
  const std::vector<std::function<void(Step&)>> newer = {
      [](Step& step) { step.gate.emplace(); },
      [](Step& step) { step.effect = false; },
      [](Step& step) { step.on_fork = std::string("ask"); },
      [](Step& step) { step.undo = std::string("rm x"); },
      [](Step& step) { step.despite_gaps = true; },
      [](Step& step) { step.waivable = true; },
      [&](Step& step) { step.body = fenced; }};
  for (const auto& change : newer) {
    Step step = prompt_step("new", "New", "p");
    change(step);
    for (const CompiledWorkflow& each : with_everywhere(step)) {
      const Pinned pinned = MUST(pin(each));
      EXPECT_EQ(pinned.form, 2) << pinned.text;
      EXPECT_EQ(MUST(unpin(pinned.text, pinned.hash)).form, 2) << pinned.text;
    }
  }
}

TEST(form_of, steps_after_a_failure_count) {
  Step step = prompt_step("new", "New", "p");
  step.waivable = true;
  CompiledWorkflow workflow = sample();
  workflow.on_failure = {step};
  EXPECT_EQ(form_of(workflow), 2);
  workflow.on_failure = {prompt_step("old", "Old", "p")};
  EXPECT_EQ(form_of(workflow), 1);
}

TEST(form_of, a_member_of_the_workflow_that_0_1_0_does_not_know_needs_the_second_form) {
  CompiledWorkflow workflow = sample();
  workflow.declared.set("guidance", json::Array{"g"});
  EXPECT_EQ(form_of(workflow), 1);
  workflow.declared.set("later", true);
  EXPECT_EQ(form_of(workflow), 2);
}

TEST(steps_from_json, a_field_of_another_type_or_form_is_refused) {
  for (const std::string_view field :
       {R"("condition":{"js":"x"})", R"("frame":{})", R"("max_retries":"3")", R"("evidence":{})",
        R"("on_error":{"strategy":"hope"})", R"("on_error":{"strategy":"fail","x":1})"}) {
    const auto value = MUST(json::parse(
        cat(R"([{"id":"a","type":"prompt","title":"A","prompt":"p","requireConfirmation":true,)",
            field, "}]")));
    const auto steps = steps_from_json(*value.if_array());
    ASSERT_FALSE(steps) << field;
    EXPECT_EQ(steps.error().code, Code::STORE_CORRUPT) << field;
  }
}

TEST(step_kind, names_and_kinds_belong_together) {
  for (int kind = 0; kind < static_cast<int>(std::variant_size_v<AnyBody>); ++kind) {
    EXPECT_EQ(step_kind(name_of(static_cast<StepKind>(kind))), static_cast<StepKind>(kind));
  }
  EXPECT_FALSE(step_kind("while"));
}

TEST(instance_key, names_the_round_of_every_loop_around_a_step) {
  EXPECT_EQ(instance_key({}, "triage"), "triage");
  const LoopRound rounds[] = {{"outer", 0}, {"inner", 2}};
  EXPECT_EQ(instance_key(rounds, "triage"), "outer@0/inner@2::triage");
}

TEST(workflow_name, has_allowed_characters_only) {
  for (const std::string_view name : {"a", "Z", "0", "demo.review", "a:b", "a-b_c", "A.1"}) {
    EXPECT_TRUE(is_valid_name(name)) << name;
  }
  for (const std::string_view name :
       {"", "a/b", "a\\b", "..", "a..b", "../a", "a b", "a\nb", "a%2e", "\xC3\xA9", "a*", "~"}) {
    EXPECT_FALSE(is_valid_name(name)) << name;
  }
  EXPECT_FALSE(is_valid_name(std::string_view("a\0b", 3)));
}

// Enforces: G9
TEST(workflow_name, length_is_bounded) {
  EXPECT_TRUE(is_valid_name(std::string(limits::workflow_name_bytes_max, 'a')));
  EXPECT_FALSE(is_valid_name(std::string(limits::workflow_name_bytes_max + 1, 'a')));
}

}  // namespace
}  // namespace baton::workflow
