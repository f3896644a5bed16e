#include "surface/reference.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::surface {
namespace {

using json::Value;

std::string_view text_at(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  return found != nullptr && found->is_string() ? std::string_view(*found->if_string())
                                                : std::string_view();
}

bool is_required(const Value& schema, std::string_view name) {
  const Value* required = schema.find("required");
  if (required == nullptr || !required->is_array()) return false;
  return std::ranges::any_of(*required->if_array(), [&](const Value& each) {
    return each.is_string() && *each.if_string() == name;
  });
}

std::string type_of(const Value& schema) {
  const Value* names = schema.find("enum");
  if (names == nullptr || !names->is_array()) {
    const Value* items = schema.find("items");
    const std::string type(text_at(schema, "type"));
    if (items != nullptr) return cat(type, " of ", text_at(*items, "type"), 's');
    return type.empty() ? "any" : type;
  }
  std::string out;
  for (const Value& each : *names->if_array()) {
    out += cat(out.empty() ? "" : ", ", '`', each.is_string() ? *each.if_string() : "", '`');
  }
  return out;
}

/// The properties of `schema` and of the objects in it, a row each.
void add_rows(std::string& out, const Value& schema, const std::string& prefix, bool is_input) {
  const Value* properties = schema.find("properties");
  if (properties == nullptr) return;
  for (const json::Member& property : *properties->if_object()) {
    const std::string name = cat(prefix, property.key);
    out += cat("| `", name, "` | ", type_of(property.value), " |");
    if (is_input) out += is_required(schema, property.key) ? " yes |" : "  |";
    const std::string_view description = text_at(property.value, "description");
    out += description.empty() ? " |\n" : cat(' ', description, " |\n");
    add_rows(out, property.value, cat(name, '.'), is_input);
  }
}

std::string facts_of(const protocol::ToolAnnotations& annotations) {
  return cat(annotations.read_only ? "Writes nothing." : "Writes to the run's log.",
             annotations.idempotent ? " Safe to call again." : " Each call does it again.");
}

}  // namespace

std::string reference(std::string_view opening, const std::vector<protocol::Tool>& tools) {
  std::string out(opening);
  for (const protocol::Tool& tool : tools) {
    out += cat("\n## ", tool.name, "\n\n*", tool.title, ".* ", tool.description, '\n');
    out += cat("\n", facts_of(tool.annotations),
               "\n\n| Argument | Type | Needed | |\n|---|---|---|---|\n");
    add_rows(out, tool.input_schema, "", true);
    out += "\n| Result | Type | |\n|---|---|---|\n";
    add_rows(out, tool.output_schema, "", false);
  }
  return out;
}

}  // namespace baton::surface
