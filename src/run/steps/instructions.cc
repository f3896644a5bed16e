#include "run/steps/instructions.h"

#include "base/text/text.h"
#include "run/show/prompt_values.h"
#include "run/steps/behaviour.h"

namespace baton::run {

using json::Value;

std::unexpected<state::NoValue> at_step(const workflow::Step& step, std::string_view field,
                                        state::NoValue why) {
  if (Error* error = why.if_error()) {
    error->message = cat('"', field, "\" of the step \"", step.id, "\": ", error->message,
                         "; nothing was recorded");
  }
  return std::unexpected(std::move(why));
}

std::string text_in(const Value& value) {
  return value.is_string() ? *value.if_string() : json::print(value);
}

std::string duration_text(std::int64_t ms) {
  if (ms % 1'000 != 0) return cat(ms, " ms");
  return ms == 1'000 ? "1 second" : cat(ms / 1'000, " seconds");
}

std::string fenced(std::string_view language, std::string_view text) {
  std::string fence = "```";
  while (text.contains(fence)) fence += '`';
  return cat(fence, language, '\n', text, text.ends_with('\n') ? "" : "\n", fence);
}

void Instructions::note(const Value& value) {
  if (const json::Array* list = value.if_array()) {
    for (const Value& each : *list) note(each);
  } else if (const json::Object* object = value.if_object()) {
    for (const json::Member& each : *object) note(each.value);
  } else if (const std::string* text = value.if_string()) {
    for (const workflow::Expression& each : workflow::scan_expressions(*text).expressions) {
      const std::string_view slot =
          std::string_view(*text).substr(each.begin, each.end - each.begin);
      if (expression_.empty()) expression_ = each.code;
      replacements_.set(slot, with_values(slot, scope, scripts));
    }
  }
}

std::string Instructions::shown(const std::string& text) {
  note(text);
  return with_values(text, scope, scripts);
}

Known<Value> Instructions::exact(std::string_view key, const Value& value) {
  note(value);
  auto filled = scripts.filled(key, value, scope);
  if (!filled) return at_step(step, key, std::move(filled).error());
  return filled;
}

void Instructions::limit(std::string_view sentence) {
  if (!step.timeout_ms) return;
  set("timeout_ms", *step.timeout_ms);
  words += cat("\n\n", sentence, duration_text(*step.timeout_ms), '.');
}

AgentStep Instructions::finish() && {
  if (!replacements_.empty()) {
    set("variable_replacements", std::move(replacements_));
    set("original_expression", std::move(expression_));
  }
  return {std::move(words), std::move(definition_)};
}

Known<AgentStep> describe_agent_step(const workflow::CompiledWorkflow& workflow,
                                     const workflow::Step& step, const NodeState& state,
                                     Scripts& scripts) {
  Instructions to(workflow, step, state, scripts);
  if (const auto instruct = behaviour_of(step).instruct) TRY(instruct(to));
  TRY(scripts.settled());
  return std::move(to).finish();
}

}  // namespace baton::run
