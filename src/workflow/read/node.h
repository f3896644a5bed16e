#pragma once
// Node: a document as a tree in which every value and every key knows its place. What the readers
// of YAML, JSON and Markdown make, what the checks fix, and what is lowered. A value; not shared.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "workflow/read/source.h"

namespace baton::workflow {

struct SyntaxNode {
  json::Type type = json::Type::null;
  SourcePlace at;
  std::string key;  // of a child of an object
  SourcePlace key_at;
  std::string text;  // of a string
  union {
    std::int64_t integer = 0;  // of an integer
    double number;             // of a number
    bool boolean;              // of a boolean
  };
  std::vector<SyntaxNode> children;  // of an array or an object; keys are unique

  static SyntaxNode of_text(std::string text, const SourcePlace& at);
  static SyntaxNode of_integer(std::int64_t value, const SourcePlace& at);
  static SyntaxNode object(const SourcePlace& at);
  static SyntaxNode array(const SourcePlace& at);

  bool is_null() const { return type == json::Type::null; }
  bool is_bool() const { return type == json::Type::boolean; }
  bool is_text() const { return type == json::Type::string; }
  bool is_array() const { return type == json::Type::array; }
  bool is_object() const { return type == json::Type::object; }
  bool is_integer() const { return type == json::Type::integer; }
  bool is_number() const { return type == json::Type::integer || type == json::Type::number; }

  /// The child of that key, or nullptr. Inline: names are literals, which compare at once.
  const SyntaxNode* find(std::string_view name) const {
    if (!is_object()) return nullptr;
    for (const SyntaxNode& child : children) {
      if (child.key == name) return &child;
    }
    return nullptr;
  }
  SyntaxNode* find(std::string_view name) {
    return const_cast<SyntaxNode*>(std::as_const(*this).find(name));
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// The text of that key; empty when it is missing or no string.
  std::string_view text_of(std::string_view name) const {
    const SyntaxNode* child = find(name);
    return child != nullptr && child->is_text() ? std::string_view(child->text)
                                                : std::string_view();
  }

  /// Whether the key is there and true.
  bool is_true(std::string_view name) const;

  /// Replaces or adds a key of an object.
  SyntaxNode& set(std::string_view name, SyntaxNode value);
  SyntaxNode& append(SyntaxNode value);
  bool erase(std::string_view name);

  /// Moves the child of that key out.
  std::optional<SyntaxNode> take(std::string_view name);

  json::Value to_json() const;
};

}  // namespace baton::workflow
