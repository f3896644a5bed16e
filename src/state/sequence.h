#pragma once
// Sequence: an immutable list of entries with structural sharing. A changed copy creates only the
// nodes on the way to the change, of limited width each. Private to tree.cc.
//
// Entry needs `std::size_t bytes_of(const Entry&)` and `std::size_t depth_of(const Entry&)`, whose
// sum and maximum are kept for the whole.

#include <algorithm>
#include <vector>

#include "state/sequence_node.h"

namespace baton::state {

template <class Entry>
class Sequence {
 public:
  Sequence() = default;

  /// In n: every node as full as it may be.
  static Sequence from(std::vector<Entry> entries) {
    if (entries.empty()) return {};
    std::vector<Pointer> level;
    for (std::size_t at = 0; at < entries.size(); at += Node::width_max) {
      const std::size_t end = std::min(entries.size(), at + Node::width_max);
      level.push_back(Node::leaf({std::make_move_iterator(entries.begin() + Node::offset(at)),
                                  std::make_move_iterator(entries.begin() + Node::offset(end))}));
    }
    while (level.size() > 1) {
      std::vector<Pointer> above;
      for (std::size_t at = 0; at < level.size(); at += Node::width_max) {
        const std::size_t end = std::min(level.size(), at + Node::width_max);
        above.push_back(
            Node::inner({level.begin() + Node::offset(at), level.begin() + Node::offset(end)}));
      }
      level = std::move(above);
    }
    return Sequence(std::move(level.front()));
  }

  std::size_t size() const { return root_ ? root_->count : 0; }
  std::size_t bytes() const { return root_ ? root_->bytes : 0; }
  std::size_t depth() const { return root_ ? root_->depth : 0; }

  /// REQUIRES: position < size().
  const Entry& operator[](std::size_t position) const {
    const Node* node = root_.get();
    while (!node->is_leaf()) {
      std::size_t child = 0;
      while (position >= node->children[child]->count) {
        position -= node->children[child]->count;
        ++child;
      }
      node = node->children[child].get();
    }
    return node->entries[position];
  }

  /// How many entries come before the first for which `is_before` is false. REQUIRES: they are in
  /// that order.
  template <class IsBefore>
  std::size_t partition_point(const IsBefore& is_before) const {
    std::size_t skipped = 0;
    const Node* node = root_.get();
    if (node == nullptr) return 0;
    while (!node->is_leaf()) {
      // The last child whose first entry is before holds the point, or ends at it.
      const auto after = std::partition_point(
          node->children.begin() + 1, node->children.end(),
          [&](const Pointer& child) { return is_before(Node::first_of(*child)); });
      for (auto child = node->children.begin(); child != after - 1; ++child) {
        skipped += (*child)->count;
      }
      node = (after - 1)->get();
    }
    const auto found = std::partition_point(node->entries.begin(), node->entries.end(), is_before);
    return skipped + static_cast<std::size_t>(found - node->entries.begin());
  }

  /// REQUIRES: position < size().
  Sequence replaced(std::size_t position, Entry entry) const {
    return Sequence(Node::replaced(*root_, position, std::move(entry)));
  }

  /// REQUIRES: position <= size().
  Sequence inserted(std::size_t position, Entry entry) const {
    if (!root_) return Sequence(Node::leaf({std::move(entry)}));
    std::vector<Pointer> made = Node::inserted(*root_, position, std::move(entry));
    return Sequence(made.size() == 1 ? std::move(made.front()) : Node::inner(std::move(made)));
  }

  /// REQUIRES: position < size().
  Sequence erased(std::size_t position) const {
    Pointer root = Node::erased(*root_, position);
    while (root && !root->is_leaf() && root->children.size() == 1) {
      Pointer only = root->children.front();
      root = std::move(only);
    }
    return Sequence(std::move(root));
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    if (root_) Node::for_each(*root_, visit);
  }

  bool operator==(const Sequence& other) const {
    if (root_ == other.root_) return true;
    return size() == other.size() && Node::equal(*root_, *other.root_);
  }

 private:
  using Node = SequenceNode<Entry>;
  using Pointer = typename Node::Pointer;

  explicit Sequence(Pointer root) : root_(std::move(root)) {}

  Pointer root_;
};

}  // namespace baton::state
