#pragma once
// The compiled form of a schema: nodes, one per subschema, joined by pointers. Internal to
// base/schema*.cc. Built by Compiler, immutable afterwards.

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/schema/pattern.h"

namespace baton::schema {

struct Node;

/// Where a document's base URI changes: its root, or a subschema with `$id`.
struct SchemaResource {
  struct DynamicAnchor {
    std::uint32_t name;  // numbered by the compiler
    const Node* node;
  };
  std::string uri;
  const json::Value* root = nullptr;  // valid while compiling only
  std::uint8_t vocabularies = 0;
  std::vector<DynamicAnchor> dynamic_anchors;

  const Node* find(std::uint32_t name) const {
    for (const DynamicAnchor& anchor : dynamic_anchors) {
      if (anchor.name == name) return anchor.node;
    }
    return nullptr;
  }
};

/// `const` or `enum`: the value must be one of these.
struct Choice {
  std::vector<std::string> keys;   // of append_key, sorted
  std::vector<std::string> words;  // the strings among them, for suggestions
  std::string listed;              // for the message
};

struct NumberRules {
  std::optional<json::Value> minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;
};

inline constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

struct StringRules {
  std::size_t length_min = 0;
  std::size_t length_max = unbounded;
  std::optional<Pattern> pattern;
};

struct ArrayRules {
  std::size_t items_min = 0;
  std::size_t items_max = unbounded;
  bool unique = false;
  std::vector<const Node*> prefix;
  const Node* items = nullptr;
  const Node* contains = nullptr;
  std::size_t contains_min = 1;
  std::size_t contains_max = unbounded;
  const Node* unevaluated = nullptr;
};

/// All that a schema says of one property name.
struct NameRule {
  std::string name;
  const Node* schema = nullptr;         // properties
  bool required = false;                // required
  std::vector<std::size_t> needs;       // dependentRequired: indices of other names
  std::vector<const Node*> dependents;  // dependentSchemas
};

struct PatternRule {
  Pattern pattern;
  const Node* schema;
};

struct ObjectRules {
  std::size_t properties_min = 0;
  std::size_t properties_max = unbounded;
  std::vector<NameRule> names;  // sorted by name
  bool has_required = false;    // some name has `required`, `needs` or `dependent`
  std::vector<PatternRule> patterns;
  const Node* additional = nullptr;
  const Node* property_names = nullptr;
  const Node* unevaluated = nullptr;
};

/// Subschemas that look at the same value.
struct LogicRules {
  const Node* ref = nullptr;
  const Node* dynamic_ref = nullptr;              // where it points before the scope is looked at
  std::optional<std::uint32_t> dynamic_ref_name;  // set when the scope decides
  std::vector<const Node*> all_of, any_of, one_of;
  const Node* negated = nullptr;
  const Node* condition = nullptr;
  const Node* then_branch = nullptr;
  const Node* else_branch = nullptr;
};

inline constexpr std::uint8_t any_type = 0x7F;
constexpr std::uint8_t bit_of(json::Type type) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(type));
}

struct Node {
  // Its place in the schema: the parent's place and this token; a root has the whole place here.
  const Node* parent = nullptr;
  std::string token;
  std::size_t index = 0;
  SchemaResource* resource = nullptr;

  std::optional<bool> fixed;      // the schemas `true` and `false`
  std::uint8_t types = any_type;  // bits of json::Type; integer also covers whole doubles
  bool tracks = false;            // has unevaluatedItems or unevaluatedProperties
  std::unique_ptr<Choice> constant, enumeration;
  std::unique_ptr<NumberRules> number;
  std::unique_ptr<StringRules> string;
  std::unique_ptr<ArrayRules> array;
  std::unique_ptr<ObjectRules> object;
  std::unique_ptr<LogicRules> logic;
};

struct Program {
  std::deque<Node> nodes;
  std::deque<SchemaResource> resources;
  const Node* root = nullptr;
};

/// JSON Pointer of the node in its document, after "URI#" when that is not the main document.
std::string place_of(const Node& node);

/// Calls `visit` with every subschema of `node` that looks at the same value, but for one that
/// only the dynamic scope can tell.
template <class Visit>
void for_each_in_place(const Node& node, Visit visit) {
  const auto one = [&visit](const Node* child) {
    if (child != nullptr) visit(*child);
  };
  if (node.logic) {
    one(node.logic->ref);
    if (!node.logic->dynamic_ref_name) one(node.logic->dynamic_ref);
    for (const Node* child : node.logic->all_of) visit(*child);
    for (const Node* child : node.logic->any_of) visit(*child);
    for (const Node* child : node.logic->one_of) visit(*child);
    one(node.logic->negated);
    one(node.logic->condition);
    one(node.logic->then_branch);
    one(node.logic->else_branch);
  }
  if (node.object) {
    for (const NameRule& rule : node.object->names) {
      for (const Node* child : rule.dependents) visit(*child);
    }
  }
}

}  // namespace baton::schema
