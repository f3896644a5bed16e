#include "run/step_result.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/artifacts.h"
#include "run/command_output.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::Step;
using workflow::StepKind;

const Value* field(const Step& step, std::string_view key) { return step.fields.find(key); }

std::string_view text_field(const Step& step, std::string_view key) {
  const Value* found = field(step, key);
  return found != nullptr && found->is_string() ? std::string_view(*found->if_string()) : "";
}

bool is_command(const Step& step) {
  return step.kind == StepKind::shell_command || step.kind == StepKind::agent_shell_command;
}

/// Where the result is written to.
std::string written_paths(const Step& step) {
  std::string out;
  const Value* updates = field(step, "updates");
  if (updates == nullptr) return out;
  for (const Value& each : *updates->if_array()) {
    const Value* path = each.find("path");
    if (path != nullptr && path->is_string()) {
      out += cat(out.empty() ? "" : ", ", *path->if_string());
    }
  }
  return out;
}

Finding missing(std::string_view key, std::string message, std::string fix,
                Reason reason = Reason::missing_required_output) {
  return {
      reason, {PointerKind::workflow_step, std::string(key)}, std::move(message), std::move(fix)};
}

Finding invalid(std::string_view key, std::string message, std::string fix) {
  return {Reason::invalid_required_output,
          {PointerKind::workflow_step, std::string(key)},
          std::move(message),
          std::move(fix)};
}

// --- answers of people ---

