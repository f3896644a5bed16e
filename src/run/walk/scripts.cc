#include "run/walk/scripts.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "state/render.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::ExpressionFilter;

/// How an expression is named in a record; no condition begins like this.
std::string slot_of(const workflow::Expression& expression) {
  const bool is_bare = expression.filter == ExpressionFilter::none;
  return cat("{{ ", expression.code, is_bare ? "" : " | ",
             is_bare ? "" : workflow::name_of(expression.filter), " }}");
}

std::unexpected<Error> not_recorded(std::string_view code) {
  return fail(Code::STORE_CORRUPT, cat("a node does not record the result of `", code, '`'));
}

}  // namespace

bool has_expressions(const Value& value) {
  if (const std::string* text = value.if_string()) {
    return !workflow::scan_expressions(*text).expressions.empty();
  }
  if (const json::Array* list = value.if_array()) {
    return std::ranges::any_of(*list, [](const Value& each) { return has_expressions(each); });
  }
  const json::Object* object = value.if_object();
  return object != nullptr && std::ranges::any_of(*object, [](const json::Member& each) {
           return has_expressions(each.value);
         });
}

state::ScriptSeed draw_of_act(const FreshInputs& drawn, std::size_t act) {
  const state::ScriptSeed draw{drawn.now, drawn.seed};
  return act == 0 ? draw : state::derived(draw, cat("act ", act));
}

UpdateContext Scripts::updating() const {
  ASSERT(answers_ != nullptr && schemas_ != nullptr);
  return {*schemas_, draw_, *answers_};
}

const Value* Scripts::recorded(std::string_view key) const {
  return recorded_ == nullptr ? nullptr : recorded_->find(key);
}

Known<void> Scripts::settled() const {
  return answers_ != nullptr && answers_->is_lacking() ? Known<void>(not_yet()) : Known<void>();
}

Known<bool> Scripts::truth(std::string_view code, const RunScope& scope) {
  if (answers_ == nullptr) {
    const Value* known = recorded(code);
    if (known == nullptr || known->if_bool() == nullptr) return not_recorded(code);
    return *known->if_bool();
  }
  const auto is_true = state::truth(code, scope.names(schemas_), draw_, *answers_);
  if (is_true) used_.set(code, *is_true);
  return is_true;
}

Known<std::optional<Value>> Scripts::value(std::string_view code, const RunScope& scope) {
  if (answers_ == nullptr) return not_recorded(code);
  const auto tree = TRY(state::evaluate(code, scope.names(schemas_), draw_, *answers_));
  return tree ? std::optional(tree->to_json()) : std::nullopt;
}

Known<Value> Scripts::filled(std::string_view name, const Value& value, const RunScope& scope) {
  if (!has_expressions(value)) return value;
  const std::string key = cat("= ", name);
  if (answers_ == nullptr) {
    const Value* known = recorded(key);
    return known == nullptr ? Known<Value>(not_recorded(name)) : *known;
  }
  auto came =
      state::render_all(value, scope.names(schemas_), state::derived(draw_, key), *answers_);
  if (came) used_.set(key, *came);
  return came;
}

Known<Value> Scripts::rendered(const Value& value, const RunScope& scope) {
  if (answers_ == nullptr) return not_recorded("a value");
  return state::render_all(value, scope.names(schemas_), state::derived(draw_, "rendered"),
                           *answers_);
}

Known<std::string> Scripts::text(std::string_view text, const RunScope& scope) {
  if (answers_ == nullptr) return not_recorded(text);
  return state::render_text(text, scope.names(schemas_), state::derived(draw_, text), *answers_,
                            state::RenderStyle::exact);
}

std::string Scripts::shown(const workflow::Expression& expression, const RunScope& scope) {
  const std::string slot = slot_of(expression);
  if (answers_ == nullptr) {
    const Value* known = recorded(slot);
    const std::string* text = known == nullptr ? nullptr : known->if_string();
    return text == nullptr ? cat("[unset: ", expression.code, ']') : *text;
  }
  const auto came =
      state::evaluate(expression.code, scope.names(schemas_), state::derived(draw_, slot),
                      *answers_, state::BrokenPath::is_undefined);
  if (is_not_yet(came)) return {};
  const Error* error = came ? nullptr : came.error().if_error();
  std::string text;
  if (error != nullptr) {
    text =
        cat("[failed: ", error->message, error->next.empty() ? "" : "; ", error->next.text(), ']');
  } else if (!*came) {
    text = cat("[unset: ", expression.code, ']');
  } else {
    text = state::text_of(state::filtered(**came, expression.filter));
  }
  text = utf8::truncate(text, limits::prompt_value_bytes_max);
  used_.set(slot, text);
  return text;
}

}  // namespace baton::run
