#include "run/show/prompt_values.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "state/render.h"
#include "workflow/text/expression.h"

namespace baton::run {
namespace {

/// The mark for a path that names nothing, with where it breaks off.
std::string unset(std::string_view path, const RunScope& scope) {
  for (std::size_t dot = path.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = path.rfind('.', dot - 1)) {
    const auto parent = scope.get(path.substr(0, dot));
    if (!parent) continue;
    return cat("[unset: ", path, "; ", path.substr(0, dot), " is of type ",
               json::name_of(parent->type()), ']');
  }
  return cat("[unset: ", path, ']');
}

std::string shown_of(const workflow::Expression& each, const RunScope& scope, Scripts& scripts) {
  if (!workflow::plain_path(each.code)) return scripts.shown(each, scope);
  const auto value = scope.get(each.code);
  if (!value) return unset(each.code, scope);
  return state::text_of(state::filtered(state::Tree::from(*value), each.filter));
}

}  // namespace

std::string with_values(std::string_view text, const RunScope& scope, Scripts& scripts) {
  const workflow::Scanned scanned = workflow::scan_expressions(text);
  std::string out;
  std::size_t at = 0;
  std::size_t left = limits::prompt_values_bytes_max;
  for (const workflow::Expression& each : scanned.expressions) {
    out += text.substr(at, each.begin - at);
    at = each.end;
    if (left == 0) continue;
    const std::string shown = shown_of(each, scope, scripts);
    const std::string cut = utf8::truncate(shown, std::min(left, limits::prompt_value_bytes_max));
    left -= cut.size();
    out += cut;
  }
  return out += text.substr(at);
}

}  // namespace baton::run
