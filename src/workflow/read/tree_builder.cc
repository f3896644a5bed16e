#include "workflow/read/tree_builder.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::workflow {
namespace {

/// Objects of fewer keys are searched from end to end.
constexpr std::size_t keys_scanned_max = 16;
constexpr std::size_t key_shown_bytes_max = 64;
/// Room for what checking adds to most objects: the type of a step.
constexpr std::size_t spare_keys = 1;
/// The position of the key whose value will be dropped.
constexpr SourcePlace nowhere{.file = std::numeric_limits<std::uint32_t>::max()};

}  // namespace

SyntaxNode* TreeBuilder::scalar(const SourcePlace& at) {
  return count(at) ? &add(json::Type::null, at) : nullptr;
}

bool TreeBuilder::open(json::Type type, const SourcePlace& at) {
  if (!count(at)) return false;
  if (open_.size() >= limits::workflow_depth_max) {
    diagnostics_.error(Code::LIMIT_EXCEEDED, at,
                       cat("nested deeper than ", limits::workflow_depth_max, " levels"));
    return false;
  }
  open_.push_back({.at = nodes_.size(), .is_object = type == json::Type::object, .seen = {}});
  add(type, at);
  return true;
}

void TreeBuilder::close() {
  const Open& open = open_.back();
  const auto first = nodes_.begin() + static_cast<std::ptrdiff_t>(open.at) + 1;
  std::vector<SyntaxNode> children;
  if (first != nodes_.end()) {
    const auto found = static_cast<std::size_t>(nodes_.end() - first);
    children.reserve(found + (open.is_object ? spare_keys : 0));
    std::ranges::move(first, nodes_.end(), std::back_inserter(children));
    nodes_.erase(first, nodes_.end());
  }
  if (open.has_repeated) {
    std::erase_if(children, [](const SyntaxNode& child) { return child.key_at == nowhere; });
  }
  nodes_.back().children = std::move(children);
  open_.pop_back();
}

void TreeBuilder::key(std::string name, const SourcePlace& at) {
  Open& open = open_.back();
  const bool taken = is_taken(open, name);
  if (taken) {
    diagnostics_.error(
        Code::WORKFLOW_DUPLICATE_KEY, at,
        cat("the key \"", utf8::prefix(name, key_shown_bytes_max), "\" occurs twice"),
        "keep one of them");
    open.has_repeated = true;
  }
  key_ = std::move(name);
  key_at_ = taken ? nowhere : at;
  has_key_ = true;
}

SyntaxNode TreeBuilder::take() {
  ASSERT(open_.empty());
  return nodes_.empty() ? SyntaxNode() : std::move(nodes_.front());
}

bool TreeBuilder::count(const SourcePlace& at) {
  if (++count_ <= limits::workflow_nodes_max) return true;
  diagnostics_.error(Code::LIMIT_EXCEEDED, at,
                     cat("more than ", limits::workflow_nodes_max, " values in one document"));
  return false;
}

SyntaxNode& TreeBuilder::add(json::Type type, const SourcePlace& at) {
  SyntaxNode& node = nodes_.emplace_back();
  node.type = type;
  node.at = at;
  if (has_key_) {
    node.key = std::move(key_);
    node.key_at = key_at_;
    has_key_ = false;
  }
  return node;
}

bool TreeBuilder::is_taken(Open& open, const std::string& name) const {
  const auto children = std::span(nodes_).subspan(open.at + 1);
  if (children.size() < keys_scanned_max) {
    return std::ranges::find(children, name, &SyntaxNode::key) != children.end();
  }
  if (open.seen.empty()) {
    for (const SyntaxNode& child : children) open.seen.insert(child.key);
  }
  return !open.seen.insert(name).second;
}

}  // namespace baton::workflow
