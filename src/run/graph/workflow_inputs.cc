#include "run/graph/workflow_inputs.h"

#include "base/text/text.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;

std::string_view text_in(const Value& declared, std::string_view key) {
  const Value* found = declared.find(key);
  return found != nullptr && found->is_string() ? std::string_view(*found->if_string()) : "";
}

bool has_type(const Value& value, std::string_view type) {
  if (type.empty()) return true;
  if (type == "number") return value.is_number();
  if (type == "integer") {
    const double* number = value.if_double();
    return value.if_int() != nullptr || (number != nullptr && *number == __builtin_trunc(*number));
  }
  return json::name_of(value.type()) == type;
}

bool is_required(const Value& declared) {
  const Value* required = declared.find("required");
  return required != nullptr && required->if_bool() != nullptr && *required->if_bool();
}

std::string missing(const std::string& name, const Value& declared) {
  const std::string_view type = text_in(declared, "type");
  const std::string_view help = text_in(declared, "description");
  return cat('"', name, "\" is missing (", type.empty() ? "any value" : type,
             help.empty() ? "" : ": ", help, ')');
}

}  // namespace

Known<Object> with_evaluated_defaults(const Object& declared, Object given, Scripts& scripts) {
  bool is_lacking = false;
  for (const json::Member& input : declared) {
    const Value* value = given.find(input.key);
    const Value* fallback = input.value.find("default");
    const bool is_given = value != nullptr && !value->is_null();
    if (fallback == nullptr) continue;
    if (is_given || !has_expressions(*fallback)) {
      if (!is_given) given.set(input.key, *fallback);
      continue;
    }
    auto evaluated = scripts.rendered(*fallback, RunScope(given, {}));
    is_lacking = is_lacking || is_not_yet(evaluated);
    if (is_lacking) continue;
    if (!evaluated) {
      Error& error = *evaluated.error().if_error();
      error.message = cat("the default of the input \"", input.key, "\": ", error.message);
      return std::unexpected(std::move(error));
    }
    given.set(input.key, *std::move(evaluated));
  }
  return is_lacking ? Known<Object>(not_yet()) : std::move(given);
}

Result<Object> checked_inputs(const Object& declared, const Object& given) {
  Object out = given;
  std::string problems;
  const auto problem = [&](std::string_view text) {
    problems += cat(problems.empty() ? "" : "; ", text);
  };
  for (const json::Member& input : declared) {
    const Value* value = given.find(input.key);
    if (value != nullptr && !value->is_null()) {
      const std::string_view type = text_in(input.value, "type");
      if (has_type(*value, type)) continue;
      problem(cat('"', input.key, "\": expected ", type, ", got ", json::name_of(value->type())));
    } else if (const Value* fallback = input.value.find("default")) {
      out.set(input.key, *fallback);
    } else if (is_required(input.value)) {
      problem(missing(input.key, input.value));
    }
  }
  if (!problems.empty()) return fail(Code::INVALID_INPUT, std::move(problems));
  return out;
}

Result<Object> with_inputs(const workflow::CompiledWorkflow& workflow, const Object& given) {
  const Value* declared = workflow.declared.find("inputs");
  if (declared == nullptr || !declared->is_object()) return given;
  auto out = checked_inputs(*declared->if_object(), given);
  if (out) return out;
  return fail(Code::INVALID_INPUT,
              cat("the inputs of ", workflow.id, " are not valid: ", out.error().message,
                  "; nothing was started"),
              Move::give_inputs);
}

}  // namespace baton::run
