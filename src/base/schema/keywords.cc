// What each keyword may hold and where it goes in the node.

#include <algorithm>
#include <array>

#include "base/schema/compiler.h"
#include "base/schema/uri.h"
#include "base/schema/value.h"
#include "base/text/text.h"

namespace baton::schema {
namespace {

using json::Value;

template <class Rules>
Rules& ensure(std::unique_ptr<Rules>& rules) {
  if (!rules) rules = std::make_unique<Rules>();
  return *rules;
}

std::optional<std::size_t> as_count(const Value& value) {
  if (!is_whole(value) || value.as_double() < 0) return std::nullopt;
  if (const std::int64_t* integer = value.if_int()) return static_cast<std::size_t>(*integer);
  constexpr double too_large = 1e18;
  return value.as_double() >= too_large ? unbounded : static_cast<std::size_t>(value.as_double());
}

std::optional<std::uint8_t> type_bits(const Value& name) {
  const std::string* text = name.if_string();
  if (text == nullptr) return std::nullopt;
  for (const json::Type type : {json::Type::null, json::Type::boolean, json::Type::integer,
                                json::Type::string, json::Type::array, json::Type::object}) {
    if (*text == json::name_of(type)) return bit_of(type);
  }
  if (*text != "number") return std::nullopt;
  return static_cast<std::uint8_t>(bit_of(json::Type::number) | bit_of(json::Type::integer));
}

/// The values of a choice for a message: all when they are short, else as many as fit.
std::string listed(const json::Array& values) {
  constexpr std::size_t bytes_max = 3 * limits::schema_shown_bytes_max;
  std::string out;
  for (const Value& value : values) {
    if (out.size() > bytes_max) {
      out += ", ...";
      break;
    }
    out += out.empty() ? "" : ", ";
    out += shown(value);
  }
  return out;
}

bool is_anchor_name(std::string_view text) {
  const auto is_start = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !is_start(text.front())) return false;
  return std::ranges::all_of(
      text, [&](char c) { return is_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; });
}

}  // namespace

std::span<const SchemaCompiler::Keyword> SchemaCompiler::keywords() {
  using C = SchemaCompiler;
  static constexpr Keyword table[] = {
      {"$anchor", core, &C::anchors},
      {"$defs", core, &C::definitions},
      {"$dynamicAnchor", core, &C::anchors},
      {"$dynamicRef", core, &C::reference},
      {"$id", core, &C::id},
      {"$ref", core, &C::reference},
      {"additionalProperties", applicator, &C::single},
      {"allOf", applicator, &C::branches},
      {"anyOf", applicator, &C::branches},
      {"const", validation, &C::choice},
      {"contains", applicator, &C::single},
      {"contentSchema", annotation, &C::single},
      {"dependencies", applicator, &C::dependencies},
      {"dependentRequired", validation, &C::dependent_required},
      {"dependentSchemas", applicator, &C::properties},
      {"else", applicator, &C::single},
      {"enum", validation, &C::choice},
      {"exclusiveMaximum", validation, &C::number},
      {"exclusiveMinimum", validation, &C::number},
      {"if", applicator, &C::single},
      {"items", applicator, &C::single},
      {"maxContains", validation, &C::count},
      {"maxItems", validation, &C::count},
      {"maxLength", validation, &C::count},
      {"maxProperties", validation, &C::count},
      {"maximum", validation, &C::number},
      {"minContains", validation, &C::count},
      {"minItems", validation, &C::count},
      {"minLength", validation, &C::count},
      {"minProperties", validation, &C::count},
      {"minimum", validation, &C::number},
      {"multipleOf", validation, &C::number},
      {"not", applicator, &C::single},
      {"oneOf", applicator, &C::branches},
      {"pattern", validation, &C::pattern},
      {"patternProperties", applicator, &C::pattern_properties},
      {"prefixItems", applicator, &C::branches},
      {"properties", applicator, &C::properties},
      {"propertyNames", applicator, &C::single},
      {"required", validation, &C::required},
      {"then", applicator, &C::single},
      {"type", validation, &C::type},
      {"unevaluatedItems", unevaluated, &C::single},
      {"unevaluatedProperties", unevaluated, &C::single},
      {"uniqueItems", validation, &C::unique},
  };
  static_assert(std::ranges::is_sorted(table, {}, &Keyword::name));
  return table;
}

const SchemaCompiler::Keyword* SchemaCompiler::find_keyword(std::string_view name) {
  const auto table = keywords();
  const auto found = std::ranges::lower_bound(table, name, {}, &Keyword::name);
  return found != table.end() && found->name == name ? &*found : nullptr;
}

Result<Node*> SchemaCompiler::child(Node& into, std::string_view keyword, std::string_view key,
                                    const Value& value) {
  return node(value, &into, cat('/', keyword, '/', pointer_token(key)), into.resource);
}

Result<Node*> SchemaCompiler::child(Node& into, std::string_view keyword, const Value& value) {
  return node(value, &into, cat('/', keyword), into.resource);
}

// --- core --------------------------------------------------------------------------------------

