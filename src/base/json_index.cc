// Large objects: the tree of their keys.

#include "base/json.h"

namespace baton::json {

void KeyIndex::build(const std::vector<Member>& members) {
  nodes_.assign(1, Node{});
  nodes_.reserve(members.capacity() + 1);
  root_ = 0;
  for (std::size_t place = 0; place < members.size(); ++place) add(members, place);
}

void KeyIndex::add(const std::vector<Member>& members, std::size_t place) {
  ASSERT(nodes_.size() == place + 1 && place < UINT32_MAX);
  nodes_.push_back({0, 0, 1});
  root_ = insert(members, root_, static_cast<Place>(place + 1));
}

std::size_t KeyIndex::find(const std::vector<Member>& members, std::string_view key) const {
  for (Place at = root_; at != 0;) {
    const int order = key.compare(members[at - 1].key);
    if (order == 0) return at - 1;
    at = order < 0 ? nodes_[at].left : nodes_[at].right;
  }
  return members.size();
}

// The tree of a million keys is at most forty levels deep, so this may recurse.
KeyIndex::Place KeyIndex::insert(const std::vector<Member>& members, Place root, Place added) {
  if (root == 0) return added;
  if (members[added - 1].key < members[root - 1].key) {
    const Place left = insert(members, nodes_[root].left, added);
    nodes_[root].left = left;
  } else {
    const Place right = insert(members, nodes_[root].right, added);
    nodes_[root].right = right;
  }
  return split(skew(root));
}

/// No left child is on the level of its parent.
KeyIndex::Place KeyIndex::skew(Place root) {
  const Place left = nodes_[root].left;
  if (left == 0 || nodes_[left].level != nodes_[root].level) return root;
  nodes_[root].left = nodes_[left].right;
  nodes_[left].right = root;
  return left;
}

/// No two right children in a row are on the level of their parent.
KeyIndex::Place KeyIndex::split(Place root) {
  const Place right = nodes_[root].right;
  if (right == 0) return root;
  const Place next = nodes_[right].right;
  if (next == 0 || nodes_[next].level != nodes_[root].level) return root;
  nodes_[root].right = nodes_[right].left;
  nodes_[right].left = root;
  ++nodes_[right].level;
  return right;
}

}  // namespace baton::json
