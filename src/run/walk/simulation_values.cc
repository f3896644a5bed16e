#include "run/walk/simulation_values.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "run/steps/behaviour.h"
#include "workflow/text/expression.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::Step;

/// A value that differs from `value` and is of its type.
Value another(const Value& value) {
  if (const bool* flag = value.if_bool()) return !*flag;
  if (const std::string* text = value.if_string()) return cat(*text, " not");
  if (const std::int64_t* number = value.if_int()) return *number + 1;
  if (value.is_number()) return value.as_double() + 1;
  return "another";
}

std::vector<Value> values_for(const Value& condition) {
  const Value* value = condition.find("value");
  const Value* op = condition.find("op");
  if (value == nullptr || op == nullptr || !op->is_string()) return {true, false};
  const std::string& name = *op->if_string();
  const bool compares = name == "gt" || name == "gte" || name == "lt" || name == "lte";
  if (compares && value->is_number()) {
    const double number = value->as_double();
    return {number, number + 1, number - 1};
  }
  return {*value, another(*value)};
}

class Collector {
 public:
  Guesses guesses;

  void steps(const std::vector<Step>& list) {
    for (const Step& step : list) {
      const StepBehaviour& behaviour = behaviour_of(step);
      if (behaviour.condition != nullptr) condition(behaviour.condition(step));
      condition(step.run_condition.get());
      rounds(behaviour, step);
      for (const workflow::Block& block : step.blocks) steps(block.steps);
    }
  }

  Guesses finish() && {
    std::erase_if(guesses, [&](const auto& entry) {
      return of_loops_.contains(entry.first) || entry.first == "loop" || entry.first == "inputs";
    });
    return std::move(guesses);
  }

 private:
  void rounds(const StepBehaviour& behaviour, const Step& step) {
    const Value* items = behaviour.items == nullptr ? nullptr : behaviour.items(step);
    const Value* count = behaviour.count == nullptr ? nullptr : behaviour.count(step);
    if (items != nullptr) {
      source(*items, {json::Array{"one"}, json::Array{}, json::Array{"one", "two"}});
    }
    if (count != nullptr) source(*count, {1, 0, 2});
    if (behaviour.variable_names == nullptr) return;
    for (std::string& name : behaviour.variable_names(step)) of_loops_.insert(std::move(name));
  }

  void condition(const Value* value) {
    if (value != nullptr) condition(*value);
  }
  void condition(const Value& value) {
    for (const std::string_view key : {"and", "or"}) {
      const Value* list = value.find(key);
      if (list == nullptr || !list->is_array()) continue;
      for (const Value& each : *list->if_array()) condition(each);
    }
    if (const Value* inner = value.find("not")) condition(*inner);
    if (const Value* name = value.find("var")) {
      if (name->is_string()) add(*name->if_string(), values_for(value));
    }
    source(value, {true, false});
  }

  /// Code that is a plain path is a name like others.
  void source(const Value& value, std::vector<Value> values) {
    for (const std::string_view key : {"var", "js"}) {
      const Value* code = value.find(key);
      if (code == nullptr || !code->is_string()) continue;
      const bool named_already = key == "var" && value.find("op") != nullptr;
      if (!named_already && workflow::plain_path(*code->if_string())) {
        add(*code->if_string(), values);
      }
    }
  }

  void add(std::string_view path, const std::vector<Value>& values) {
    if (path.starts_with("inputs.")) path.remove_prefix(std::string_view("inputs.").size());
    const std::size_t dot = path.find('.');
    std::vector<Value>& known = guesses[std::string(path.substr(0, dot))];
    for (const Value& each : values) {
      const Value whole =
          dot == std::string_view::npos ? each : wrapped(path.substr(dot + 1), each);
      if (std::ranges::find(known, whole) == known.end()) known.push_back(whole);
    }
  }

  /// The value at the end of a path, as the object that has it.
  static Value wrapped(std::string_view path, const Value& value) {
    const std::size_t dot = path.find('.');
    const std::string name(path.substr(0, dot));
    return json::Object{
        {name, dot == std::string_view::npos ? value : wrapped(path.substr(dot + 1), value)}};
  }

  std::set<std::string> of_loops_;
};

}  // namespace

Guesses guesses_of(const workflow::CompiledWorkflow& workflow) {
  Collector collector;
  collector.steps(workflow.steps);
  collector.steps(workflow.on_failure);
  return std::move(collector).finish();
}

Value made_up_input(const Value& declared) {
  const Value* type = declared.find("type");
  const std::string name = type != nullptr && type->is_string() ? *type->if_string() : "string";
  if (name == "number" || name == "integer") return 1;
  if (name == "boolean") return true;
  if (name == "array") return json::Array{"one"};
  if (name == "object") return json::Object();
  return "made up";
}

std::vector<std::string> missing_inputs(const workflow::CompiledWorkflow& workflow,
                                        const json::Object& given) {
  std::vector<std::string> out;
  const Value* inputs = workflow.declared.find("inputs");
  if (inputs == nullptr || !inputs->is_object()) return out;
  for (const json::Member& input : *inputs->if_object()) {
    const Value* required = input.value.find("required");
    const bool is_required = required != nullptr && required->if_bool() && *required->if_bool();
    if (is_required && input.value.find("default") == nullptr && !given.contains(input.key)) {
      out.push_back(input.key);
    }
  }
  return out;
}

std::vector<std::vector<Value>> guessed_results(const Pending& pending, const Value& example) {
  using json::Array;
  using json::Object;
  constexpr std::ptrdiff_t choices_max = 8;
  if (!behaviour_of(pending.kind).asks_user) {
    std::vector<Value> like_it{example};
    if (example.is_array()) like_it.emplace_back(Array());
    return {like_it, {Object()}, {Array{"one"}, Array()}, {1, 0}, {true, false}};
  }
  if (const Value* choices = pending.definition.find("choices"); choices != nullptr) {
    const Array& all = *choices->if_array();
    return {{all.begin(), all.begin() + std::min(std::ssize(all), choices_max)}};
  }
  const Value* type = pending.definition.find("input_type");
  const std::string name = type != nullptr && type->is_string() ? *type->if_string() : "";
  if (name == "boolean") return {{true, false}};
  if (name != "number" && name != "integer") return {{example}, {Value()}};
  const Value* rules = pending.definition.find("validation");
  const Value* least = rules == nullptr ? nullptr : rules->find("min");
  return {{least == nullptr ? Value(1) : *least}};
}

}  // namespace baton::run
