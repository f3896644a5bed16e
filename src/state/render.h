#pragma once
// Rendering: templates become values. A `{{ code }}` that is the whole text keeps its type; inside
// of text it is written out: texts as they are, all else as JSON. Plain paths are looked up, other
// code is asked for as a script. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "state/answers.h"
#include "state/known.h"
#include "state/path.h"
#include "state/scope.h"
#include "workflow/text/expression.h"

namespace baton::state {

enum class RenderStyle : std::uint8_t {
  exact,  // for values: what is undefined or too long is an error
  shown,  // for people and agents: `[unset: path]`, and long values are cut (limits::prompt_*)
};

/// A text with its expressions filled in, whatever their types. All that it needs and that is not
/// known yet is asked for at once.
Known<std::string> render_text(std::string_view text, const Scope& scope, const ScriptSeed& draw,
                               ScriptAnswers& answers, RenderStyle style = RenderStyle::shown);

/// Every text inside of a value; names of members stay.
Known<json::Value> render_all(const json::Value& value, const Scope& scope, const ScriptSeed& draw,
                              ScriptAnswers& answers, RenderStyle style = RenderStyle::exact);

/// A path with its slots filled; each filled slot is one segment.
Known<Path> render_path(std::string_view text, const Scope& scope, const ScriptSeed& draw,
                        ScriptAnswers& answers);

/// What a member of something undefined is: `unset.more`.
enum class BrokenPath : std::uint8_t { is_error, is_undefined };

/// The value of one expression, without braces; nothing when it is undefined.
Known<std::optional<Tree>> evaluate(std::string_view code, const Scope& scope,
                                    const ScriptSeed& draw, ScriptAnswers& answers,
                                    BrokenPath broken = BrokenPath::is_error);

/// Whether JavaScript takes the expression for true.
Known<bool> truth(std::string_view code, const Scope& scope, const ScriptSeed& draw,
                  ScriptAnswers& answers);

/// A value as a filter shows it: `raw` and none as it is, the others as text.
Tree filtered(const Tree& value, workflow::ExpressionFilter filter);

/// A value inside of text.
std::string text_of(const Tree& value);

}  // namespace baton::state
