#include "run/show/prompt.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "run/checks/assessments.h"
#include "run/checks/capabilities.h"
#include "run/checks/check_evidence.h"
#include "run/checks/output_check.h"
#include "run/checks/person_rule.h"
#include "run/checks/user_dependencies.h"
#include "run/show/next_reads.h"
#include "run/show/prompt_values.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"
#include "run/steps/results.h"
#include "run/walk/condition.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::Step;

void add_section(std::string& out, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  while (out.ends_with('\n')) out.pop_back();
  out += cat("\n\n## ", title, "\n");
  for (const std::string& line : lines) out += cat("\n- ", line);
}

/// Whether the agent must say after this step if a loop continues: the step is the last of a body
/// whose loop waits for that, and its own contract does not ask for it.
bool ends_undecided_round(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                          const Step& step) {
  if (state.cursor.frames.empty()) return false;
  const std::vector<BlockLevel> levels = levels_of(workflow, state.cursor);
  const BlockLevel& innermost = levels.back();
  const Step* owner = innermost.owner;
  const auto asks = owner == nullptr ? nullptr : behaviour_of(*owner).asks_after_round;
  return asks != nullptr && asks(*owner) && &innermost.steps->back() == &step &&
         output_rules(step).contract != "loop_control";
}

/// Which rounds of loops the step is in, from the outside in.
std::vector<std::string> rounds_at(const workflow::CompiledWorkflow& workflow,
                                   const NodeState& state, const RunScope& scope) {
  std::vector<std::string> out;
  if (state.cursor.frames.empty()) return out;
  for (const BlockLevel& level : levels_of(workflow, state.cursor)) {
    if (level.owner == nullptr) continue;
    const auto text = behaviour_of(*level.owner).round_text;
    if (text != nullptr) out.push_back(text(*level.owner, *level.frame, scope));
  }
  return out;
}

/// What earlier attempts at the step were asked to do first.
std::vector<std::string> follow_ups(const NodeState& state) {
  std::vector<std::string> out;
  if (state.kind != NodeKind::blocked_attempt) return out;
  for (const Assessment& each : state.known().assessments) {
    out.insert(out.end(), each.guidance.begin(), each.guidance.end());
  }
  return out;
}

/// A path with its values. What depends on the result itself stays as it is written.
std::string filled_path(std::string_view path, const RunScope& scope, Scripts& scripts) {
  std::string out;
  std::size_t at = 0;
  for (const workflow::Expression& each : workflow::scan_expressions(path).expressions) {
    const std::string_view slot = path.substr(each.begin, each.end - each.begin);
    out += path.substr(at, each.begin - at);
    out += slot.contains("result") ? std::string(slot) : with_values(slot, scope, scripts);
    at = each.end;
  }
  return out += path.substr(at);
}

/// Where it goes.
std::string written_paths(const Step& step, const RunScope& scope, Scripts& scripts) {
  std::string out;
  for (const Value& each : *step.updates) {
    const Value* path = each.find("path");
    if (path == nullptr || !path->is_string()) continue;
    out += cat(out.empty() ? "" : ", ", filled_path(*path->if_string(), scope, scripts));
  }
  return out;
}

class Assembly {
 public:
  Assembly(const workflow::CompiledWorkflow& workflow, const Step& step, const NodeState& state,
           Scripts& scripts)
      : workflow_(workflow),
        step_(step),
        state_(state),
        scope_(scope_at(workflow, state)),
        scripts_(scripts),
        holds_([this](const Value& condition) { return is_so(condition); }),
        rules_(output_rules(step)),
        next_(next_reads(workflow, state, scope_)) {}
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  Known<AssembledPrompt> run() {
    AssembledPrompt out;
    out.title = with_values(step_.title, scope_, scripts_);
    out.require_confirmation = step_.require_confirmation || is_confirmed_by("human_approval");
    auto opened = opening(out);
    fragments(out.prompt);
    if (step_.as<workflow::PromptStep>() != nullptr) {
      add_section(out.prompt, "Loop", rounds_at(workflow_, state_, scope_));
    }
    add_section(out.prompt, "Before you send it again", follow_ups(state_));
    if (!rules_.about) {
      add_section(out.prompt, "Capabilities", describe_capabilities(workflow_, state_.known()));
    }
    if (is_confirmed_by("coordinator_eval")) {
      out.prompt += "\n\nBefore you send it, check the result yourself against this text.";
    }
    auto required = requirements();
    TRY(std::move(opened));
    const std::vector<std::string> wanted = TRY(std::move(required));
    add_section(out.prompt, "Output requirements", wanted);
    if (!wanted.empty()) out.example = TRY(example_of_output());
    TRY(scripts_.settled());
    if (problem_) return std::unexpected(*std::move(problem_));
    return out;
  }

