#include <algorithm>

#include "base/text/text.h"
#include "run/checks/slots.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"
#include "run/steps/results.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::Step;
using workflow::UserInput;

const UserInput& input_of(const Step& step) { return *step.as<UserInput>(); }

// --- what is told ---

/// The step with the values that an answer to it is judged by.
Known<Step> with_values(const Step& step, const RunScope& scope, Scripts& scripts) {
  UserInput input = input_of(step);
  const auto fill = [&](std::string_view key, Boxed<Value>& value) -> Known<void> {
    if (!value) return {};
    auto filled = scripts.filled(key, *value, scope);
    if (!filled) return at_step(step, key, std::move(filled).error());
    value = *std::move(filled);
    return {};
  };
  // All are asked for before one is waited for.
  const auto choices = fill("choices", input.choices);
  const auto fallback = fill("default", input.fallback);
  const auto validation = fill("validation", input.validation);
  TRY(choices);
  TRY(fallback);
  TRY(validation);
  Step out = step;
  out.body = std::move(input);
  return out;
}

Known<void> instruct(Instructions& to) {
  const Step filled = TRY(with_values(to.step, to.scope, to.scripts));
  const UserInput& written = input_of(to.step);
  for (const Boxed<Value>* each : {&written.choices, &written.fallback, &written.validation}) {
    if (*each) to.note(**each);
  }
  const UserInput& input = input_of(filled);
  const std::string question = to.shown(input.message);
  const std::string instructions = to.shown(input.instructions);
  to.set("prompt", question);
  if (!instructions.empty()) to.set("instructions", instructions);
  to.set("input_type", input.input_type);
  if (input.choices) to.set("choices", *input.choices);
  if (input.fallback) to.set("default", *input.fallback);
  if (input.validation) to.set("validation", *input.validation);
  to.set("max_retries", input.max_retries);
  if (to.step.timeout_ms) to.set("timeout_ms", *to.step.timeout_ms);
  const bool is_alone = to.state.preferences.autonomy == Autonomy::full_auto_never_stop;
  to.words = is_alone ? "In this mode the user is not asked. Answer this question only "
                        "with what the user said before"
                      : "Ask the user this and wait for the answer; do not answer it yourself";
  to.words += cat(":\n\n", question);
  if (!instructions.empty()) to.words += cat("\n\n", instructions);
  return {};
}

// --- what answer is accepted ---

std::optional<std::int64_t> most_refused(const Step& step) { return input_of(step).max_retries; }

/// The choice that a text means: as it stands, or but for case and blanks.
std::optional<Value> choice_in(const json::Array& choices, const Value& value) {
  const auto exact = std::ranges::find(choices, value);
  if (exact != choices.end()) return *exact;
  const std::string* text = value.if_string();
  if (text == nullptr) return std::nullopt;
  const std::string_view meant = trimmed(*text);
  for (const Value& each : choices) {
    if (ascii_lower(text_in(each)) == ascii_lower(meant)) return each;
  }
  return std::nullopt;
}

std::optional<Value> flag_in(std::string_view text) {
  const std::string word = ascii_lower(text);
  if (word == "true" || word == "yes" || word == "y") return true;
  if (word == "false" || word == "no" || word == "n") return false;
  return std::nullopt;
}

/// A text as the type of answer that the step wants; unchanged when it is not one.
Value as_answer(const UserInput& input, Value value) {
  if (input.choices && input.choices->is_array()) {
    return choice_in(*input.choices->if_array(), value).value_or(value);
  }
  const std::string_view type = input.input_type;
  if (const std::string* text = value.if_string()) {
    const std::string_view word = trimmed(*text);
    if (type == "boolean") return flag_in(word).value_or(value);
    if (type == "number" || type == "integer") {
      const auto number = json::parse(word);
      if (number && number->is_number()) return *number;
    }
    return value;
  }
  const bool is_plain = value.is_number() || value.if_bool() != nullptr;
  return type == "string" && is_plain ? Value(json::print(value)) : value;
}

bool is_empty_answer(const Value& value) {
  return value.is_null() || (value.is_string() && trimmed(*value.if_string()).empty());
}

std::string type_text(const UserInput& input) {
  if (input.choices) return cat("one of ", json::print(*input.choices));
  const std::string_view type = input.input_type;
  if (type == "boolean") return "true or false";
  if (type == "integer") return "a whole number";
  if (type == "number") return "a number";
  return "a text";
}

std::optional<Object> schema_of(const Step& step) {
  const UserInput& input = input_of(step);
  Object out;
  const std::string_view type = input.input_type;
  if (input.choices) {
    out.set("enum", *input.choices);
  } else {
    out.set("type", type == "choice" || type.empty() ? "string" : type);
  }
  copy_rules(input.validation.get(), out);
  return out;
}

StepResult read(const Step& step, std::string_view key, std::optional<Value> sent) {
  const UserInput& input = input_of(step);
  StepResult out{.value = {}, .findings = {}, .was_checked = true};
  if (!sent || is_empty_answer(*sent)) {
    if (input.fallback) {
      out.value = *input.fallback;
    } else {
      out.findings.push_back(
          missing_result(key, "this step asks the user a question, and no answer was sent",
                         "Ask the user, wait for the answer, and send it as the result.",
                         Reason::needs_user_choice));
    }
    return out;
  }
  out.value = as_answer(input, *std::move(sent));
  const std::string wrong = problems_of(*schema_of(step), input.validation.get(), *out.value);
  if (!wrong.empty()) {
    out.value.reset();
    out.findings.push_back(invalid_result(
        key, cat("the answer is not valid: ", wrong),
        cat("Tell the user, ask again, and send the new answer: ", type_text(input), '.')));
  }
  return out;
}

std::vector<std::string> describe(const Step& step, std::string_view) {
  const UserInput& input = input_of(step);
  std::vector<std::string> out;
  std::string line = cat("The user's answer, ", type_text(input), ": ", artifact_text("the answer"),
                         ", or only the answer as the notes.");
  if (const std::string words = own_words(input.validation.get()); !words.empty()) {
    line += cat(" Rule: ", words);
  }
  out.push_back(std::move(line));
  if (input.fallback) {
    out.push_back(cat("If there is no answer, ", json::print(*input.fallback), " is used."));
  }
  return out;
}

/// Not an answer that would pass: the agent must not send it without asking.
std::optional<Value> example(const Step&) { return slot("the user's answer"); }

}  // namespace

StepBehaviour behaviour_of(std::type_identity<UserInput>) {
  return {.is_for_agent = true,
          .asks_user = true,
          .may_fail = true,
          .may_write = true,
          .most_refused = most_refused,
          .refused_as = "input",
          .instruct = instruct,
          .result_schema = schema_of,
          .with_values = with_values,
          .read_result = read,
          .describe_result = describe,
          .example_result = example};
}

}  // namespace baton::run
