#include "workflow/text/expression.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text/text.h"
#include "workflow/check/word_set.h"
#include "workflow/text/js_lexer.h"

namespace baton::workflow {
namespace {

struct FilterName {
  std::string_view name;
  ExpressionFilter filter;
};
constexpr std::array<FilterName, 4> filters = {{{"path_to_key", ExpressionFilter::path_to_key},
                                                {"json", ExpressionFilter::json},
                                                {"lines", ExpressionFilter::lines},
                                                {"raw", ExpressionFilter::raw}}};

constexpr WordSet script_globals(
    "AggregateError", "Array", "ArrayBuffer", "BigInt", "Boolean", "DataView", "Date", "Error",
    "EvalError", "Float32Array", "Float64Array", "Infinity", "Int16Array", "Int32Array",
    "Int8Array", "JSON", "Map", "Math", "NaN", "Number", "Object", "Promise", "Proxy", "RangeError",
    "ReferenceError", "Reflect", "RegExp", "Set", "String", "Symbol", "SyntaxError", "TypeError",
    "URIError", "Uint16Array", "Uint32Array", "Uint8Array", "WeakMap", "WeakSet", "arguments",
    "console", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "globalThis",
    "isFinite", "isNaN", "now", "parseFloat", "parseInt", "undefined", "uuid");

/// Takes a trailing `| name` off, if the name is a filter.
ExpressionFilter take_filter(std::string_view& code) {
  const std::size_t bar = code.rfind('|');
  if (bar == std::string_view::npos || bar == 0 || code[bar - 1] == '|')
    return ExpressionFilter::none;
  const auto filter = filter_of(trimmed(code.substr(bar + 1)));
  if (!filter) return ExpressionFilter::none;
  code = trimmed(code.substr(0, bar));
  return *filter;
}

/// The offset of the `}}` that ends the code which begins at `from`, or npos.
std::size_t end_of_code(std::string_view text, std::size_t from) {
  JsLexer lexer(text.substr(from));
  int depth = 0;
  while (const auto token = lexer.next()) {
    if (token->kind == JsToken::Kind::broken) return std::string_view::npos;
    if (token->kind != JsToken::Kind::punctuation) continue;
    const char c = token->text.front();
    if (c == '{' || c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != '}') continue;
    const std::size_t at = from + token->at;
    if (depth <= 0 && text.substr(at).starts_with("}}")) return at;
    --depth;
  }
  return std::string_view::npos;
}

constexpr std::string_view keywords[] = {
    "async",     "await",   "break",  "case",       "catch", "class", "const",   "continue",
    "debugger",  "default", "delete", "do",         "else",  "false", "finally", "for",
    "function",  "if",      "in",     "instanceof", "let",   "new",   "null",    "of",
    "return",    "super",   "switch", "this",       "throw", "true",  "try",     "typeof",
    "undefined", "var",     "void",   "while",      "with",  "yield", "NaN",     "Infinity"};

bool is_keyword(std::string_view word) {
  return std::ranges::find(keywords, word) != std::end(keywords);
}

std::vector<JsToken> tokens_of(std::string_view code) {
  std::vector<JsToken> tokens;
  JsLexer lexer(code);
  while (const auto token = lexer.next()) tokens.push_back(*token);
  return tokens;
}

bool is(const std::vector<JsToken>& tokens, std::size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].kind == JsToken::Kind::punctuation &&
         tokens[i].text == text;
}

bool is_word(const std::vector<JsToken>& tokens, std::size_t i) {
  return i < tokens.size() && tokens[i].kind == JsToken::Kind::word;
}

/// Stretches of tokens, and which of them any stretch covers. They may overlap in any number.
class Stretches {
 public:
  explicit Stretches(std::size_t tokens) : change_(tokens + 1, 0) {}

  void add(std::size_t first, std::size_t last) {
    if (first >= last) return;
    ++change_[first];
    --change_[last];
  }

  /// Calls back for each token that is covered, in order.
  template <class Covered>
  void each(const Covered& covered) const {
    std::ptrdiff_t depth = 0;
    for (std::size_t i = 0; i + 1 < change_.size(); ++i) {
      depth += change_[i];
      if (depth > 0) covered(i);
    }
  }

