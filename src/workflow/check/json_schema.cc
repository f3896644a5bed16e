#include "workflow/check/json_schema.h"

#include "base/schema/schema.h"
#include "base/text/text.h"
#include "workflow/check/closed_sets.h"
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
        {"properties", Object{{"workflow", reference("workflow")}, {"$schema", Object()}}},
        {"required", Array{"workflow"}}};
    Object out{{"$schema", schema::dialect_uri},
               {"title", "Baton workflow"},
               {"anyOf", Array{std::move(wrapped), reference("workflow")}}};
    definitions_.set("workflow", of(document_shape()));
    definitions_.set("step", step());
    definitions_.set("condition", condition());
    while (!open_.empty()) {
      const Shape* shape = open_.back();
      open_.pop_back();
      definitions_.set(name_of(*shape), inner(*shape));
    }
    out.set("$defs", std::move(definitions_));
    return out;
  }

 private:
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
        if (!key.help.empty() && value.is_object()) {
          value.if_object()->set("description", key.help);
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
      if (type.name == "prompt") definitions_.set("prompt", keys);
      Object when{{"properties", Object{{"type", Object{{"const", type.name}}}}},
                  {"required", Array{"type"}}};
      Value then = type.name == "prompt" ? reference("prompt") : std::move(keys);
      cases.push_back(Object{{"if", std::move(when)}, {"then", std::move(then)}});
    }
    cases.push_back(Object{{"if", Object{{"not", Object{{"required", Array{"type"}}}}}},
                           {"then", reference("prompt")}});
    return Object{{"type", "object"},
                  {"properties", Object{{"type", Object{{"enum", std::move(names)}}}}},
                  {"allOf", std::move(cases)}};
  }

  static Value condition() {
    Object properties;
    for (const Builtin& each : condition_operators()) {
      properties.set(each.id, Object{{"description", each.help}});
    }
    const Object several{{"type", "array"}, {"minItems", 1}, {"items", reference("condition")}};
    properties.set("var", Object{{"type", "string"}});
    properties.set("and", several);
    properties.set("or", several);
    properties.set("not", reference("condition"));
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

}  // namespace baton::workflow
