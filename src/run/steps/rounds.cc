#include "run/steps/rounds.h"

#include "base/text/text.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"
#include "workflow/text/expression.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::Step;

std::string_view name_of(const RoundSource& source) {
  return source.text == nullptr ? source.field : std::string_view(*source.text);
}

std::string wanted_rounds(const RoundSource& source, const Step& step,
                          const std::optional<Value>& value) {
  const bool is_missing = !value || value->is_null();
  const bool is_loop = behaviour_of(step).is_loop;
  return cat(is_loop ? "the loop \"" : "the step \"", step.id, "\" needs ", wanted_by(source),
             " at \"", name_of(source), "\", which is ",
             is_missing ? std::string("not set") : cat("of type ", json::name_of(value->type())));
}

const std::string* text_at(const Value* source, std::string_view key) {
  const Value* found = source == nullptr ? nullptr : source->find(key);
  return found == nullptr ? nullptr : found->if_string();
}

}  // namespace

std::string_view wanted_by(const RoundSource& source) {
  return source.is_items() ? "a list" : "a whole number that is not negative";
}

bool fits(const RoundSource& source, const std::optional<Value>& value) {
  if (!value) return false;
  return source.is_items() ? value->is_array() : count_in(*value).has_value();
}

std::optional<std::int64_t> count_in(const Value& value) {
  std::optional<std::int64_t> count;
  if (const std::int64_t* number = value.if_int()) count = *number;
  if (const std::string* text = value.if_string()) count = parse_int(*text);
  return count && *count >= 0 ? count : std::nullopt;
}

RoundSource items_source(const Value* items) {
  RoundSource out{.field = "items", .list = items == nullptr ? nullptr : items->find("list")};
  out.text = text_at(items, "var");
  if (out.text != nullptr) return out;
  out.text = text_at(items, "js");
  out.is_script = out.text != nullptr && !workflow::plain_path(*out.text);
  return out;
}

RoundSource count_source(const Value* count) {
  RoundSource out{.field = "count", .text = text_at(count, "var")};
  out.is_script = out.text != nullptr && !workflow::plain_path(*out.text);
  return out;
}

std::string source_text(const Value& source) {
  for (const std::string_view key : {"var", "js"}) {
    if (const std::string* text = text_at(&source, key)) return *text;
  }
  const Value* list = source.find("list");
  return json::print(list == nullptr ? source : *list);
}

Known<std::optional<Value>> value_of_source(const RoundSource& source, WalkMoves& walk,
                                            const Step& step, Scripts& scripts) {
  if (source.text == nullptr) {
    if (const auto evaluated = TRY(evaluated_list(source, walk, step, scripts))) return *evaluated;
    return source.list == nullptr ? std::nullopt : std::optional(*source.list);
  }
  if (!source.is_script) return walk.scope().get(*source.text);
  auto value = scripts.value(*source.text, walk.scope());
  if (!value) return at_step(step, source.field, value.error());
  return *std::move(value);
}

Known<std::shared_ptr<const Value>> evaluated_list(const RoundSource& source, WalkMoves& walk,
                                                   const Step& step, Scripts& scripts) {
  if (source.list == nullptr || !has_expressions(*source.list)) return nullptr;
  auto found = scripts.rendered(*source.list, walk.scope());
  if (!found) return at_step(step, "items", found.error());
  return std::make_shared<const Value>(*std::move(found));
}

std::unexpected<state::NoValue> wrong_rounds(const RoundSource& source, const Step& step,
                                             const std::optional<Value>& value) {
  return at_step(step, source.field,
                 Error::make(Code::STATE_WRONG_TYPE, wanted_rounds(source, step, value),
                             "let a step before it write that"));
}

Finding missing_rounds(const RoundSource& source, const Step& step,
                       const std::optional<Value>& value) {
  const bool is_missing = !value || value->is_null();
  return {.reason = is_missing ? Reason::missing_required_output : Reason::evaluation_error,
          .pointer = {PointerKind::context_key, std::string(name_of(source))},
          .message = cat("context: ", wanted_rounds(source, step, value)),
          .fix = cat("send \"", name_of(source), "\" in context: ", wanted_by(source))};
}

}  // namespace baton::run
