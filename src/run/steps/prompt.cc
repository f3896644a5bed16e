#include "base/text/text.h"
#include "run/checks/slots.h"
#include "run/steps/behaviour.h"
#include "run/steps/results.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::PromptStep;
using workflow::Step;

const PromptStep& prompt_of(const Step& step) { return *step.as<PromptStep>(); }

std::string_view unsupported(const Step& step) { return prompt_of(step).tools ? "tools" : ""; }

std::optional<std::int64_t> most_refused(const Step& step) { return prompt_of(step).max_retries; }

/// What a plain prompt is answered with is notes and nothing else.
bool has_one(const Step& step) {
  return step.updates || prompt_of(step).expected || prompt_of(step).validation;
}

std::optional<Object> schema_of(const Step& step) {
  const PromptStep& prompt = prompt_of(step);
  if (!prompt.expected && !prompt.validation) return std::nullopt;
  Object out;
  if (prompt.expected && prompt.expected->is_object()) out = *prompt.expected->if_object();
  if (prompt.expected && prompt.expected->is_string()) out.set("type", *prompt.expected);
  copy_rules(prompt.validation.get(), out);
  return out;
}

StepResult read(const Step& step, std::string_view key, std::optional<Value> sent) {
  const auto rules = schema_of(step);
  if (!rules) return {.value = std::move(sent), .findings = {}};
  const Value* validation = prompt_of(step).validation.get();
  StepResult out{.value = {}, .findings = {}, .was_checked = true};
  if (!sent) {
    out.findings.push_back(
        missing_result(key, "the step requires a result, and none was sent",
                       cat("Send a result that matches ", json::print(*rules), '.')));
    return out;
  }
  // What is not a text itself may come as one.
  if (const std::string* text = sent->if_string()) {
    auto parsed = json::parse(*text);
    if (parsed && problems_of(*rules, validation, *parsed).empty()) sent = *std::move(parsed);
  }
  if (std::string wrong = problems_of(*rules, validation, *sent); !wrong.empty()) {
    out.findings.push_back(
        invalid_result(key, cat("the result is not valid: ", wrong),
                       cat("Send a result that matches ", json::print(*rules), '.')));
    return out;
  }
  out.value = std::move(sent);
  return out;
}

std::vector<std::string> describe(const Step& step, std::string_view paths) {
  if (const auto rules = schema_of(step)) {
    return {cat("The result of the step: ", artifact_text("the result"), "; it must match ",
                json::print(*rules), ". Without one, the notes are the result.")};
  }
  if (!uses_result(step)) return {};
  return {cat("The result of the step, which is written to ", paths, ": ",
              artifact_text("the result"), ". Without one, the notes are the result.")};
}

std::optional<Value> example(const Step& step) {
  if (uses_result(step) || schema_of(step)) return slot("the result");
  return std::nullopt;
}

}  // namespace

StepBehaviour behaviour_of(std::type_identity<PromptStep>) {
  return {.is_for_agent = true,
          .may_fail = true,
          .may_write = true,
          .most_refused = most_refused,
          .unsupported = unsupported,
          .has_result = has_one,
          .result_schema = schema_of,
          .read_result = read,
          .describe_result = describe,
          .example_result = example};
}

}  // namespace baton::run
