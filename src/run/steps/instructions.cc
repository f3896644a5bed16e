#include "run/steps/instructions.h"

#include <algorithm>
#include <optional>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
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

namespace {

/// What the only expression of a text became: chance gives another value each time it is asked.
std::optional<std::string> filled_in(std::string_view text, const workflow::Expression& only,
                                     const Value* filled) {
  if (filled == nullptr) return std::nullopt;
  const std::string whole = text_in(*filled);
  if (only.begin == 0 && only.end == text.size()) return whole;
  const std::string_view before = text.substr(0, only.begin);
  const std::string_view behind = text.substr(only.end);
  const bool fits = filled->is_string() && whole.size() >= before.size() + behind.size() &&
                    whole.starts_with(before) && whole.ends_with(behind);
  if (!fits) return std::nullopt;
  return whole.substr(before.size(), whole.size() - before.size() - behind.size());
}

}  // namespace

void Instructions::note(const Value& value, const Value* filled) {
  if (const json::Array* list = value.if_array()) {
    const json::Array* others = filled == nullptr ? nullptr : filled->if_array();
    for (std::size_t at = 0; at < list->size(); ++at) {
      const bool is_known = others != nullptr && at < others->size();
      note((*list)[at], is_known ? &(*others)[at] : nullptr);
    }
  } else if (const json::Object* object = value.if_object()) {
    for (const json::Member& each : *object) {
      note(each.value, filled == nullptr ? nullptr : filled->find(each.key));
    }
  } else if (const std::string* text = value.if_string()) {
    const auto scanned = workflow::scan_expressions(*text);
    for (const workflow::Expression& each : scanned.expressions) {
      const std::string_view slot =
          std::string_view(*text).substr(each.begin, each.end - each.begin);
      if (std::ranges::find(expressions_, each.code) == expressions_.end()) {
        expressions_.emplace_back(each.code);
      }
      std::optional<std::string> became;
      if (scanned.expressions.size() == 1) became = filled_in(*text, each, filled);
      replacements_.set(slot, became ? utf8::truncate(*became, limits::prompt_value_bytes_max)
                                     : with_values(slot, scope, scripts));
    }
  }
}

std::string Instructions::shown(const std::string& text) {
  note(text);
  return with_values(text, scope, scripts);
}

Known<Value> Instructions::exact(std::string_view key, const Value& value) {
  auto filled = scripts.filled(key, value, scope);
  note(value, filled ? &*filled : nullptr);
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
    std::string all;
    for (const std::string& each : expressions_) all += cat(all.empty() ? "" : "; ", each);
    set("original_expression", std::move(all));
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
