#include "run/prompt_values.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "base/utf8.h"
#include "workflow/expression.h"

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

std::string rendered(const Value& value, Filter filter) {
  switch (filter) {
    case Filter::json: return json::print(value);
    case Filter::lines: return lines_of(value);
    case Filter::path_to_key: return key_of(value);
    case Filter::none:
    case Filter::raw: break;
  }
  return plain_text(value);
}

/// The mark for a path that names nothing, with where it breaks off.
std::string unset(std::string_view path, const Scope& scope) {
  for (std::size_t dot = path.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = path.rfind('.', dot - 1)) {
    const auto parent = scope.get(path.substr(0, dot));
    if (!parent) continue;
    return cat("[unset: ", path, "; ", path.substr(0, dot), " is of type ",
               json::name_of(parent->type()), ']');
  }
  return cat("[unset: ", path, ']');
}

}  // namespace

std::string with_values(std::string_view text, const Scope& scope) {
  const workflow::Scanned scanned = workflow::scan_expressions(text);
  std::string out;
  std::size_t at = 0;
  std::size_t left = limits::prompt_values_bytes_max;
  for (const workflow::Expression& each : scanned.expressions) {
    out += text.substr(at, each.begin - at);
    at = each.end;
    const auto value = workflow::plain_path(each.code) ? scope.get(each.code) : std::nullopt;
    const std::string shown = value ? rendered(*value, each.filter) : unset(each.code, scope);
    const std::string cut = utf8::truncate(shown, std::min(left, limits::prompt_value_bytes_max));
    left -= cut.size();
    out += cut;
  }
  return out += text.substr(at);
}

}  // namespace baton::run
