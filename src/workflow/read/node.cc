#include "workflow/read/node.h"

#include <algorithm>

namespace baton::workflow {

SyntaxNode SyntaxNode::of_text(std::string text, const SourcePlace& at) {
  SyntaxNode node;
  node.type = json::Type::string;
  node.at = at;
  node.text = std::move(text);
  return node;
}

SyntaxNode SyntaxNode::of_integer(std::int64_t value, const SourcePlace& at) {
  SyntaxNode node;
  node.type = json::Type::integer;
  node.at = at;
  node.integer = value;
  return node;
}

SyntaxNode SyntaxNode::object(const SourcePlace& at) {
  SyntaxNode node;
  node.type = json::Type::object;
  node.at = at;
  return node;
}

SyntaxNode SyntaxNode::array(const SourcePlace& at) {
  SyntaxNode node;
  node.type = json::Type::array;
  node.at = at;
  return node;
}

bool SyntaxNode::is_true(std::string_view name) const {
  const SyntaxNode* child = find(name);
  return child != nullptr && child->is_bool() && child->boolean;
}

SyntaxNode& SyntaxNode::set(std::string_view name, SyntaxNode value) {
  value.key = name;
  if (value.key_at == SourcePlace{}) value.key_at = value.at;
  if (SyntaxNode* existing = find(name)) {
    *existing = std::move(value);
    return *existing;
  }
  return children.emplace_back(std::move(value));
}

SyntaxNode& SyntaxNode::append(SyntaxNode value) { return children.emplace_back(std::move(value)); }

bool SyntaxNode::erase(std::string_view name) {
  return std::erase_if(children, [&](const SyntaxNode& child) { return child.key == name; }) > 0;
}

std::optional<SyntaxNode> SyntaxNode::take(std::string_view name) {
  const SyntaxNode* found = find(name);
  if (found == nullptr) return std::nullopt;
  const auto place = children.begin() + (found - children.data());
  std::optional<SyntaxNode> out = std::move(*place);
  children.erase(place);
  return out;
}

json::Value SyntaxNode::to_json() const {
  switch (type) {
    case json::Type::null: return nullptr;
    case json::Type::boolean: return boolean;
    case json::Type::integer: return integer;
    case json::Type::number: return number;
    case json::Type::string: return text;
    case json::Type::array: {
      json::Array out;
      out.reserve(children.size());
      for (const SyntaxNode& child : children) out.push_back(child.to_json());
      return out;
    }
    case json::Type::object: break;
  }
  json::Object out;
  out.reserve(children.size());
  for (const SyntaxNode& child : children) out.append_new(child.key, child.to_json());
  return out;
}

}  // namespace baton::workflow
