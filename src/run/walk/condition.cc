#include "run/walk/condition.h"

#include <algorithm>
#include <charconv>

#include "base/schema/pattern.h"
#include "base/text/search.h"
#include "base/text/text.h"
#include "workflow/text/expression.h"

namespace baton::run {
namespace {

using json::Array;
using json::Value;

/// Without the space around it, in lower case.
std::string plain(std::string_view text) { return lower_case(trimmed(text)); }

std::optional<double> number_in(std::string_view text) {
  const std::string_view digits = trimmed(text);
  double number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, number);
  if (digits.empty() || problem != std::errc{} || stop != end) return std::nullopt;
  return number;
}

bool text_is_bool(std::string_view text, bool boolean) {
  const std::string word = plain(text);
  if (boolean) return word == "true" || word == "yes" || word == "1";
  return word == "false" || word == "no" || word == "0";
}

bool is_true(const Value& value) {
  if (const bool* boolean = value.if_bool()) return *boolean;
  if (value.is_number()) return value.as_double() != 0;
  if (const std::string* text = value.if_string()) return !text->empty();
  return !value.is_null();
}

/// The text of a scalar, for comparing texts; nothing for what has no text of its own.
std::optional<std::string> text_of(const Value& value) {
  if (const std::string* text = value.if_string()) return std::string(trimmed(*text));
  if (value.is_null()) return std::string();
  if (value.is_array() || value.is_object()) return std::nullopt;
  return json::print(value);
}

bool compare_numbers(std::string_view op, const Value& value, const Value& operand) {
  if (!value.is_number() || !operand.is_number()) return false;
  const double one = value.as_double();
  const double other = operand.as_double();
  if (op == "gt") return one > other;
  if (op == "gte") return one >= other;
  if (op == "lt") return one < other;
  return one <= other;
}

bool matches(const std::string& text, const Value& operand) {
  const std::string* source = operand.if_string();
  if (source == nullptr) return false;
  const auto pattern = schema::Pattern::compile(cat("(?i:", *source, ')'));
  return pattern && pattern->matches(text);
}

bool compare_texts(std::string_view op, const Value& value, const Value& operand) {
  const auto text = text_of(value);
  const auto part = text_of(operand);
  if (!text || !part) return false;
  if (op == "matches") return matches(*text, operand);
  const std::string whole = plain(*text);
  const std::string wanted = plain(*part);
  if (op == "startsWith") return whole.starts_with(wanted);
  if (op == "endsWith") return whole.ends_with(wanted);
  return whole.contains(wanted);
}

bool is_one_of(const Array& list, const Value& value) {
  return std::ranges::any_of(list, [&](const Value& each) { return loosely_equal(each, value); });
}

bool compare(std::string_view op, const Value& value, const Value& operand) {
  if (op == "equals") return loosely_equal(value, operand);
  if (op == "not_equals") return !loosely_equal(value, operand);
  if (op == "gt" || op == "gte" || op == "lt" || op == "lte") {
    return compare_numbers(op, value, operand);
  }
  if (op == "in") return operand.is_array() && is_one_of(*operand.if_array(), value);
  if (op == "contains" && value.is_array()) return is_one_of(*value.if_array(), operand);
  return compare_texts(op, value, operand);
}

const std::string* text_field(const Value& condition, std::string_view key) {
  const Value* found = condition.find(key);
  return found == nullptr ? nullptr : found->if_string();
}

const Array* list_field(const Value& condition, std::string_view key) {
  const Value* found = condition.find(key);
  return found == nullptr ? nullptr : found->if_array();
}

bool variable_holds(const std::string& name, const Value& condition, const RunScope& scope) {
  const Value value = scope.get(name).value_or(Value());
  const std::string* op = text_field(condition, "op");
  if (op == nullptr) return is_true(value);
  const Value* operand = condition.find("value");
  return operand != nullptr && compare(*op, value, *operand);
}

}  // namespace

bool loosely_equal(const Value& one, const Value& other) {
  const std::string* text = one.if_string();
  const std::string* other_text = other.if_string();
  if (text != nullptr && other_text != nullptr) return plain(*text) == plain(*other_text);
  if (text == nullptr && other_text != nullptr) return loosely_equal(other, one);
  if (text == nullptr) return one == other;
  if (other.is_number()) return number_in(*text) == other.as_double();
  if (const bool* boolean = other.if_bool()) return text_is_bool(*text, *boolean);
  return false;
}

Known<bool> holds(const Value& condition, const RunScope& scope, Scripts& scripts) {
  if (const std::string* code = text_field(condition, "js")) {
    if (*code == "true" || *code == "false") return *code == "true";
    if (workflow::plain_path(*code) && !scope.has_state())
      return is_true(scope.get(*code).value_or(Value()));
    return scripts.truth(*code, scope);
  }
  if (const std::string* name = text_field(condition, "var")) {
    return variable_holds(*name, condition, scope);
  }
  for (const std::string_view key : {"and", "or"}) {
    const Array* list = list_field(condition, key);
    if (list == nullptr) continue;
    const bool deciding = key == "or";  // what one of them must be to settle the whole
    bool is_lacking = false;
    for (const Value& each : *list) {
      const auto one = holds(each, scope, scripts);
      is_lacking = is_lacking || is_not_yet(one);
      if (!is_lacking && TRY(one) == deciding) return deciding;
    }
    return is_lacking ? Known<bool>(not_yet()) : !deciding;
  }
  const Value* inner = condition.find("not");
  if (inner == nullptr) return false;
  return !TRY(holds(*inner, scope, scripts));
}

std::string condition_text(const Value& condition) {
  if (const std::string* code = text_field(condition, "js")) return *code;
  if (const std::string* name = text_field(condition, "var")) {
    const std::string* op = text_field(condition, "op");
    const Value* operand = condition.find("value");
    if (op == nullptr || operand == nullptr) return *name;
    return cat(*name, ' ', *op, ' ', json::print(*operand));
  }
  for (const std::string_view key : {"and", "or"}) {
    const Array* list = list_field(condition, key);
    if (list == nullptr) continue;
    std::string out;
    for (const Value& each : *list) {
      if (!out.empty()) out += cat(' ', key, ' ');
      out += condition_text(each);
    }
    return cat('(', out, ')');
  }
  const Value* inner = condition.find("not");
  return inner == nullptr ? std::string("?") : cat("not ", condition_text(*inner));
}

}  // namespace baton::run
