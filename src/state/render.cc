#include "state/render.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::state {
namespace {

using workflow::Expression;
using workflow::ExpressionFilter;

std::string shown(std::string_view code) {
  if (code.size() <= limits::script_shown_bytes_max) return std::string(code);
  return cat(utf8::prefix(code, limits::script_shown_bytes_max), "...");
}

std::string joined(std::span<const std::string_view> path) {
  std::string out;
  for (const std::string_view each : path) out += cat(out.empty() ? "" : ".", each);
  return out;
}

std::unexpected<Error> not_set(std::string_view code, std::string_view why) {
  return fail(Code::STATE_UNDEFINED, cat(why, ", in `", shown(code), '`'),
              "set it first, or give it a default");
}

/// Every element on a line of its own; anything but a list as it is.
std::string lines_of(const Tree& value) {
  if (!value.is_list()) return text_of(value);
  std::string out;
  for (std::size_t at = 0; at < value.size(); ++at) {
    out += cat(at == 0 ? "" : "\n", text_of(*value.at(at)));
  }
  return out;
}

/// A path as one word: all but letters, digits and parts of longer characters become `_`.
std::string key_of(const Tree& value) {
  std::string out = text_of(value);
  for (char& c : out) {
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (!is_kept) c = '_';
  }
  return out;
}

/// What a path means without a script; Found::not_native when only a script can tell.
Result<Lookup> look_up(std::string_view code, const Scope& scope,
                       BrokenPath broken = BrokenPath::is_error) {
  const auto path = workflow::plain_path(code);
  if (!path) return Lookup{Found::not_native, {}, 0};
  Lookup found = scope.find(*path);
  if (found.found == Found::unknown) {
    return fail(Code::STATE_UNKNOWN_NAME,
                cat("\"", (*path)[0], "\" is not declared, in `", shown(code), '`'),
                scope.nearest_to((*path)[0]));
  }
  if (found.found == Found::broken && broken == BrokenPath::is_error) {
    const std::string owner = joined(std::span(*path).first(found.segments));
    return not_set(code, cat("\"", owner, "\" is undefined or null and has no \"",
                             (*path)[found.segments], '"'));
  }
  return found;
}

Error error_in(const ScriptProblem& problem, std::string_view code, const Scope& scope) {
  Error error = error_of(problem, code);
  if (error.next.empty()) error.next = scope.hint_for(code);
  return error;
}

bool is_true(const Tree& value) {
  if (value.is_null()) return false;
  if (const bool* boolean = value.if_bool()) return *boolean;
  if (const std::int64_t* integer = value.if_int()) return *integer != 0;
  if (const std::string* text = value.if_string()) return !text->empty();
  return true;
}

/// One text with its expressions.
class Rendering {
 public:
  Rendering(const Scope& scope, const ScriptSeed& draw, ScriptAnswers& answers, RenderStyle style)
      : scope_(scope), draw_(draw), answers_(answers), style_(style) {}

  Known<json::Value> all(const json::Value& value, const std::string& place) {
    if (const std::string* text = value.if_string()) return one(*text, place);
    bool is_lacking = false;
    if (const json::Array* list = value.if_array()) {
      json::Array out;
      for (std::size_t at = 0; at < list->size(); ++at) {
        auto each = all((*list)[at], cat(place, '/', at));
        is_lacking = is_lacking || is_not_yet(each);
        if (!is_lacking) out.push_back(TRY(std::move(each)));
      }
      return is_lacking ? Known<json::Value>(not_yet()) : std::move(out);
    }
    const json::Object* object = value.if_object();
    if (object == nullptr) return value;
    json::Object out;
    for (const auto& [name, member] : *object) {
      auto each = all(member, cat(place, '/', name));
      is_lacking = is_lacking || is_not_yet(each);
      if (!is_lacking) out.append_new(name, TRY(std::move(each)));
    }
    return is_lacking ? Known<json::Value>(not_yet()) : std::move(out);
  }

  /// A whole `{{ code }}` keeps its type.
  Known<json::Value> one(std::string_view text, std::string_view place) {
    const workflow::Scanned scanned = TRY(scan(text));
    if (scanned.expressions.empty()) return text;
    const std::string_view whole = trimmed(text);
    const Expression& first = scanned.expressions[0];
    const bool is_alone = first.end - first.begin == whole.size();
    if (!is_alone) return pieces(text, scanned, place);
    const auto value = TRY(this->value(first, place, 0));
    return value ? value->to_json() : json::Value(mark(first.code));
  }

  Known<std::string> text(std::string_view text, std::string_view place) {
    return pieces(text, TRY(scan(text)), place);
  }

 private:
  static Result<workflow::Scanned> scan(std::string_view text) {
    workflow::Scanned scanned = workflow::scan_expressions(text);
    if (!scanned.problem) return scanned;
    return fail(Code::WORKFLOW_BAD_EXPRESSION,
                cat(scanned.problem->message, ", at character ", scanned.problem->at + 1, " of `",
                    shown(text), '`'));
  }

  static std::string mark(std::string_view code) { return cat("[unset: ", code, ']'); }

