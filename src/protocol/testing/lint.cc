#include "protocol/testing/lint.h"

#include <algorithm>

#include "base/text/text.h"
#include "protocol/names.h"

namespace baton::protocol {
namespace {

// Refused at the root by one vendor's interface, or unknown to another's.
constexpr std::string_view root_compositions[] = {"oneOf", "anyOf", "allOf", "not", "if"};

class Linter {
 public:
  explicit Linter(const Tool& tool) : tool_(tool) {}

  std::vector<std::string> run() {
    if (!is_offered_name(tool_.name) || tool_.name.size() > surface_tool_name_bytes_max) {
      say("name", cat("is not [a-z][a-z0-9_]* of at most ", surface_tool_name_bytes_max));
    }
    if (tool_.title.empty()) say("title", "is empty");
    if (tool_.description.empty()) say("description", "is empty");
    if (tool_.description.size() > limits::tool_description_bytes_max) {
      say("description", cat("is longer than ", limits::tool_description_bytes_max, " bytes"));
    }
    root("input schema", tool_.input_schema);
    properties("input schema", tool_.input_schema);
    if (!tool_.output_schema.is_null()) root("output schema", tool_.output_schema);
    return std::move(problems_);
  }

 private:
  void say(std::string_view place, std::string_view what) {
    problems_.push_back(cat(tool_.name, ": ", place, ' ', what));
  }

  void root(std::string_view place, const json::Value& schema) {
    const json::Value* const type = schema.find("type");
    if (type == nullptr || *type != json::Value("object")) say(place, "is not of type object");
    for (const std::string_view keyword : root_compositions) {
      if (schema.find(keyword) != nullptr) say(place, cat("has ", keyword, " at its root"));
    }
    plain(place, schema);
  }

  /// What some clients cannot read, at any level. Goes no deeper than the tool's own schema.
  void plain(std::string_view place, const json::Value& schema) {
    if (schema.if_bool() != nullptr) say(place, "is a boolean");
    for (const std::string_view keyword : {"$ref", "$defs", "$dynamicRef"}) {
      if (schema.find(keyword) != nullptr) say(place, cat("has ", keyword));
    }
    const json::Value* const type = schema.find("type");
    if (type != nullptr && type->is_array()) say(place, "names several types");
    if (type != nullptr && *type == json::Value("array") && schema.find("items") == nullptr) {
      say(place, "is an array without items");
    }
    if (const json::Value* const items = schema.find("items")) plain(cat(place, "/items"), *items);
    if (const json::Value* const listed = schema.find("properties")) {
      for (const auto& [name, each] : *listed->if_object()) plain(cat(place, '/', name), each);
    }
  }

  /// Every argument says what it is for.
  void properties(std::string_view place, const json::Value& schema) {
    const json::Value* const listed = schema.find("properties");
    if (listed == nullptr) return;
    for (const auto& [name, each] : *listed->if_object()) {
      const std::string below = cat(place, '/', name);
      const json::Value* const description = each.find("description");
      const std::string* const text = description == nullptr ? nullptr : description->if_string();
      if (text == nullptr || text->empty()) say(below, "is not described");
      properties(below, each);
    }
  }

  const Tool& tool_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> lint(const Tool& tool) { return Linter(tool).run(); }

}  // namespace baton::protocol