  Known<json::Object> example() {
    json::Object out = TRY(example_of_output());
    TRY(scripts_.settled());
    if (problem_) return std::unexpected(*std::move(problem_));
    return out;
  }

 private:
  /// What is to be done, before all that must be known beside it.
  Known<void> opening(AssembledPrompt& out) {
    const auto* own = step_.as<workflow::PromptStep>();
    if (own == nullptr) {
      AgentStep described = TRY(describe_agent_step(workflow_, step_, state_, scripts_));
      out.prompt = std::move(described.words);
      out.definition = std::move(described.definition);
      return {};
    }
    out.prompt = with_values(step_.prompt, scope_, scripts_);
    if (own->context) {
      const Value values = TRY(scripts_.filled("context", *own->context, scope_));
      out.prompt += cat("\n\nContext: ", json::print(values));
    }
    if (step_.timeout_ms) {
      out.prompt += cat("\n\nThe workflow allows ", *step_.timeout_ms, " ms for this step.");
    }
    return {};
  }

  Known<json::Object> example_of_output() {
    json::Object out = example_output(rules_, holds_);
    json::Array more = example_assessments(workflow_, step_);
    if (choice_of(step_)) more.push_back(example_answer(step_));
    if (ends_undecided_round(workflow_, state_, step_)) more.push_back(example_of("loop_control"));
    const auto rules = TRY(with_answer_rules(step_, scope_, scripts_));
    if (auto result = example_result(rules ? *rules : step_)) {
      more.push_back(json::Object{{"kind", result_kind}, {"value", *std::move(result)}});
    }
    for (Value& each : evidence_words(state_).artifacts) more.push_back(std::move(each));
    if (auto word = example_word(step_, person())) more.push_back(*std::move(word));
    if (!next_.needed.empty()) out.set(std::string(context_key), next_.needed);
    if (more.empty()) return out;
    json::Array artifacts;
    if (Value* first = out.find("artifacts")) artifacts = std::move(*first->if_array());
    for (Value& each : more) artifacts.push_back(std::move(each));
    out.set("artifacts", std::move(artifacts));
    return out;
  }

  /// The first that cannot be told is the problem of the whole.
  bool is_so(const Value& condition) {
    auto is_true = holds(condition, scope_, scripts_);
    if (!is_true && !problem_) problem_ = std::move(is_true).error();
    return is_true.value_or(false);
  }

  void fragments(std::string& prompt) {
    const auto* own = step_.as<workflow::PromptStep>();
    if (own == nullptr || !own->fragments) return;
    for (const Value& each : *own->fragments) {
      if (!is_so(*each.find("when"))) continue;
      prompt += cat(prompt.empty() ? "" : "\n\n",
                    with_values(*each.find("text")->if_string(), scope_, scripts_));
    }
  }

  bool is_confirmed_by(std::string_view kind) {
    const Boxed<workflow::Confirmation>& rule = step_.confirmation;
    if (!rule || rule->kind != kind) return false;
    return !rule->condition || is_so(*rule->condition);
  }

