#pragma once
// Workflows of prompts, conditionals and loops, drawn from a source of choices. Their conditions,
// items and counts read the few keys that any_walk_input writes; some prompts require something.
// Only tests include this.

#include "base/text/text.h"
#include "run/testing/event_generator.h"
#include "state/answers.h"
#include "workflow/compiled.h"

namespace baton::run::testing {

template <class Choose>
json::Value any_condition(Choose& choose) {
  const std::string var = cat("k", choose(3));
  if (choose(3) == 0) return json::Object{{"not", json::Object{{"var", var}}}};
  if (choose(2) == 0) return json::Object{{"var", var}};
  return json::Object{{"var", var}, {"op", "equals"}, {"value", true}};
}

/// `sum` and `text` are scripts whose results play_any_script knows.
inline constexpr std::string_view any_workflow_state = R"({
  "raw":{"n":"number","list":"array","by":"object","steps_completed":"array",
         "retry_counts":"object","last_error":"object"},
  "computed":[
    {"name":"sum","from":["raw.n","raw.list"],"list":true,"transform":"sum of all",
     "on_error":"ignore"},
    {"name":"text","from":["computed.sum"],"list":false,"transform":"as a text",
     "on_error":"propagate"}],
  "defaults":{"raw":{"n":1,"list":["{{ any() }}"]}}})";

/// A number that depends on all that a script can see.
inline state::ScriptResult play_any_script(const state::Evaluation& evaluation) {
  const Sha256 seen = sha256(cat(evaluation.script.source, evaluation.scope,
                                 evaluation.draw.now.value, ' ', evaluation.draw.seed));
  const auto number = static_cast<std::int64_t>(seen.bytes[0]);
  if (evaluation.script.form == state::ScriptForm::truth) return number % 2 == 0;
  if (number % 16 == 0) return std::unexpected(state::ScriptProblem{});
  return number;
}

template <class Choose>
class WorkflowMaker {
 public:
  explicit WorkflowMaker(Choose& choose) : choose_(choose) {}

  workflow::Pinned make() {
    workflow::CompiledWorkflow workflow;
    workflow.id = "any";
    workflow.name = "Any";
    workflow.version = "1";
    if (choose_(2) == 0) {
      workflow.declared.set(
          "capabilities", json::Object{{"delegation", "preferred"}, {"web_browsing", "required"}});
    }
    workflow.declared.set("assessments", MUST(json::parse(R"([{"id":"q","purpose":"p",
      "dimensions":[{"id":"d","purpose":"p","levels":["low","high"]}]}])")));
    has_state_ = choose_(2) == 0;
    if (has_state_) workflow.declared.set("state", MUST(json::parse(any_workflow_state)));
    workflow.steps = steps(3, false);
    return MUST(workflow::pin(std::move(workflow)));
  }

 private:
  std::vector<workflow::Step> steps(std::size_t depth, bool in_loop) {
    std::vector<workflow::Step> out;
    for (std::size_t left = 1 + choose_(3); left > 0; --left) out.push_back(step(depth, in_loop));
    return out;
  }

  workflow::Step step(std::size_t depth, bool in_loop) {
    const std::string id = cat("s", next_id_++);
    if (has_state_ && choose_(4) == 0) return writing(id);
    workflow::Step step = workflow::prompt_step(id, id, "p");
    switch (depth == 0 ? choose_(4) : choose_(8)) {
      case 3:
        if (in_loop) jump(step);
        break;
      case 4: conditional(step, depth, in_loop); break;
      case 5:
      case 6:
      case 7: loop(step, depth); break;
      default: break;
    }
    if (choose_(4) == 0) step.run_condition = any_condition(choose_);
    if (step.as<workflow::PromptStep>() != nullptr) require(step);
    return step;
  }

  void jump(workflow::Step& step) {
    switch (choose_(3)) {
      case 0: step.body = workflow::BreakLoop(); break;
      case 1: step.body = workflow::ContinueLoop(); break;
      default: step.body = workflow::Exit(); break;
    }
  }