Result<void> SchemaCompiler::id(Node& into, std::string_view keyword, const Value& value) {
  // Its meaning was taken before the keywords were read: it decides how the others resolve.
  if (value.is_string()) return {};
  return refuse(into, keyword, "expected a string");
}

Result<void> SchemaCompiler::anchors(Node& into, std::string_view keyword, const Value& value) {
  const std::string* name = value.if_string();
  if (name == nullptr || !is_anchor_name(*name)) {
    return refuse(into, keyword, "expected a name of letters, digits, '-', '_' and '.'");
  }
  return anchor(into, *name, keyword == "$dynamicAnchor");
}

Result<void> SchemaCompiler::reference(Node& into, std::string_view keyword, const Value& value) {
  const std::string* text = value.if_string();
  if (text == nullptr) return refuse(into, keyword, "expected a string");
  ensure(into.logic);
  references_.push_back({&into, resolve_uri(into.resource->uri, *text), keyword == "$dynamicRef"});
  return {};
}

Result<void> SchemaCompiler::definitions(Node& into, std::string_view keyword, const Value& value) {
  const json::Object* object = value.if_object();
  if (object == nullptr) return refuse(into, keyword, "expected an object");
  for (const json::Member& member : *object) {
    [[maybe_unused]] const Node* made = TRY(child(into, keyword, member.key, member.value));
  }
  return {};
}

// --- applicators -------------------------------------------------------------------------------

Result<void> SchemaCompiler::branches(Node& into, std::string_view keyword, const Value& value) {
  const json::Array* array = value.if_array();
  if (array == nullptr || array->empty()) {
    return refuse(into, keyword, "expected an array of at least one schema");
  }
  std::vector<const Node*> made;
  for (std::size_t i = 0; i < array->size(); ++i) {
    made.push_back(TRY(child(into, keyword, cat(i), (*array)[i])));
  }
  if (keyword == "prefixItems") {
    ensure(into.array).prefix = std::move(made);
  } else if (keyword == "allOf") {
    ensure(into.logic).all_of = std::move(made);
  } else if (keyword == "anyOf") {
    ensure(into.logic).any_of = std::move(made);
  } else {
    ensure(into.logic).one_of = std::move(made);
  }
  return {};
}

Result<void> SchemaCompiler::single(Node& into, std::string_view keyword, const Value& value) {
  const Node* made = TRY(child(into, keyword, value));
  if (keyword == "items") {
    ensure(into.array).items = made;
  } else if (keyword == "contains") {
    ensure(into.array).contains = made;
  } else if (keyword == "unevaluatedItems") {
    ensure(into.array).unevaluated = made;
    into.tracks = true;
  } else if (keyword == "additionalProperties") {
    ensure(into.object).additional = made;
  } else if (keyword == "propertyNames") {
    ensure(into.object).property_names = made;
  } else if (keyword == "unevaluatedProperties") {
    ensure(into.object).unevaluated = made;
    into.tracks = true;
  } else if (keyword == "not") {
    ensure(into.logic).negated = made;
  } else if (keyword == "if") {
    ensure(into.logic).condition = made;
  } else if (keyword == "then") {
    ensure(into.logic).then_branch = made;
  } else if (keyword == "else") {
    ensure(into.logic).else_branch = made;
  }
  return {};  // contentSchema is compiled, so that it may be referred to, and asserts nothing
}

Result<void> SchemaCompiler::properties(Node& into, std::string_view keyword, const Value& value) {
  const json::Object* object = value.if_object();
  if (object == nullptr) return refuse(into, keyword, "expected an object");
  ensure(into.object);
  for (const json::Member& member : *object) {
    const Node* made = TRY(child(into, keyword, member.key, member.value));
    NameRule& rule = names_[&into][member.key].rule;
    if (keyword == "properties") {
      rule.schema = made;
    } else {
      rule.dependents.push_back(made);
    }
  }
  return {};
}

Result<void> SchemaCompiler::pattern_properties(Node& into, std::string_view keyword,
                                                const Value& value) {
  const json::Object* object = value.if_object();
  if (object == nullptr) return refuse(into, keyword, "expected an object");
  for (const json::Member& member : *object) {
    Pattern made = TRY(new_pattern(into, keyword, member.key));
    const Node* schema = TRY(child(into, keyword, member.key, member.value));
    ensure(into.object).patterns.push_back({std::move(made), schema});
  }
  return {};
}

// --- validation --------------------------------------------------------------------------------

Result<void> SchemaCompiler::type(Node& into, std::string_view keyword, const Value& value) {
  unsigned bits = 0;
  const json::Array* several = value.if_array();
  for (const Value& name : several != nullptr ? *several : json::Array{value}) {
    const auto known = type_bits(name);
    if (!known) {
      return refuse(into, keyword,
                    cat(shown(name),
                        " is not a type; the types are null, boolean, integer, "
                        "number, string, array and object"));
    }
    bits |= *known;
  }
  if (bits == 0) return refuse(into, keyword, "expected at least one type");
  into.types = static_cast<std::uint8_t>(bits);
  return {};
}

