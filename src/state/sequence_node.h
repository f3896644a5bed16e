#pragma once
// The nodes of a Sequence, and what can be made of them: a B+ tree whose leaves hold the entries.
// Nodes never change. Private to sequence.h.

#include <algorithm>
#include <memory>
#include <vector>

namespace baton::state {

template <class Entry>
struct SequenceNode {
  using Node = SequenceNode;
  using Pointer = std::shared_ptr<const Node>;

  std::vector<Entry> entries;  // of a leaf
  std::vector<Pointer> children;
  std::size_t count = 0;
  std::size_t bytes = 0;
  std::size_t depth = 0;
  bool is_leaf() const { return children.empty(); }
  std::size_t width() const { return is_leaf() ? entries.size() : children.size(); }

  static constexpr std::size_t width_max = 32;
  static constexpr std::size_t joined_width_max = 24;  // of neighbours that become one

  static std::ptrdiff_t offset(std::size_t at) { return static_cast<std::ptrdiff_t>(at); }

  static Pointer leaf(std::vector<Entry> entries) {
    auto node = std::make_shared<Node>();
    node->entries = std::move(entries);
    node->count = node->entries.size();
    for (const Entry& each : node->entries) {
      node->bytes += bytes_of(each);
      node->depth = std::max(node->depth, depth_of(each));
    }
    return node;
  }

  static Pointer inner(std::vector<Pointer> children) {
    auto node = std::make_shared<Node>();
    node->children = std::move(children);
    for (const Pointer& each : node->children) {
      node->count += each->count;
      node->bytes += each->bytes;
      node->depth = std::max(node->depth, each->depth);
    }
    return node;
  }

  static const Entry& first_of(const Node& node) {
    const Node* at = &node;
    while (!at->is_leaf()) at = at->children.front().get();
    return at->entries.front();
  }

  /// The child that holds the position, which becomes one inside of it. `past_end`: a position
  /// right behind the last entry of a child belongs to that child.
  static std::size_t child_at(const Node& node, std::size_t& position, bool past_end) {
    std::size_t child = 0;
    while (child + 1 < node.children.size() &&
           position + (past_end ? 0 : 1) > node.children[child]->count) {
      position -= node.children[child]->count;
      ++child;
    }
    return child;
  }

  static Pointer replaced(const Node& node, std::size_t position, Entry entry) {
    if (node.is_leaf()) {
      std::vector<Entry> entries = node.entries;
      entries[position] = std::move(entry);
      return leaf(std::move(entries));
    }
    const std::size_t child = child_at(node, position, false);
    std::vector<Pointer> children = node.children;
    children[child] = replaced(*node.children[child], position, std::move(entry));
    return inner(std::move(children));
  }

  /// One node, or two when it became too wide. Appending leaves the first one full, so that a list
  /// that only grows is dense.
  static std::vector<Pointer> inserted(const Node& node, std::size_t position, Entry entry) {
    if (node.is_leaf()) {
      std::vector<Entry> entries = node.entries;
      entries.insert(entries.begin() + offset(position), std::move(entry));
      return split(std::move(entries), position,
                   [](std::vector<Entry> part) { return leaf(std::move(part)); });
    }
    const std::size_t child = child_at(node, position, true);
    std::vector<Pointer> made = inserted(*node.children[child], position, std::move(entry));
    std::vector<Pointer> children = node.children;
    children[child] = std::move(made.front());
    if (made.size() == 2) {
      children.insert(children.begin() + offset(child) + 1, std::move(made.back()));
    }
    return split(std::move(children), child + 1,
                 [](std::vector<Pointer> part) { return inner(std::move(part)); });
  }

  template <class Part, class Make>
  static std::vector<Pointer> split(std::vector<Part> parts, std::size_t changed,
                                    const Make& make) {
    if (parts.size() <= width_max) return {make(std::move(parts))};
    const std::size_t middle = changed + 1 == parts.size() ? width_max : parts.size() / 2;
    std::vector<Part> rest(std::make_move_iterator(parts.begin() + offset(middle)),
                           std::make_move_iterator(parts.end()));
    parts.resize(middle);
    return {make(std::move(parts)), make(std::move(rest))};
  }

  /// nullptr when nothing is left.
  static Pointer erased(const Node& node, std::size_t position) {
    if (node.is_leaf()) {
      if (node.entries.size() == 1) return nullptr;
      std::vector<Entry> entries = node.entries;
      entries.erase(entries.begin() + offset(position));
      return leaf(std::move(entries));
    }
    const std::size_t child = child_at(node, position, false);
    std::vector<Pointer> children = node.children;
    children[child] = erased(*node.children[child], position);
    if (!children[child]) {
      children.erase(children.begin() + offset(child));
      if (children.empty()) return nullptr;
    } else {
      join_neighbours(children, child);
    }
    return inner(std::move(children));
  }

  static void join_neighbours(std::vector<Pointer>& children, std::size_t child) {
    if (child + 1 == children.size() && child > 0) --child;
    if (child + 1 >= children.size()) return;
    const Node& left = *children[child];
    const Node& right = *children[child + 1];
    if (left.width() + right.width() > joined_width_max) return;
    if (left.is_leaf()) {
      std::vector<Entry> entries = left.entries;
      entries.insert(entries.end(), right.entries.begin(), right.entries.end());
      children[child] = leaf(std::move(entries));
    } else {
      std::vector<Pointer> both = left.children;
      both.insert(both.end(), right.children.begin(), right.children.end());
      children[child] = inner(std::move(both));
    }
    children.erase(children.begin() + offset(child) + 1);
  }

  template <class Visit>
  static void for_each(const Node& node, const Visit& visit) {
    for (const Entry& each : node.entries) visit(each);
    for (const Pointer& each : node.children) for_each(*each, visit);
  }

  /// REQUIRES: the same count.
  static bool equal(const Node& a, const Node& b) {
    if (&a == &b) return true;
    if (a.is_leaf() && b.is_leaf()) return a.entries == b.entries;
    const bool same_shape =
        std::ranges::equal(a.children, b.children, {}, &Node::count, &Node::count);
    if (!a.is_leaf() && same_shape) {
      return std::ranges::equal(
          a.children, b.children,
          [](const Pointer& left, const Pointer& right) { return equal(*left, *right); });
    }
    std::vector<const Entry*> left;
    std::vector<const Entry*> right;
    for_each(a, [&](const Entry& each) { left.push_back(&each); });
    for_each(b, [&](const Entry& each) { right.push_back(&each); });
    return std::ranges::equal(left, right, [](const Entry* x, const Entry* y) { return *x == *y; });
  }
};

}  // namespace baton::state