  json::Array updates() {
    json::Array out;
    for (std::size_t left = 1 + choose_(2); left > 0; --left) {
      switch (choose_(5)) {
        case 0:
          out.push_back(
              json::Object{{"path", "raw.n"}, {"operation", "increment"}, {"value", "{{ n }}"}});
          break;
        case 1:
          out.push_back(
              json::Object{{"path", "raw.list"}, {"operation", "append"}, {"value", "{{ sum }}!"}});
          break;
        case 2:
          out.push_back(json::Object{
              {"path", "raw.by.{{ n }}"}, {"operation", "set"}, {"value", "{{ any() }}"}});
          break;
        case 3:
          out.push_back(json::Object{{"path", "raw.by"},
                                     {"operation", "merge"},
                                     {"value", json::Object{{"k", "{{ list.length }}"}}}});
          break;
        default:
          out.push_back(
              json::Object{{"path", "raw.n"}, {"operation", "set"}, {"value", "{{ list }}"}});
      }
    }
    return out;
  }

  workflow::Step writing(const std::string& id) {
    workflow::Step step = workflow::prompt_step(id, id, "");
    step.body = workflow::StateUpdate();
    step.updates = updates();
    return step;
  }

  /// What some prompts show and ask for.
  void require(workflow::Step& step) {
    using json::Array;
    using json::Object;
    if (has_state_ && choose_(3) == 0) {
      step.prompt = "{{ n }} {{ text + 1 }} {{ list | json }}";
      step.updates = json::Array{
          json::Object{{"path", "raw.list"}, {"operation", "append"}, {"value", "{{ result }}"}}};
    }
    auto& prompt = std::get<workflow::PromptStep>(step.body);
    switch (choose_(10)) {
      case 0: step.prompt = "{{ currentItem }} {{ k0 }} {{ items | lines }}"; break;
      case 1:
        prompt.contract = workflow::OutputContract{"loop_control", choose_(2) == 0, {}};
        break;
      case 2:
        prompt.criteria =
            Object{{"type", "length"}, {"min", 1}, {"condition", any_condition(choose_)}};
        break;
      case 3: prompt.user_choice = "scope_boundary"; break;
      case 5:
      case 6:
        prompt.evidence = Array{Object{{"file_changed", "out-{{ k0 }}.txt"}},
                                Object{{"artifact", Object{{"type", "baton.report"}}}},
                                Object{{"state", has_state_ ? "n > 1" : "k1"}}};
        break;
      case 4:
        prompt.assessments = {"q"};
        prompt.consequences = *MUST(json::parse(R"([{"when":
          {"anyEqualsLevel":"low"},"effect":{"kind":"require_followup","guidance":"again"}}])"))
                                   .if_array();
        break;
      default: break;
    }
  }

  void conditional(workflow::Step& step, std::size_t depth, bool in_loop) {
    step.body = workflow::Conditional{any_condition(choose_)};
    step.blocks.push_back({"then", steps(depth - 1, in_loop)});
    if (choose_(2) == 0) step.blocks.push_back({"else", steps(depth - 1, in_loop)});
  }

  void loop(workflow::Step& step, std::size_t depth) {
    using json::Object;
    using workflow::LoopKind;
    workflow::Loop loop;
    loop.max_iterations = 3;
    loop.iteration_var = "currentIteration";
    switch (choose_(5)) {
      case 0:
        loop.kind = LoopKind::count;
        loop.count = static_cast<std::int64_t>(choose_(3));
        break;
      case 1:
        loop.kind = LoopKind::count;
        loop.count = Object{{"var", "count"}};
        break;
      case 2:
        loop.kind = LoopKind::items;
        loop.items = Object{{"var", "items"}};
        loop.item_var = "currentItem";
        break;
      case 3:
        loop.kind = choose_(2) == 0 ? LoopKind::repeat_while : LoopKind::repeat_until;
        loop.condition = any_condition(choose_);
        break;
      default: loop.control = workflow::LoopArtifact{"loop_control", {}}; break;
    }
    step.body = std::move(loop);
    step.blocks.push_back({"body", steps(depth - 1, true)});
  }

  Choose& choose_;
  bool has_state_ = false;
  std::size_t next_id_ = 0;
};

template <class Choose>
workflow::Pinned any_workflow(Choose& choose) {
  return WorkflowMaker<Choose>(choose).make();
}

}  // namespace baton::run::testing