 private:
  std::vector<std::ptrdiff_t> change_;
};

/// For each token, where the next one is that ends a declaration (`declares`) or the head of a
/// function; the number of tokens when there is none.
std::vector<std::size_t> next_ends(const std::vector<JsToken>& tokens, bool declares) {
  std::vector<std::size_t> out(tokens.size() + 1, tokens.size());
  for (std::size_t i = tokens.size(); i-- > 0;) {
    const bool is_end = is(tokens, i, declares ? "=" : "{") || is(tokens, i, ";") ||
                        (is_word(tokens, i) && (tokens[i].text == "of" || tokens[i].text == "in"));
    out[i] = is_end ? i : out[i + 1];
  }
  return out;
}

/// Names that the code binds: parameters of arrows and functions, const, let, var, catch. Anything
/// in a parenthesis before `=>` or after `function` counts, also defaults: safe.
std::set<std::string_view> bound_names(const std::vector<JsToken>& tokens) {
  std::set<std::string_view> bound;
  Stretches stretches(tokens.size());
  const std::vector<std::size_t> declaration_ends = next_ends(tokens, true);
  const std::vector<std::size_t> head_ends = next_ends(tokens, false);
  std::vector<std::size_t> open;  // the parentheses that are open
  std::size_t closed = 0;         // where the last closed one was opened; 0 for none
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is(tokens, i, "(")) open.push_back(i);
    if (is(tokens, i, ")")) {
      closed = open.empty() ? 0 : open.back();
      if (!open.empty()) open.pop_back();
    }
    if (is(tokens, i, "=>") && i > 0) {
      if (is_word(tokens, i - 1)) bound.insert(tokens[i - 1].text);
      if (is(tokens, i - 1, ")")) stretches.add(closed, i);
    }
    if (!is_word(tokens, i)) continue;
    const std::string_view word = tokens[i].text;
    const bool declares = word == "const" || word == "let" || word == "var";
    if (declares) stretches.add(i + 1, declaration_ends[i + 1]);
    if (word == "function" || word == "catch") stretches.add(i + 1, head_ends[i + 1]);
  }
  stretches.each([&](std::size_t i) {
    if (is_word(tokens, i)) bound.insert(tokens[i].text);
  });
  return bound;
}

}  // namespace

std::optional<ExpressionFilter> filter_of(std::string_view name) {
  const auto found = std::ranges::find(filters, name, &FilterName::name);
  if (found == filters.end()) return std::nullopt;
  return found->filter;
}

std::string_view name_of(ExpressionFilter filter) {
  const auto found = std::ranges::find(filters, filter, &FilterName::filter);
  return found == filters.end() ? "none" : found->name;
}

Scanned scan_expressions(std::string_view text) {
  Scanned out;
  for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at)) {
    const std::size_t close = end_of_code(text, at + 2);
    if (close == std::string_view::npos) {
      out.problem = {at, "this {{ has no }}"};
      return out;
    }
    Expression found{at, close + 2, trimmed(text.substr(at + 2, close - at - 2)),
                     ExpressionFilter::none};
    found.filter = take_filter(found.code);
    if (found.code.empty()) {
      out.problem = {at, "there is nothing between the braces"};
      return out;
    }
    out.expressions.push_back(found);
    at = found.end;
  }
  return out;
}

std::string bare_expression(std::string_view text) {
  const std::string_view whole = trimmed(text);
  const Scanned scanned = scan_expressions(whole);
  if (scanned.problem || scanned.expressions.empty()) return std::string(whole);
  const Expression& first = scanned.expressions[0];
  if (first.begin == 0 && first.end == whole.size()) return std::string(first.code);
  std::string out;
  std::size_t at = 0;
  for (const Expression& each : scanned.expressions) {
    out += whole.substr(at, each.begin - at);
    out += '(';
    out += each.code;
    out += ')';
    at = each.end;
  }
  return out += whole.substr(at);
}

std::optional<std::vector<std::string_view>> plain_path(std::string_view code) {
  std::vector<std::string_view> path;
  for (;;) {
    std::size_t length = 0;
    while (length < code.size() && is_js_name_char(code[length], length == 0)) ++length;
    if (length == 0) return std::nullopt;
    path.push_back(code.substr(0, length));
    code.remove_prefix(length);
    if (code.empty()) break;
    if (code.front() != '.') return std::nullopt;
    code.remove_prefix(1);
  }
  if (is_keyword(path[0]) && path[0] != "this") return std::nullopt;
  return path;
}

std::vector<Name> free_names(std::string_view code) {
  const std::vector<JsToken> tokens = tokens_of(code);
  const std::set<std::string_view> bound = bound_names(tokens);
  std::vector<Name> names;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_word(tokens, i) || bound.contains(tokens[i].text) ||
        (is_keyword(tokens[i].text) && tokens[i].text != "this")) {
      continue;
    }
    if (i > 0 && (is(tokens, i - 1, ".") || is(tokens, i - 1, "?."))) continue;
    // A key of an object literal, or a label.
    const bool after_brace = i > 0 && (is(tokens, i - 1, "{") || is(tokens, i - 1, ","));
    if (after_brace && is(tokens, i + 1, ":")) continue;
    const bool has_property =
        (is(tokens, i + 1, ".") || is(tokens, i + 1, "?.")) && is_word(tokens, i + 2);
    names.push_back(
        {tokens[i].text, tokens[i].at, has_property ? tokens[i + 2].text : std::string_view()});
  }
  return names;
}

bool is_script_global(std::string_view name) { return script_globals.contains(name); }

}  // namespace baton::workflow