/// The choice that a text means: the exact text, or ignoring case and blanks, or by its number.
std::optional<Value> choice_in(const json::Array& choices, const Value& value) {
  const auto exact = std::ranges::find(choices, value);
  if (exact != choices.end()) return *exact;
  const std::string* text = value.if_string();
  if (text == nullptr) return std::nullopt;
  const std::string_view meant = trimmed(*text);
  for (const Value& each : choices) {
    const std::string known = each.is_string() ? *each.if_string() : json::print(each);
    if (ascii_lower(known) == ascii_lower(meant)) return each;
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
Value as_answer(const Step& step, Value value) {
  if (const Value* choices = field(step, "choices"); choices != nullptr && choices->is_array()) {
    return choice_in(*choices->if_array(), value).value_or(value);
  }
  const std::string_view type = text_field(step, "input_type");
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

std::string type_text(const Step& step) {
  if (const Value* choices = field(step, "choices")) {
    return cat("one of ", json::print(*choices));
  }
  const std::string_view type = text_field(step, "input_type");
  if (type == "boolean") return "true or false";
  if (type == "integer") return "a whole number";
  if (type == "number") return "a number";
  return "a text";
}

/// The workflow's own words on what an answer must be.
std::string own_words(const Step& step) {
  const Value* rules = field(step, "validation");
  const Value* words = rules == nullptr ? nullptr : rules->find("error_message");
  return words != nullptr && words->is_string() ? *words->if_string() : std::string();
}

void copy_rules(const Value* rules, Object& out) {
  if (rules == nullptr) return;
  constexpr std::pair<std::string_view, std::string_view> names[] = {{"pattern", "pattern"},
                                                                     {"min", "minimum"},
                                                                     {"max", "maximum"},
                                                                     {"min_length", "minLength"},
                                                                     {"max_length", "maxLength"}};
  for (const auto& [ours, theirs] : names) {
    if (const Value* found = rules->find(ours)) out.set(theirs, *found);
  }
}

std::string problems_of(const Step& step, const Object& rules, const Value& value) {
  const auto schema = schema::Schema::compile(rules, {});
  if (!schema) return schema.error().message;
  std::string out;
  for (const schema::Problem& problem : schema->validate(value)) {
    out += cat(out.empty() ? "" : "; ", problem.message);
  }
  const std::string words = own_words(step);
  return out.empty() || words.empty() ? out : cat(words, " (", out, ')');
}

StepResult read_answer(const Step& step, std::string_view key, std::optional<Value> sent) {
  StepResult out{.value = {}, .findings = {}, .was_checked = true};
  if (!sent || is_empty_answer(*sent)) {
    if (const Value* fallback = field(step, "default")) {
      out.value = *fallback;
    } else {
      out.findings.push_back(
          missing(key, "this step asks the user a question, and no answer was sent",
                  "Ask the user, wait for the answer, and send it as the result.",
                  Reason::needs_user_choice));
    }
    return out;
  }
  out.value = as_answer(step, *std::move(sent));
  const Object rules = result_schema(step).value_or(Object());
  if (std::string wrong = problems_of(step, rules, *out.value); !wrong.empty()) {
    out.value.reset();
    out.findings.push_back(
        invalid(key, cat("the answer is not valid: ", wrong),
                cat("Tell the user, ask again, and send the new answer: ", type_text(step), '.')));
  }
  return out;
}

// --- output of commands ---

StepResult read_command(const Step& step, std::string_view key, std::optional<Value> sent) {
  StepResult out{.value = {}, .findings = {}, .was_checked = true};
  const std::string_view name = text_field(step, "output_format");
  const OutputFormat format = output_format(name).value_or(OutputFormat::text);
  if (const std::string* text = sent->if_string()) {
    auto read = read_output(format, *text, false);
    if (read) {
      out.value = *std::move(read);
    } else {
      out.findings.push_back(invalid(
          key, read.error().message,
          cat("Send the standard output of the command unchanged; its form must be ", name, '.')));
    }
    return out;
  }
  const bool fits = format == OutputFormat::json ||
                    (format == OutputFormat::lines && sent->is_array()) ||
                    (format == OutputFormat::key_value && sent->is_object());
  if (fits) {
    out.value = *std::move(sent);
  } else if (format == OutputFormat::text) {
    out.value = json::print(*sent);
  } else {
    out.findings.push_back(invalid(
        key, cat("the output must be ", name, ", but ", json::name_of(sent->type()), " came"),
        "Send the standard output of the command as text."));
  }
  return out;
}

// --- answers of agents ---

StepResult read_response(const Step& step, std::string_view key, std::optional<Value> sent) {
  const auto rules = result_schema(step);
  if (!rules) return {.value = std::move(sent), .findings = {}};
  StepResult out{.value = {}, .findings = {}, .was_checked = true};
  if (!sent) {
    out.findings.push_back(missing(key, "the step requires a result, and none was sent",
                                   cat("Send a result that matches ", json::print(*rules), '.')));
    return out;
  }
  // What is not a text itself may come as one.
  if (const std::string* text = sent->if_string()) {
    auto parsed = json::parse(*text);
    if (parsed && problems_of(step, *rules, *parsed).empty()) sent = *std::move(parsed);
  }
  if (std::string wrong = problems_of(step, *rules, *sent); !wrong.empty()) {
    out.findings.push_back(invalid(key, cat("the result is not valid: ", wrong),
                                   cat("Send a result that matches ", json::print(*rules), '.')));
    return out;
  }
  out.value = std::move(sent);
  return out;
}

Value example_output(std::string_view format) {
  if (format == "lines") return json::Array{"<a line of the output>"};
  if (format == "key_value") return Object{{"<NAME>", "<value>"}};
  if (format == "json") return Object();
  return "<the standard output>";
}

std::string artifact_text(std::string_view value) {
  return cat("an artifact {\"kind\":\"", result_kind, "\",\"value\":<", value, ">}");
}

std::string failure_text() {
  return cat("If it cannot be done: an artifact {\"kind\":\"", failure_kind,
             "\",\"message\":\"<why>\"} instead of a result.");
}

std::vector<std::string> describe_answer(const Step& step) {
  std::vector<std::string> out;
  std::string line = cat("The user's answer, ", type_text(step), ": ", artifact_text("the answer"),
                         ", or only the answer as the notes.");
  if (const std::string words = own_words(step); !words.empty()) line += cat(" Rule: ", words);
  out.push_back(std::move(line));
  if (const Value* fallback = field(step, "default")) {
    out.push_back(cat("If there is no answer, ", json::print(*fallback), " is used."));
  }
  return out;
}

}  // namespace

bool has_result(const Step& step) {
  return step.kind != StepKind::prompt || step.fields.contains("updates") ||
         step.fields.contains("expected_response") || step.fields.contains("validation");
}

bool uses_result(const Step& step) {
  const Value* updates = field(step, "updates");
  if (updates == nullptr) return false;
  const std::string text = json::print(*updates);
  return text.contains("result") || text.contains("applied_count");
}

std::optional<Object> result_schema(const Step& step) {
  if (step.kind == StepKind::user_input) {
    Object out;
    const std::string_view type = text_field(step, "input_type");
    const Value* choices = field(step, "choices");
    if (choices != nullptr) {
      out.set("enum", *choices);
    } else {
      out.set("type", type == "choice" || type.empty() ? "string" : type);
    }
    copy_rules(field(step, "validation"), out);
    return out;
  }
  const Value* expected = field(step, "expected_response");
  const Value* rules = step.kind == StepKind::prompt ? field(step, "validation") : nullptr;
  if (expected == nullptr && rules == nullptr) return std::nullopt;
  Object out;
  if (expected != nullptr && expected->is_object()) out = *expected->if_object();
  if (expected != nullptr && expected->is_string()) out.set("type", *expected);
  copy_rules(rules, out);
  return out;
}

Result<void> check_result_schema(const Step& step) {
  const auto rules = result_schema(step);
  if (!rules) return {};
  const auto schema = schema::Schema::compile(*rules, {});
  if (schema) return {};
  return fail(Code::WORKFLOW_NOT_SUPPORTED,
              cat("the rules for the result of the step \"", step.id,
                  "\" cannot be checked: ", schema.error().message, "; nothing was started"),
              "change the rule");
}

StepResult read_result(const Step& step, std::string_view key, const std::optional<Value>& sent,
                       const std::optional<std::string>& notes) {
  std::optional<Value> given = sent;
  if (!given && notes) given = *notes;
  if (step.kind == StepKind::user_input) return read_answer(step, key, std::move(given));
  if (step.kind == StepKind::prompt) return read_response(step, key, std::move(given));
  if (!given && uses_result(step)) {
    return {.value = {},
            .findings = {missing(key,
                                 cat("the result of this step is written to ", written_paths(step),
                                     ", and none was sent"),
                                 "Do the step and send its result.")},
            .was_checked = true};
  }
  if (given && is_command(step)) return read_command(step, key, std::move(given));
  return {.value = std::move(given), .findings = {}};
}

std::vector<std::string> describe_result(const Step& step, std::string_view paths) {
  switch (step.kind) {
    case StepKind::user_input: return describe_answer(step);
    case StepKind::mcp_call:
      return {cat("What the tool returned: ", artifact_text("the tool's result"),
                  ". Without one, the notes are the result."),
              failure_text()};
    case StepKind::shell_command:
    case StepKind::agent_shell_command:
      return {cat("The standard output of the command, unchanged: ", artifact_text("the output"),
                  ". Without one, the notes are the output. It is ", "read as ",
                  text_field(step, "output_format"), '.'),
              cat("An exit status other than 0 is a failure. ", failure_text())};
    case StepKind::apply_hints:
      return {
          cat("How many hints were applied: ", artifact_text("{\"applied_count\": number}"), '.'),
          failure_text()};
    case StepKind::prompt: break;
    default: return {};
  }
  std::vector<std::string> out;
  if (const auto rules = result_schema(step)) {
    out.push_back(cat("The result of the step: ", artifact_text("the result"), "; it must match ",
                      json::print(*rules), ". Without one, the notes are the result."));
  } else if (uses_result(step)) {
    out.push_back(cat("The result of the step, which is written to ", paths, ": ",
                      artifact_text("the result"), ". Without one, the notes are the result."));
  }
  return out;
}

std::optional<Value> example_result(const Step& step) {
  switch (step.kind) {
    // Not an answer that would pass: the agent must not send it without asking.
    case StepKind::user_input: return "<the user's answer>";
    case StepKind::mcp_call: return "<what the tool returned>";
    case StepKind::shell_command:
    case StepKind::agent_shell_command: return example_output(text_field(step, "output_format"));
    case StepKind::apply_hints: return Object{{"applied_count", 1}};
    case StepKind::prompt: break;
    default: return std::nullopt;
  }
  if (uses_result(step) || result_schema(step)) return "<the result>";
  return std::nullopt;
}

state::Scope with_result(const Step& step, const state::Scope& names,
                         const std::optional<Value>& result) {
  std::optional<state::Tree> tree;
  if (result) tree = state::Tree::from(*result);
  state::Scope out = names.with("result", std::move(tree));
  if (step.kind != StepKind::apply_hints) return out;
  const Value* count = result ? result->find("applied_count") : nullptr;
  if (count == nullptr && result && result->is_number()) count = &*result;
  std::optional<state::Tree> applied;
  if (count != nullptr) applied = state::Tree::from(*count);
  return std::move(out).with("applied_count", std::move(applied));
}

}  // namespace baton::run
