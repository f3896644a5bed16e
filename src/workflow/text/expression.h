#pragma once
// Template expressions: where `{{ ... }}` begin and end in a text, which filter they have, and
// whether they are a plain path. The JavaScript inside is not judged here. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::workflow {

enum class ExpressionFilter : std::uint8_t { none, path_to_key, json, lines, raw };

std::optional<ExpressionFilter> filter_of(std::string_view name);
std::string_view name_of(ExpressionFilter filter);

struct Expression {
  std::size_t begin = 0;  // offset of "{{"
  std::size_t end = 0;    // behind "}}"
  std::string_view code;  // trimmed, without its filter
  ExpressionFilter filter = ExpressionFilter::none;
};

struct ExpressionProblem {
  std::size_t at = 0;  // offset
  std::string_view message;
};

/// The parts of a text. Views point into it.
struct Scanned {
  std::vector<Expression> expressions;
  std::optional<ExpressionProblem> problem;  // the first; scanning ends there
};

/// Strings, template literals, comments, regular expressions and brackets of JavaScript are stepped
/// over, so that a `}}` inside them ends nothing.
Scanned scan_expressions(std::string_view text);

/// The one JavaScript expression of a text where only one is allowed: `{{ code }}` is
/// its code; of a text with further pieces each `{{ code }}` becomes `(code)`.
std::string bare_expression(std::string_view text);

/// A path of identifiers: `a`, `a.b.c`. Its segments, or nothing when it is anything else.
std::optional<std::vector<std::string_view>> plain_path(std::string_view code);

/// The free-standing identifiers of a piece of JavaScript, with their offsets: not property names,
/// keys of object literals, keywords but `this`, or what the code itself declares. Approximate on
/// the safe side: a name that might be declared inside is left out.
struct Name {
  std::string_view text;
  std::size_t at = 0;
  std::string_view property;  // of `text.property`; empty when there is none
};
std::vector<Name> free_names(std::string_view code);

/// Whether a free name is one that JavaScript or Baton gives every script: Math, JSON, now, uuid.
bool is_script_global(std::string_view name);

}  // namespace baton::workflow
