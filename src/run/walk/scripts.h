#pragma once
// Scripts: the values of the expressions at a place of a run. The Decider asks for them, and
// what a prompt shows of them is recorded with its node; a later reader uses that record and
// runs nothing. Pure; a value of one thread.

#include <string>
#include <string_view>

#include "run/graph/schemas.h"
#include "run/walk/scope.h"
#include "state/answers.h"
#include "state/known.h"
#include "workflow/text/expression.h"

namespace baton::run {

using state::is_not_yet;
using state::Known;
using state::not_yet;

class Scripts {
 public:
  /// Asks for what is not known yet. `answers` and `schemas` must outlive this; there may be none
  /// of these where there is no state.
  Scripts(state::ScriptAnswers& answers, const state::ScriptSeed& draw,
          const Schemas* schemas = nullptr)
      : answers_(&answers), draw_(draw), schemas_(schemas) {}

  /// Knows what was recorded. `recorded` must outlive this.
  explicit Scripts(const json::Object& recorded) : recorded_(&recorded) {}

  /// not_yet() when anything that was asked for is not known: for who shows something, where a
  /// value that is lacking leaves a gap in a text, and for who asks for several things at once.
  Known<void> settled() const;

  /// What changes a state is made with. REQUIRES: this asks, and there are schemas.
  UpdateContext updating() const;

  /// Whether an expression is true, as JavaScript sees it. A script that fails is an error.
  Known<bool> truth(std::string_view code, const RunScope& scope);

  /// The value of an expression; nothing for undefined.
  Known<std::optional<json::Value>> value(std::string_view code, const RunScope& scope);

  /// A value with the expressions of all its texts evaluated; one that is a whole text keeps its
  /// type. What is undefined is an error.
  Known<json::Value> rendered(const json::Value& value, const RunScope& scope);

  /// A text with its expressions filled in as they are. What is undefined or too long is an error.
  Known<std::string> text(std::string_view text, const RunScope& scope);

  /// What a text shows for an expression, at most limits::prompt_value_bytes_max of it. Nothing
  /// goes wrong here: an agent that sees the mark of a script that failed can report it. Empty
  /// while it is not known.
  std::string shown(const workflow::Expression& expression, const RunScope& scope);

  /// A value with every expression in it evaluated; one that is alone keeps its type. `name`
  /// tells it from others of the same step. What is undefined is an error.
  Known<json::Value> filled(std::string_view name, const json::Value& value, const RunScope& scope);

  /// What was asked of truth, shown and filled so far, for a Scripts that knows it.
  const json::Object& used() const { return used_; }

 private:
  const json::Value* recorded(std::string_view key) const;

  state::ScriptAnswers* answers_ = nullptr;
  state::ScriptSeed draw_;
  const Schemas* schemas_ = nullptr;
  const json::Object* recorded_ = nullptr;
  json::Object used_;
};

/// Whether any text of a value has an expression in it.
bool has_expressions(const json::Value& value);

/// The draw of one act of an advance: all have its instant, each its own chance.
state::ScriptSeed draw_of_act(const FreshInputs& drawn, std::size_t act);

}  // namespace baton::run
