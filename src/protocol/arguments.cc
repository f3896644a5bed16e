#include "protocol/arguments.h"

#include <string>
#include <vector>

#include "base/text/text.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

/// Counts every problem and words the first few.
struct Problems {
  std::vector<std::string> told;
  std::size_t count = 0;

  bool wants_words() const { return told.size() < limits::problems_reported_max; }
  void add(std::string words) {
    ++count;
    if (wants_words()) told.push_back(std::move(words));
  }
};

/// The one type a schema names, or nothing for none or several.
std::string_view type_of(const json::Value& schema) {
  const json::Value* const type = schema.find("type");
  return type != nullptr && type->is_string() ? *type->if_string() : std::string_view{};
}

void parse_if_meant(const json::Value& schema, json::Value& value) {
  const std::string_view type = type_of(schema);
  if (!value.is_string() || (type != "array" && type != "object")) return;
  Result<json::Value> parsed = json::parse(*value.if_string());
  if (parsed && json::name_of(parsed->type()) == type) value = std::move(*parsed);
}

/// True when names that `properties` does not list are welcome. Without `properties`, only the
/// root is closed: a nested object without them is a free map.
bool is_open(const json::Value& schema, bool root) {
  if (schema.find("patternProperties") != nullptr) return true;
  const json::Value* const more = schema.find("additionalProperties");
  if (more != nullptr) return *more != json::Value(false);
  return !root && schema.find("properties") == nullptr;
}

void refuse_name(const json::Object* properties, std::string_view place, std::string_view name,
                 Problems& problems) {
  if (!problems.wants_words()) {
    ++problems.count;
    return;
  }
  std::vector<std::string_view> names;
  if (properties != nullptr) {
    for (const auto& [known, schema] : *properties) names.push_back(known);
  }
  std::string problem = cat(in_quotes(cat(place, '/', name)), " is unknown");
  if (const auto near = nearest(name, names)) {
    problem += cat("; did you mean '", *near, "'?");
  } else if (names.empty()) {
    problem += "; no arguments are expected";
  } else {
    problem += "; the known ones are ";
    for (std::size_t i = 0; i < names.size(); ++i) problem += cat(i == 0 ? "" : ", ", names[i]);
  }
  problems.add(std::move(problem));
}

void repair(const json::Value& schema, json::Value& value, const std::string& place,
            Problems& problems);

void repair_object(const json::Value& schema, json::Object& object, const std::string& place,
                   Problems& problems) {
  const json::Value* const listed = schema.find("properties");
  const json::Object* const properties = listed != nullptr ? listed->if_object() : nullptr;
  const bool open = is_open(schema, place.empty());
  json::Object kept;
  kept.reserve(object.size());
  for (auto& [name, member] : object) {
    const json::Value* const known = properties != nullptr ? properties->find(name) : nullptr;
    if (known == nullptr && !open) {
      if (!member.is_null()) refuse_name(properties, place, name, problems);
      continue;
    }
    if (known != nullptr) {
      if (member.is_null() && !type_of(*known).empty() && type_of(*known) != "null") continue;
      repair(*known, member, cat(place, '/', name), problems);
    }
    kept.append_new(std::move(name), std::move(member));
  }
  object = std::move(kept);
}

// Goes no deeper than the tool's own schema.
void repair(const json::Value& schema, json::Value& value, const std::string& place,
            Problems& problems) {
  parse_if_meant(schema, value);
  if (json::Object* const object = value.if_object()) {
    repair_object(schema, *object, place, problems);
    return;
  }
  const json::Value* const items = schema.find("items");
  json::Array* const array = value.if_array();
  if (items == nullptr || array == nullptr) return;
  for (std::size_t i = 0; i < array->size(); ++i) {
    repair(*items, (*array)[i], cat(place, '/', i), problems);
  }
}

std::string sentence(std::string_view tool, const Problems& problems) {
  std::string out = cat("The arguments of ", tool, " are not valid: ");
  for (std::size_t i = 0; i < problems.told.size(); ++i) {
    out += cat(i == 0 ? "" : "; ", problems.told[i]);
  }
  const std::size_t untold = problems.count - problems.told.size();
  if (untold > 0) return cat(out, "; and ", untold, " more.");
  return out.ends_with('?') ? out : cat(out, '.');
}

}  // namespace

std::optional<json::Object> read_arguments(const json::Object& params) {
  const json::Value* const given = params.find("arguments");
  if (given == nullptr || given->is_null()) return json::Object{};
  if (const json::Object* const object = given->if_object()) return *object;
  const std::string* const text = given->if_string();
  if (text == nullptr) return std::nullopt;
  Result<json::Value> parsed = json::parse(*text);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  return std::move(*parsed->if_object());
}

Result<json::Object> accept_arguments(const CheckedTool& entry, json::Object arguments) {
  const std::string& name = entry.tool.name;
  Problems problems;
  repair_object(entry.tool.input_schema, arguments, {}, problems);
  json::Value value(std::move(arguments));
  for (schema::SchemaProblem& problem : entry.input.validate(value)) {
    problems.add(std::move(problem.message));
  }
  if (problems.count == 0) return std::move(*value.if_object());
  return fail(Code::INVALID_INPUT, sentence(name, problems),
              cat("Nothing was changed. Correct the arguments and call ", name, " again."));
}

}  // namespace baton::protocol
