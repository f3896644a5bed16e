#include "run/scripts.h"

#include "base/limits.h"
#include "base/text.h"
#include "base/utf8.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::Filter;

std::string plain_text(const Value& value) {
  return value.is_string() ? *value.if_string() : json::print(value);
}

/// Every element on a line of its own; anything but a list as it is.
std::string lines_of(const Value& value) {
  const json::Array* list = value.if_array();
  if (list == nullptr) return plain_text(value);
  std::string out;
  for (const Value& each : *list) out += cat(out.empty() ? "" : "\n", plain_text(each));
  return out;
}

/// A path as one word: what is no letter, digit or part of a longer character becomes `_`.
std::string key_of(const Value& value) {
  std::string out = plain_text(value);
  for (char& c : out) {
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (!is_kept) c = '_';
  }
  return out;
}

/// How an expression is named in a record; no condition begins like this.
std::string slot_of(const workflow::Expression& expression) {
  const bool is_bare = expression.filter == Filter::none;
  return cat("{{ ", expression.code, is_bare ? "" : " | ",
             is_bare ? "" : workflow::name_of(expression.filter), " }}");
}

std::unexpected<Error> not_recorded(std::string_view code) {
  return fail(Code::STORE_CORRUPT, cat("a node does not say what `", code, "` came to"));
}

// Around an expression. Undefined is a member that is not there, so that it can be told from what
// is no JSON.
constexpr std::string_view truth_opening = "!!(";
constexpr std::string_view value_opening = "({v:(";

/// What went wrong, in the expression as it was written.
std::unexpected<Error> failed(state::ScriptProblem problem, std::string_view opening,
                              std::string_view code) {
  if (problem.line == 1) {
    problem.column = problem.column > opening.size() ? problem.column - opening.size() : 1;
  }
  return std::unexpected(state::error_of(problem, code));
}

}  // namespace

std::string text_of(const Value& value, Filter filter) {
  switch (filter) {
    case Filter::json: return json::print(value);
    case Filter::lines: return lines_of(value);
    case Filter::path_to_key: return key_of(value);
    case Filter::none:
    case Filter::raw: break;
  }
  return plain_text(value);
}

state::Draw draw_of_act(const Drawn& drawn, std::size_t act) {
  // Odd, so that no two acts of one advance have the same.
  constexpr std::uint64_t stride = 0x9e3779b97f4a7c15;
  return {drawn.now, drawn.seed + act * stride};
}

const Value* Scripts::recorded(std::string_view key) const {
  return recorded_ == nullptr ? nullptr : recorded_->find(key);
}

Result<bool> Scripts::truth(std::string_view code, const Scope& scope) {
  if (answers_ == nullptr) {
    const Value* known = recorded(code);
    if (known == nullptr || known->if_bool() == nullptr) return not_recorded(code);
    return *known->if_bool();
  }
  const state::Answer* answer =
      answers_->find(scope.evaluation(cat(truth_opening, code, "\n)"), draw_));
  if (answer == nullptr) return false;
  if (!answer->result) return failed(answer->result.error(), truth_opening, code);
  const bool* is_true = answer->result->if_bool();
  used_.set(code, is_true != nullptr && *is_true);
  return is_true != nullptr && *is_true;
}

Result<std::optional<Value>> Scripts::value(std::string_view code, const Scope& scope) {
  if (answers_ == nullptr) return not_recorded(code);
  const state::Answer* answer =
      answers_->find(scope.evaluation(cat(value_opening, code, "\n)})"), draw_));
  if (answer == nullptr) return std::nullopt;
  if (!answer->result) return failed(answer->result.error(), value_opening, code);
  const Value* value = answer->result->find("v");
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::string Scripts::shown(const workflow::Expression& expression, const Scope& scope) {
  const std::string slot = slot_of(expression);
  if (answers_ == nullptr) {
    const Value* known = recorded(slot);
    const std::string* text = known == nullptr ? nullptr : known->if_string();
    return text == nullptr ? cat("[unset: ", expression.code, ']') : *text;
  }
  const auto came = value(expression.code, scope);
  if (is_lacking()) return {};
  std::string text;
  if (!came) {
    text = cat("[failed: ", came.error().message, ']');
  } else if (!*came) {
    text = cat("[unset: ", expression.code, ']');
  } else {
    text = text_of(**came, expression.filter);
  }
  text = utf8::truncate(text, limits::prompt_value_bytes_max);
  used_.set(slot, text);
  return text;
}

}  // namespace baton::run
