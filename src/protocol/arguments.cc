#include "protocol/arguments.h"

#include <algorithm>

#include "base/text.h"

namespace baton::protocol {
namespace {

using Problems = std::vector<std::string>;

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
  std::vector<std::string_view> names;
  if (properties != nullptr) {
    for (const auto& [known, schema] : *properties) names.push_back(known);
  }
  std::string problem = cat(place, '/', name, " is not known here");
  if (const auto near = nearest(name, names)) {
    problem += cat("; did you mean '", *near, "'?");
  } else if (names.empty()) {
    problem += "; nothing is expected";
  } else {
    problem += "; known are ";
    for (std::size_t i = 0; i < names.size(); ++i) problem += cat(i == 0 ? "" : ", ", names[i]);
  }
  problems.push_back(std::move(problem));
}

void repair(const json::Value& schema, json::Value& value, const std::string& place,
            Problems& problems);

void repair_object(const json::Value& schema, json::Object& object, const std::string& place,
                   Problems& problems) {
  const json::Value* const listed = schema.find("properties");
  const json::Object* const properties = listed != nullptr ? listed->if_object() : nullptr;
  const bool open = is_open(schema, place.empty());
  std::vector<std::string> dropped;
  for (auto& [name, member] : object) {
    const json::Value* const known = properties != nullptr ? properties->find(name) : nullptr;
    if (known == nullptr) {
      if (open) continue;
      if (!member.is_null()) refuse_name(properties, place, name, problems);
      dropped.push_back(name);
    } else if (member.is_null() && !type_of(*known).empty() && type_of(*known) != "null") {
      dropped.push_back(name);
    } else {
      repair(*known, member, cat(place, '/', name), problems);
    }
  }
  for (const std::string& name : dropped) object.erase(name);
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

void check_members(const json::Value& schema, const json::Object& object, const std::string& place,
                   Problems& problems) {
  const json::Value* const required = schema.find("required");
  if (required == nullptr || !required->is_array()) return;
  for (const json::Value& name : *required->if_array()) {
    if (!object.contains(*name.if_string())) {
      problems.push_back(cat(place, '/', *name.if_string(), " is required"));
    }
  }
}

std::string sentence(const Tool& tool, const Problems& problems) {
  std::string out = cat("The arguments of ", tool.name, " do not fit: ");
  const std::size_t shown = std::min(problems.size(), limits::problems_reported_max);
  for (std::size_t i = 0; i < shown; ++i) out += cat(i == 0 ? "" : "; ", problems[i]);
  if (problems.size() > shown) out += cat("; and ", problems.size() - shown, " more");
  return out + '.';
}

}  // namespace

std::vector<std::string> repair_arguments(const json::Value& schema, json::Object& arguments) {
  Problems problems;
  repair_object(schema, arguments, {}, problems);
  return problems;
}

Result<json::Object> accept_arguments(const Tool& tool, json::Object arguments) {
  Problems problems = repair_arguments(tool.input_schema, arguments);
  check_members(tool.input_schema, arguments, {}, problems);
  if (problems.empty()) return arguments;
  return fail(Code::INVALID_INPUT, sentence(tool, problems),
              cat("Nothing was changed. Correct the arguments and call ", tool.name, " again."));
}

}  // namespace baton::protocol
