#include "workflow/tree_builder.h"

#include "base/limits.h"
#include "base/text.h"
#include "base/utf8.h"

namespace baton::workflow {
namespace {

/// Objects of fewer keys are searched from end to end.
constexpr std::size_t keys_scanned_max = 16;
constexpr std::size_t key_shown_bytes_max = 64;

}  // namespace

bool TreeBuilder::scalar(Node node) {
  if (!count(node.at)) return false;
  add(std::move(node));
  return true;
}

bool TreeBuilder::open(json::Type type, const Place& at) {
  if (!count(at)) return false;
  if (open_.size() >= limits::workflow_depth_max) {
    diagnostics_.error(Code::LIMIT_EXCEEDED, at,
                       cat("nested deeper than ", limits::workflow_depth_max, " levels"));
    return false;
  }
  Open& top = open_.emplace_back();
  top.node.type = type;
  top.node.at = at;
  return true;
}

void TreeBuilder::close() {
  Node node = std::move(open_.back().node);
  open_.pop_back();
  add(std::move(node));
}

void TreeBuilder::key(std::string name, const Place& at) {
  Open& open = open_.back();
  open.drop = is_taken(open, name);
  if (open.drop) {
    diagnostics_.error(
        Code::WORKFLOW_DUPLICATE_KEY, at,
        cat("the key \"", utf8::prefix(name, key_shown_bytes_max), "\" is there twice"),
        "keep one of them");
  }
  open.key = std::move(name);
  open.key_at = at;
  open.has_key = true;
}

bool TreeBuilder::count(const Place& at) {
  if (++nodes_ <= limits::workflow_nodes_max) return true;
  diagnostics_.error(Code::LIMIT_EXCEEDED, at,
                     cat("more than ", limits::workflow_nodes_max, " values in one document"));
  return false;
}

void TreeBuilder::add(Node node) {
  if (open_.empty()) {
    root_ = std::move(node);
    return;
  }
  Open& open = open_.back();
  if (open.node.is_object()) {
    open.has_key = false;
    if (open.drop) return;
    node.key = std::move(open.key);
    node.key_at = open.key_at;
  }
  open.node.children.push_back(std::move(node));
}

bool TreeBuilder::is_taken(Open& open, const std::string& name) {
  const auto& children = open.node.children;
  if (children.size() < keys_scanned_max) return open.node.has(name);
  if (open.seen.empty()) {
    for (const Node& child : children) open.seen.insert(child.key);
  }
  return !open.seen.insert(name).second;
}

}  // namespace baton::workflow