Result<void> SchemaCompiler::choice(Node& into, std::string_view keyword, const Value& value) {
  const bool constant = keyword == "const";
  if (!constant && !value.is_array()) return refuse(into, keyword, "expected an array");
  const json::Array& values = constant ? json::Array{value} : *value.if_array();
  auto made = std::make_unique<Choice>();
  for (const Value& allowed : values) {
    made->keys.push_back(key_of(allowed));
    if (allowed.is_string()) made->words.push_back(*allowed.if_string());
  }
  std::ranges::sort(made->keys);
  made->listed = listed(values);
  (constant ? into.constant : into.enumeration) = std::move(made);
  return {};
}

Result<void> SchemaCompiler::number(Node& into, std::string_view keyword, const Value& value) {
  if (!value.is_number()) return refuse(into, keyword, "expected a number");
  NumberRules& rules = ensure(into.number);
  if (keyword == "minimum") {
    rules.minimum = value;
  } else if (keyword == "maximum") {
    rules.maximum = value;
  } else if (keyword == "exclusiveMinimum") {
    rules.exclusive_minimum = value;
  } else if (keyword == "exclusiveMaximum") {
    rules.exclusive_maximum = value;
  } else {
    if (value.as_double() <= 0) return refuse(into, keyword, "expected a number above 0");
    rules.multiple_of = value;
  }
  return {};
}

Result<void> SchemaCompiler::count(Node& into, std::string_view keyword, const Value& value) {
  const auto count = as_count(value);
  if (!count) return refuse(into, keyword, "expected a whole number that is not negative");
  const std::string_view what = keyword.substr(3);
  const bool least = keyword.starts_with("min");
  if (what == "Length") {
    StringRules& rules = ensure(into.string);
    (least ? rules.length_min : rules.length_max) = *count;
  } else if (what == "Items") {
    ArrayRules& rules = ensure(into.array);
    (least ? rules.items_min : rules.items_max) = *count;
  } else if (what == "Contains") {
    ArrayRules& rules = ensure(into.array);
    (least ? rules.contains_min : rules.contains_max) = *count;
  } else {
    ObjectRules& rules = ensure(into.object);
    (least ? rules.properties_min : rules.properties_max) = *count;
  }
  return {};
}

Result<Pattern> SchemaCompiler::new_pattern(const Node& at, std::string_view keyword,
                                            std::string_view text) {
  if (++patterns_ > limits::schema_patterns_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the schema has more than ", limits::schema_patterns_max, " patterns"));
  }
  Result<Pattern> made = Pattern::compile(text);
  if (made || made.error().code != Code::INVALID_SCHEMA) return made;
  return refuse(at, keyword, made.error().message);
}

Result<void> SchemaCompiler::pattern(Node& into, std::string_view keyword, const Value& value) {
  const std::string* text = value.if_string();
  if (text == nullptr) return refuse(into, keyword, "expected a string");
  ensure(into.string).pattern = TRY(new_pattern(into, keyword, *text));
  return {};
}

Result<void> SchemaCompiler::unique(Node& into, std::string_view keyword, const Value& value) {
  const bool* flag = value.if_bool();
  if (flag == nullptr) return refuse(into, keyword, "expected a boolean");
  ensure(into.array).unique = *flag;
  return {};
}

Result<void> SchemaCompiler::required(Node& into, std::string_view keyword, const Value& value) {
  const json::Array* array = value.if_array();
  if (array == nullptr) return refuse(into, keyword, "expected an array of strings");
  ensure(into.object);
  for (const Value& name : *array) {
    if (!name.is_string()) return refuse(into, keyword, "expected an array of strings");
    names_[&into][*name.if_string()].rule.required = true;
  }
  return {};
}

Result<void> SchemaCompiler::dependent_required(Node& into, std::string_view keyword,
                                                const Value& value) {
  const json::Object* object = value.if_object();
  if (object == nullptr) return refuse(into, keyword, "expected an object of arrays");
  ensure(into.object);
  for (const json::Member& member : *object) TRY(needs(into, keyword, member));
  return {};
}

Result<void> SchemaCompiler::needs(Node& into, std::string_view keyword,
                                   const json::Member& member) {
  const json::Array* array = member.value.if_array();
  if (array == nullptr) return refuse(into, keyword, "expected an object of arrays");
  PendingName& pending = names_[&into][member.key];
  for (const Value& name : *array) {
    if (!name.is_string()) return refuse(into, keyword, "expected arrays of strings");
    pending.needs.push_back(*name.if_string());
  }
  return {};
}

/// The older keyword that became dependentRequired and dependentSchemas.
Result<void> SchemaCompiler::dependencies(Node& into, std::string_view keyword,
                                          const Value& value) {
  const json::Object* object = value.if_object();
  if (object == nullptr) return refuse(into, keyword, "expected an object");
  ensure(into.object);
  for (const json::Member& member : *object) {
    if (member.value.is_array()) {
      TRY(needs(into, keyword, member));
    } else {
      const Node* made = TRY(child(into, keyword, member.key, member.value));
      names_[&into][member.key].rule.dependents.push_back(made);
    }
  }
  return {};
}

}  // namespace baton::schema
