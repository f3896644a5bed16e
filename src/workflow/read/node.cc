#include "workflow/read/node.h"

#include <algorithm>

namespace baton::workflow {

Node Node::of_text(std::string text, const Place& at) {
  Node node;
  node.type = json::Type::string;
  node.at = at;
  node.text = std::move(text);
  return node;
}

Node Node::of_integer(std::int64_t value, const Place& at) {
  Node node;
  node.type = json::Type::integer;
  node.at = at;
  node.integer = value;
  return node;
}

Node Node::object(const Place& at) {
  Node node;
  node.type = json::Type::object;
  node.at = at;
  return node;
}

Node Node::array(const Place& at) {
  Node node;
  node.type = json::Type::array;
  node.at = at;
  return node;
}

bool Node::is_true(std::string_view name) const {
  const Node* child = find(name);
  return child != nullptr && child->is_bool() && child->boolean;
}

Node& Node::set(std::string_view name, Node value) {
  value.key = name;
  if (value.key_at == Place{}) value.key_at = value.at;
  if (Node* existing = find(name)) {
    *existing = std::move(value);
    return *existing;
  }
  return children.emplace_back(std::move(value));
}

Node& Node::append(Node value) { return children.emplace_back(std::move(value)); }

bool Node::erase(std::string_view name) {
  return std::erase_if(children, [&](const Node& child) { return child.key == name; }) > 0;
}

std::optional<Node> Node::take(std::string_view name) {
  const Node* found = find(name);
  if (found == nullptr) return std::nullopt;
  const auto place = children.begin() + (found - children.data());
  std::optional<Node> out = std::move(*place);
  children.erase(place);
  return out;
}

json::Value Node::to_json() const {
  switch (type) {
    case json::Type::null: return nullptr;
    case json::Type::boolean: return boolean;
    case json::Type::integer: return integer;
    case json::Type::number: return number;
    case json::Type::string: return text;
    case json::Type::array: {
      json::Array out;
      out.reserve(children.size());
      for (const Node& child : children) out.push_back(child.to_json());
      return out;
    }
    case json::Type::object: break;
  }
  json::Object out;
  out.reserve(children.size());
  for (const Node& child : children) out.append_new(child.key, child.to_json());
  return out;
}

}  // namespace baton::workflow
