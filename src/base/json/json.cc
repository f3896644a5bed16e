#include "base/json/json.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace baton::json {
namespace {

// So few keys are found sooner by looking at them all.
constexpr std::size_t keys_scanned_max = 16;

/// Takes the bytes that the text of `value` has at least from what is left; false when there is not
/// so much left.
bool spend(const Value& value, std::size_t& left);

bool spend(std::size_t bytes, std::size_t& left) {
  if (bytes > left) return false;
  left -= bytes;
  return true;
}

bool spend(const Object& object, std::size_t& left) {
  // The braces and, for each member, quotes and a colon, and a comma before all but the first.
  if (!spend(object.empty() ? 2 : 4 * object.size() + 1, left)) return false;
  return std::ranges::all_of(object, [&](const Member& member) {
    return spend(member.key.size(), left) && spend(member.value, left);
  });
}

bool spend(const Value& value, std::size_t& left) {
  if (const std::string* text = value.if_string()) return spend(text->size() + 2, left);
  if (const Object* object = value.if_object()) return spend(*object, left);
  const Array* array = value.if_array();
  if (array == nullptr) return spend(value.is_number() ? 1 : 4, left);
  if (!spend(array->empty() ? 2 : array->size() + 1, left)) return false;
  return std::ranges::all_of(*array, [&](const Value& each) { return spend(each, left); });
}

/// The integer that `number` is exactly, if there is one in range.
std::optional<std::int64_t> exact_integer(double number) {
  constexpr double lowest = -9223372036854775808.0;
  constexpr double past_highest = 9223372036854775808.0;
  if (!(number >= lowest && number < past_highest)) return std::nullopt;
  const auto integer = static_cast<std::int64_t>(number);
  if (static_cast<double>(integer) != number) return std::nullopt;
  return integer;
}

bool same_number(const Value& a, const Value& b) {
  if (a.if_int() != nullptr && b.if_int() != nullptr) return *a.if_int() == *b.if_int();
  if (a.if_double() != nullptr && b.if_double() != nullptr) return *a.if_double() == *b.if_double();
  const std::int64_t integer = a.if_int() != nullptr ? *a.if_int() : *b.if_int();
  const double number = a.if_double() != nullptr ? *a.if_double() : *b.if_double();
  return exact_integer(number) == integer;
}

}  // namespace

Object::Object(std::initializer_list<Entry> entries) {
  members_.reserve(entries.size());
  for (const Entry& entry : entries) set(entry.key, std::move(entry.value));
}

Object::Object(const Object& other)
    : members_(other.members_),
      index_(other.index_ == nullptr ? nullptr : std::make_unique<KeyIndex>(*other.index_)) {}

Object& Object::operator=(const Object& other) {
  if (this != &other) *this = Object(other);
  return *this;
}

const Value* Object::find(std::string_view key) const {
  if (index_ != nullptr) {
    const std::size_t place = index_->find(members_, key);
    return place < members_.size() ? &members_[place].value : nullptr;
  }
  for (const Member& member : members_) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Value* Object::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Object::set(std::string_view key, Value value) {
  if (Value* existing = find(key)) {
    *existing = std::move(value);
    return *existing;
  }
  return append_new(std::string(key), std::move(value));
}

Value& Object::append_new(std::string key, Value value) {
  members_.emplace_back(Member{std::move(key), std::move(value)});
  if (index_ != nullptr) {
    index_->add(members_, members_.size() - 1);
  } else if (members_.size() > keys_scanned_max) {
    index_ = std::make_unique<KeyIndex>();
    index_->build(members_);
  }
  return members_.back().value;
}

bool Object::erase(std::string_view key) {
  const auto found = std::ranges::find(members_, key, &Member::key);
  if (found == members_.end()) return false;
  members_.erase(found);
  if (members_.size() <= keys_scanned_max) index_.reset();
  if (index_ != nullptr) index_->build(members_);
  return true;
}

void Object::reserve(std::size_t count) { members_.reserve(count); }

bool Object::operator==(const Object& other) const {
  if (size() != other.size()) return false;
  // Sorted, so that two large objects compare in n log n.
  const auto sorted = [](const Object& object) {
    std::vector<const Member*> order;
    order.reserve(object.size());
    for (const Member& member : object) order.push_back(&member);
    std::ranges::sort(order, {}, [](const Member* m) -> const std::string& { return m->key; });
    return order;
  };
  return std::ranges::equal(sorted(*this), sorted(other),
                            [](const Member* a, const Member* b) { return *a == *b; });
}

double Value::as_double() const {
  if (const std::int64_t* integer = if_int()) return static_cast<double>(*integer);
  const double* number = if_double();
  ASSERT(number != nullptr);
  return *number;
}

const Value* Value::find(std::string_view key) const {
  const Object* object = if_object();
  return object != nullptr ? object->find(key) : nullptr;
}

bool Value::operator==(const Value& other) const {
  if (is_number() && other.is_number()) return same_number(*this, other);
  return data_ == other.data_;
}

bool is_longer_than(const Value& value, std::size_t bytes) { return !spend(value, bytes); }

bool is_longer_than(const Object& object, std::size_t bytes) { return !spend(object, bytes); }

std::string_view name_of(Type type) {
  switch (type) {
    case Type::null: return "null";
    case Type::boolean: return "boolean";
    case Type::integer: return "integer";
    case Type::number: return "number";
    case Type::string: return "string";
    case Type::array: return "array";
    case Type::object: return "object";
  }
  return "null";
}

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
