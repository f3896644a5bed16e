#include "run/steps/results.h"

#include <algorithm>

#include "base/schema/schema.h"
#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "run/steps/behaviour.h"

namespace baton::run {

using json::Object;
using json::Value;
using workflow::Step;

Finding missing_result(std::string_view key, std::string message, std::string fix, Reason reason) {
  return {
      reason, {PointerKind::workflow_step, std::string(key)}, std::move(message), std::move(fix)};
}

Finding invalid_result(std::string_view key, std::string message, std::string fix) {
  return missing_result(key, std::move(message), std::move(fix), Reason::invalid_required_output);
}

std::optional<StepResult> none_came(const Step& step, std::string_view key,
                                    const std::optional<Value>& sent) {
  if (sent || !uses_result(step)) return std::nullopt;
  std::string paths;
  for (const Value& each : *step.updates) {
    const Value* path = each.find("path");
    if (path == nullptr || !path->is_string()) continue;
    paths += cat(paths.empty() ? "" : ", ", *path->if_string());
  }
  return StepResult{
      .value = {},
      .findings = {missing_result(
          key, cat("the result of this step is written to ", paths, ", and none was sent"),
          "Do the step and send its result.")},
      .was_checked = true};
}

void copy_rules(const Value* validation, Object& out) {
  if (validation == nullptr) return;
  constexpr std::pair<std::string_view, std::string_view> names[] = {{"pattern", "pattern"},
                                                                     {"min", "minimum"},
                                                                     {"max", "maximum"},
                                                                     {"min_length", "minLength"},
                                                                     {"max_length", "maxLength"}};
  for (const auto& [ours, theirs] : names) {
    if (const Value* found = validation->find(ours)) out.set(theirs, *found);
  }
}

std::string own_words(const Value* validation) {
  const Value* words = validation == nullptr ? nullptr : validation->find("error_message");
  return words != nullptr && words->is_string() ? *words->if_string() : std::string();
}

std::string problems_of(const Object& rules, const Value* validation, const Value& value) {
  const auto schema = schema::Schema::compile(rules, {});
  if (!schema) return schema.error().message;
  std::string out;
  for (const schema::SchemaProblem& problem : schema->validate(value)) {
    out += cat(out.empty() ? "" : "; ", problem.message);
  }
  const std::string words = own_words(validation);
  return out.empty() || words.empty() ? out : cat(words, " (", out, ')');
}

std::string artifact_text(std::string_view value) {
  return cat("an artifact {\"kind\":\"", result_kind, "\",\"value\":<", value, ">}");
}

std::string failure_text() {
  return cat("If it cannot be done: an artifact {\"kind\":\"", failure_kind,
             "\",\"message\":\"<why>\"} instead of a result.");
}

bool has_result(const Step& step) {
  const auto has_one = behaviour_of(step).has_result;
  return has_one == nullptr || has_one(step);
}

bool uses_result(const Step& step) {
  return step.updates && std::ranges::any_of(*step.updates, [](const Value& each) {
           const std::string text = json::print(each);
           return text.contains("result") || text.contains("applied_count");
         });
}

std::optional<Object> result_schema(const Step& step) {
  const auto schema_of = behaviour_of(step).result_schema;
  return schema_of == nullptr ? std::nullopt : schema_of(step);
}

Result<void> check_result_schema(const Step& step) {
  const auto rules = result_schema(step);
  if (!rules) return {};
  const auto schema = schema::Schema::compile(*rules, {});
  if (schema) return {};
  return fail(Code::WORKFLOW_NOT_SUPPORTED,
              cat("the rules for the result of the step \"", step.id,
                  "\" cannot be checked: ", schema.error().message),
              "change the rule");
}

state::Known<std::optional<Step>> with_answer_rules(const Step& step, const RunScope& scope,
                                                    Scripts& scripts) {
  const auto with_values = behaviour_of(step).with_values;
  if (with_values == nullptr) return std::nullopt;
  return TRY(with_values(step, scope, scripts));
}

StepResult read_result(const Step& step, std::string_view key, const std::optional<Value>& sent,
                       const std::optional<std::string>& notes) {
  std::optional<Value> given = sent;
  if (!given && notes) given = *notes;
  if (const auto read = behaviour_of(step).read_result) return read(step, key, std::move(given));
  if (auto none = none_came(step, key, given)) return *std::move(none);
  return {.value = std::move(given), .findings = {}};
}

std::vector<std::string> describe_result(const Step& step, std::string_view paths) {
  const auto describe = behaviour_of(step).describe_result;
  return describe == nullptr ? std::vector<std::string>() : describe(step, paths);
}

std::optional<Value> example_result(const Step& step) {
  const auto example = behaviour_of(step).example_result;
  return example == nullptr ? std::nullopt : example(step);
}

state::Scope with_result(const Step& step, const state::Scope& names,
                         const std::optional<Value>& result) {
  std::optional<state::Tree> tree;
  if (result) tree = state::Tree::from(*result);
  state::Scope out = names.with("result", std::move(tree));
  const auto add_names = behaviour_of(step).add_names;
  return add_names == nullptr ? out : add_names(std::move(out), result);
}

}  // namespace baton::run