  Known<std::vector<std::string>> requirements() {
    std::vector<std::string> out = describe_rules(rules_, holds_);
    if (out.size() > limits::prompt_requirements_max) {
      const std::size_t more = out.size() - limits::prompt_requirements_max;
      out.resize(limits::prompt_requirements_max);
      out.push_back(cat(more, " more, which the answer names if the output does not meet them."));
    }
    for (std::string& each : describe_assessments(workflow_, step_)) {
      out.push_back(std::move(each));
    }
    if (std::string choice = describe_user_choice(step_, state_.preferences); !choice.empty()) {
      out.push_back(std::move(choice));
    }
    const auto rules = TRY(with_answer_rules(step_, scope_, scripts_));
    const std::string paths = uses_result(step_) ? written_paths(step_, scope_, scripts_) : "";
    for (std::string& each : describe_result(rules ? *rules : step_, paths)) {
      out.push_back(std::move(each));
    }
    if (ends_undecided_round(workflow_, state_, step_)) {
      out.push_back(
          cat("An artifact of kind baton.loop_control, which says whether the loop "
              "continues: ",
              form_of("loop_control"), '.'));
    }
    std::vector<std::string> proof = evidence_words(state_).sentences;
    if (step_.waivable && !proof.empty()) {
      proof.emplace_back(
          "Where one of these cannot be had, the step may pass without it, unless the owner's "
          "policy says never: what is missing is then a critical gap, and the run is not clean.");
    }
    std::ranges::move(proof, std::back_inserter(out));
    out.insert(out.end(), next_.sentences.begin(), next_.sentences.end());
    if (std::string word = describe_person(step_, person()); !word.empty()) {
      out.push_back(std::move(word));
    }
    return out;
  }

  PersonRule person() {
    const bool is_confirmed = step_.require_confirmation || is_confirmed_by("human_approval");
    return person_rule(step_, state_.preferences, is_confirmed, true);
  }

  const workflow::CompiledWorkflow& workflow_;
  const Step& step_;
  const NodeState& state_;
  const RunScope scope_;
  Scripts& scripts_;
  const Holds holds_;
  const OutputRules rules_;
  const NextReads next_;
  std::optional<state::NoValue> problem_;
};

/// Whether the compiled text is all there is to say.
bool is_plain(const workflow::CompiledWorkflow& workflow, const Step& step,
              const NodeState& state) {
  const auto* own = step.as<workflow::PromptStep>();
  if (own == nullptr || step.confirmation || step.updates || step.timeout_ms) return false;
  if (step.require_confirmation || step.gate) return false;
  const bool is_shaped = own->fragments || own->contract || !own->assessments.empty() ||
                         own->criteria || own->user_choice || own->context || own->expected ||
                         own->validation || own->evidence;
  if (is_shaped) return false;
  if (workflow.declared.contains("capabilities") || step.prompt.contains("{{") ||
      step.title.contains("{{")) {
    return false;
  }
  // A step inside of others may be in a round, or the last before one.
  return state.cursor.frames.empty() && next_reads_nothing(workflow, state);
}

}  // namespace

Known<bool> needs_confirmation(const workflow::CompiledWorkflow& workflow, const Step& step,
                               const NodeState& state, Scripts& scripts) {
  const Boxed<workflow::Confirmation>& rule = step.confirmation;
  if (step.require_confirmation) return true;
  if (!rule || rule->kind != "human_approval") return false;
  if (!rule->condition) return true;
  return holds(*rule->condition, scope_at(workflow, state), scripts);
}

Known<AssembledPrompt> assemble_prompt(const workflow::CompiledWorkflow& workflow, const Step& step,
                                       const NodeState& state, Scripts& scripts) {
  if (is_plain(workflow, step, state)) {
    return AssembledPrompt{step.title, step.prompt, step.require_confirmation, {}, {}};
  }
  return Assembly(workflow, step, state, scripts).run();
}

Known<json::Object> example_for(const workflow::CompiledWorkflow& workflow, const Step& step,
                                const NodeState& state, Scripts& scripts) {
  return Assembly(workflow, step, state, scripts).example();
}

}  // namespace baton::run
