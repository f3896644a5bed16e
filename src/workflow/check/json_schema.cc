#include "workflow/check/json_schema.h"

#include "base/schema/schema.h"
#include "base/text/text.h"
#include "workflow/check/closed_sets.h"
#include "workflow/check/key_help.h"
#include "workflow/check/shape.h"

namespace baton::workflow {
namespace {

using json::Array;
using json::Object;
using json::Value;

Value reference(std::string_view name) { return Object{{"$ref", cat("#/$defs/", name)}}; }

Array words_of(std::span<const std::string_view> words) {
  Array out;
  for (const std::string_view word : words) out.emplace_back(word);
  return out;
}

class Writer {
 public:
  Value document() {
    Object wrapped{
        {"type", "object"},
        {"properties",
         Object{{"workflow", Object{{"$ref", "#/$defs/workflow"}, {"description", "The workflow"}}},
                {"$schema", Object{{"description", "Where this schema is"}}}}},
        {"required", Array{"workflow"}}};
    Object out{{"$schema", schema::dialect_uri},
               {"title", "Baton workflow"},
               {"anyOf", Array{std::move(wrapped), reference("workflow")}}};
    Value document = of(document_shape());
    // Each system has words of its own for the same two things.
    document.if_object()->set(
        "allOf", Array{one_of({"id", "name"}), one_of({"steps", "phases", "sub_agent_tasks"})});
    definitions_.set("workflow", std::move(document));
    definitions_.set("step", step());
    definitions_.set("condition", condition());
    define(out);
    return out;
  }

  Value scenarios() {
    Object out{{"$schema", schema::dialect_uri}, {"title", "Baton scenarios"}};
    const Value file = of(scenario_shape());
    for (const json::Member& each : *file.if_object()) out.set(each.key, each.value);
    define(out);
    return out;
  }

 private:
  /// An object that has one of these keys at least.
  static Value one_of(std::initializer_list<std::string_view> keys) {
    Array each;
    for (const std::string_view key : keys) each.push_back(Object{{"required", Array{key}}});
    return Object{{"anyOf", std::move(each)}};
  }

  void define(Object& out) {
    while (!open_.empty()) {
      const Shape* shape = open_.back();
      open_.pop_back();
      definitions_.set(name_of(*shape), inner(*shape));
    }
    if (!definitions_.empty()) out.set("$defs", std::move(definitions_));
  }

  /// Recursive shapes are definitions; the others are inlined.
  static bool is_named(const Shape& shape) { return shape.kind == ShapeKind::choice; }

  std::string name_of(const Shape& shape) {
    for (std::size_t i = 0; i < named_.size(); ++i) {
      if (named_[i] == &shape) return cat("choice", i + 1);
    }
    named_.push_back(&shape);
    open_.push_back(&shape);
    return cat("choice", named_.size());
  }

  Value of(const Shape& shape) {
    if (is_named(shape)) return reference(name_of(shape));
    return inner(shape);
  }

  Value inner(const Shape& shape) {
    switch (shape.kind) {
      case ShapeKind::any: return true;
      case ShapeKind::text: return text(shape);
      case ShapeKind::boolean: return Object{{"type", "boolean"}};
      case ShapeKind::integer: return number("integer", shape);
      case ShapeKind::number: return number("number", shape);
      case ShapeKind::list: return list(shape);
      case ShapeKind::map:
        return Object{{"type", "object"}, {"additionalProperties", of(*shape.item)}};
      case ShapeKind::object: return object(shape.keys, {}, shape.open);
      case ShapeKind::choice: break;
      case ShapeKind::condition: return reference("condition");
      case ShapeKind::step: return reference("step");
    }
    Array choices;
    for (const Shape* each : shape.choices) choices.push_back(of(*each));
    return Object{{"anyOf", std::move(choices)}};
  }

  static Value text(const Shape& shape) {
    Object out{{"type", "string"}};
    if (!shape.words.empty()) out.set("enum", words_of(shape.words));
    if (shape.min > 0) out.set("minLength", shape.min);
    return out;
  }

  static Value number(std::string_view type, const Shape& shape) {
    Object out{{"type", type}};
    if (shape.min != std::numeric_limits<std::int64_t>::min()) out.set("minimum", shape.min);
    if (shape.max != std::numeric_limits<std::int64_t>::max()) out.set("maximum", shape.max);
    return out;
  }

  Value list(const Shape& shape) {
    Object out{{"type", "array"}, {"items", of(*shape.item)}};
    if (shape.min > 0) out.set("minItems", shape.min);
    return out;
  }

  Value object(std::span<const Key> keys, std::span<const Key> more, bool open) {
    Object properties;
    Array required;
    for (const std::span<const Key> each : {keys, more}) {
      for (const Key& key : each) {
        Value value = of(*key.shape);
        if (!value.is_object()) value = Object();
        const std::string_view help = help_of(key);
        if (!key.canonical.empty()) {
          value.if_object()->set("description", cat("Another spelling of ", key.canonical));
        } else if (!help.empty()) {
          value.if_object()->set("description", help);
        }
        properties.set(key.name, std::move(value));
        if (key.rule == KeyRule::required) required.emplace_back(key.name);
      }
    }
    Object out{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) out.set("required", std::move(required));
    if (!open) out.set("additionalProperties", false);
    return out;
  }

  /// By the type that is said; without one, the keys of a prompt.
  Value step() {
    Array names;
    Array cases;
    for (const StepType& type : step_types()) {
      names.emplace_back(type.name);
      Value keys = object(type.keys, common_step_keys(), false);
      if (type.name == "prompt") {
        const Value opened =
            one_of({"prompt", "promptBlocks", "promptFragments", "agent", "templateCall", "title"});
        keys.if_object()->set("anyOf", *opened.find("anyOf"));
        definitions_.set("prompt", keys);
      }
      Object when{{"properties", Object{{"type", Object{{"const", type.name}}}}},
                  {"required", Array{"type"}}};
      Value then = type.name == "prompt" ? reference("prompt") : std::move(keys);
      cases.push_back(Object{{"if", std::move(when)}, {"then", std::move(then)}});
    }
    cases.push_back(Object{{"if", Object{{"not", Object{{"required", Array{"type"}}}}}},
                           {"then", reference("prompt")}});
    return Object{{"type", "object"},
                  {"properties", Object{{"type", Object{{"enum", std::move(names)},
                                                        {"description", "What the step does"}}}}},
                  {"allOf", std::move(cases)}};
  }

  static Value condition() {
    Object properties;
    for (const Builtin& each : condition_operators()) {
      properties.set(each.id, Object{{"description", each.help}});
    }
    const Object several{{"type", "array"}, {"minItems", 1}, {"items", reference("condition")}};
    const auto told = [&](std::string_view key, Object value, std::string_view help) {
      value.set("description", help);
      properties.set(key, std::move(value));
    };
    told("var", {{"type", "string"}}, "A name of the context or the state");
    told("and", several, "All of these must hold");
    told("or", several, "One of these must hold");
    told("not", {{"$ref", "#/$defs/condition"}}, "This must not hold");
    Object object{
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    return Object{{"anyOf", Array{Object{{"type", "string"}, {"minLength", 1}},
                                  Object{{"type", "boolean"}}, std::move(object)}}};
  }

  Object definitions_;
  std::vector<const Shape*> named_;
  std::vector<const Shape*> open_;
};

}  // namespace

json::Value language_schema() { return Writer().document(); }

json::Value scenario_schema() { return Writer().scenarios(); }

}  // namespace baton::workflow