  /// Nothing only when it is undefined and may be shown as that.
  Known<std::optional<Tree>> value(const Expression& expression, std::string_view place,
                                   std::size_t number) {
    const BrokenPath broken =
        style_ == RenderStyle::shown ? BrokenPath::is_undefined : BrokenPath::is_error;
    auto found = evaluate(expression.code, scope_, derived(draw_, cat(place, ' ', number)),
                          answers_, broken);
    if (!found) {
      const Error* error = found.error().if_error();
      if (error == nullptr || style_ == RenderStyle::exact || error->code == Code::ENVIRONMENT) {
        return std::unexpected(std::move(found).error());
      }
      return Tree::from(failure(*error));
    }
    if (*found) return filtered(**found, expression.filter);
    if (style_ == RenderStyle::shown) return std::nullopt;
    return not_set(expression.code, "there is no value");
  }

  static std::string failure(const Error& error) {
    return cat("[failed: ", error.message, error.next.empty() ? "" : "; ", error.next.text(), ']');
  }

  /// Every expression is asked for, also when an earlier one has no answer yet.
  Known<std::string> pieces(std::string_view text, const workflow::Scanned& scanned,
                            std::string_view place) {
    std::string out;
    bool is_lacking = false;
    std::size_t at = 0;
    std::size_t left = limits::prompt_values_bytes_max;
    for (std::size_t number = 0; number < scanned.expressions.size(); ++number) {
      const Expression& each = scanned.expressions[number];
      out += text.substr(at, each.begin - at);
      at = each.end;
      auto found = this->value(each, place, number);
      is_lacking = is_lacking || is_not_yet(found);
      if (is_lacking) continue;
      const auto value = TRY(std::move(found));
      std::string piece = value ? text_of(*value) : mark(each.code);
      if (style_ == RenderStyle::shown) {
        piece = utf8::truncate(piece, std::min(left, limits::prompt_value_bytes_max));
        left -= piece.size();
      }
      out += piece;
    }
    if (is_lacking) return not_yet();
    out += text.substr(at);
    if (style_ == RenderStyle::exact && out.size() > limits::rendered_bytes_max) {
      return fail(Code::LIMIT_EXCEEDED, cat("a text would have ", out.size(), " bytes; ",
                                            limits::rendered_bytes_max, " are allowed"));
    }
    return out;
  }

  const Scope& scope_;
  const ScriptSeed& draw_;
  ScriptAnswers& answers_;
  RenderStyle style_;
};

}  // namespace

std::string text_of(const Tree& value) {
  return value.if_string() != nullptr ? *value.if_string() : value.print();
}

Tree filtered(const Tree& value, ExpressionFilter filter) {
  switch (filter) {
    case ExpressionFilter::json: return Tree::from(value.print());
    case ExpressionFilter::lines: return Tree::from(lines_of(value));
    case ExpressionFilter::path_to_key: return Tree::from(key_of(value));
    case ExpressionFilter::none:
    case ExpressionFilter::raw: break;
  }
  return value;
}

Known<std::optional<Tree>> evaluate(std::string_view code, const Scope& scope,
                                    const ScriptSeed& draw, ScriptAnswers& answers,
                                    BrokenPath broken) {
  Lookup found = TRY(look_up(code, scope, broken));
  if (found.found == Found::broken) return std::nullopt;
  if (found.found != Found::not_native) return std::move(found.value);
  const ScriptAnswer* answer = answers.find(scope.evaluation(code, ScriptForm::expression, draw));
  if (answer == nullptr) return not_yet();
  if (answer->result) return Tree::from(*answer->result);
  if (answer->result.error().fault == ScriptFault::undefined) return std::nullopt;
  return std::unexpected(error_in(answer->result.error(), code, scope));
}

Known<bool> truth(std::string_view code, const Scope& scope, const ScriptSeed& draw,
                  ScriptAnswers& answers) {
  const Lookup found = TRY(look_up(code, scope));
  if (found.found != Found::not_native) return found.value && is_true(*found.value);
  const ScriptAnswer* answer = answers.find(scope.evaluation(code, ScriptForm::truth, draw));
  if (answer == nullptr) return not_yet();
  if (!answer->result) return std::unexpected(error_in(answer->result.error(), code, scope));
  const bool* boolean = answer->result->if_bool();
  return boolean != nullptr && *boolean;
}

Known<std::string> render_text(std::string_view text, const Scope& scope, const ScriptSeed& draw,
                               ScriptAnswers& answers, RenderStyle style) {
  return Rendering(scope, draw, answers, style).text(text, "");
}

Known<json::Value> render_all(const json::Value& value, const Scope& scope, const ScriptSeed& draw,
                              ScriptAnswers& answers, RenderStyle style) {
  return Rendering(scope, draw, answers, style).all(value, "");
}

Known<Path> render_path(std::string_view text, const Scope& scope, const ScriptSeed& draw,
                        ScriptAnswers& answers) {
  const PathTemplate parsed = TRY(PathTemplate::parse(text));
  std::vector<std::string> values;
  bool is_lacking = false;
  for (std::size_t number = 0; number < parsed.expressions().size(); ++number) {
    const std::string& code = parsed.expressions()[number];
    auto found = evaluate(code, scope, derived(draw, cat("path ", number)), answers);
    is_lacking = is_lacking || is_not_yet(found);
    if (is_lacking) continue;
    const auto value = TRY(std::move(found));
    if (!value) return not_set(code, "there is no value to put into the path");
    if (value->is_list() || value->is_object()) {
      return fail(Code::STATE_BAD_PATH, cat("a value of type ", json::name_of(value->type()),
                                            " cannot be put into a path, in `", shown(code), '`'));
    }
    values.push_back(text_of(filtered(*value, parsed.filters()[number])));
  }
  if (is_lacking) return not_yet();
  return parsed.fill(values);
}

}  // namespace baton::state
