#include "state/tree.h"

#include <cmath>

#include "base/text/text.h"
#include "state/path.h"
#include "state/sequence.h"

namespace baton::state {

using json::Type;

struct Tree::Text {
  std::string text;
  std::size_t bytes = 0;  // in quotes, with escapes
};

namespace {

struct Element {
  Tree value;
  bool operator==(const Element&) const = default;
};

struct Member {
  std::string key;
  std::size_t key_bytes = 0;  // in quotes, with escapes
  Tree value;
  bool operator==(const Member& other) const { return key == other.key && value == other.value; }
};

std::size_t bytes_of(const Element& element) { return element.value.bytes(); }
std::size_t depth_of(const Element& element) { return element.value.depth(); }
std::size_t bytes_of(const Member& member) { return member.key_bytes + 1 + member.value.bytes(); }
std::size_t depth_of(const Member& member) { return member.value.depth(); }

}  // namespace

struct Tree::List {
  Sequence<Element> elements;
};

struct Tree::Map {
  Sequence<Member> members;  // in order of their keys

  std::size_t place_of(std::string_view key) const {
    return members.partition_point(
        [&](const Member& each) { return json::canonical_less(each.key, key); });
  }

  bool has(std::size_t place, std::string_view key) const {
    return place < members.size() && members[place].key == key;
  }
};

namespace {

/// As json::append_quoted writes it.
std::size_t quoted_bytes(std::string_view text) {
  std::size_t bytes = 2;
  for (const char c : text) {
    const bool is_short = c == '"' || c == '\\' || (c >= '\b' && c <= '\r' && c != '\v');
    if (is_short) {
      bytes += 2;
    } else {
      bytes += static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
    }
  }
  return bytes;
}

/// Brackets and the text between the parts.
std::size_t around(std::size_t parts) { return parts == 0 ? 2 : parts + 1; }

std::unexpected<Error> blocked(std::span<const std::string> way, const Tree& at) {
  std::string shown;
  for (const std::string& each : way) shown += cat(shown.empty() ? "" : ".", each);
  if (at.is_list()) {
    return fail(Code::STATE_BAD_PATH,
                cat("\"", shown, "\" is not a position in a list of ", at.size(), " elements"),
                "positions count from 0; the position after the last adds an element");
  }
  return fail(Code::STATE_BAD_PATH, cat("\"", shown, "\" leads through a value of type ",
                                        json::name_of(at.type()), ", which has no members"));
}

}  // namespace

Tree Tree::object() { return Tree(Data(std::make_shared<const Map>())); }
Tree Tree::list() { return Tree(Data(std::make_shared<const List>())); }

Tree Tree::number(std::int64_t integer) {
  constexpr std::int64_t exact_max = std::int64_t{1} << 53;
  if (integer >= -exact_max && integer <= exact_max) return Tree(Data(integer));
  return number(static_cast<double>(integer));
}

Tree Tree::number(double number) {
  constexpr double int64_end = 9223372036854775808.0;
  ASSERT(std::isfinite(number));
  const bool is_integer =
      number >= -int64_end && number < int64_end && std::trunc(number) == number;
  return is_integer ? Tree(Data(static_cast<std::int64_t>(number))) : Tree(Data(number));
}

Tree Tree::from(const json::Value& value) {
  switch (value.type()) {
    case Type::null: return {};
    case Type::boolean: return Tree(Data(*value.if_bool()));
    case Type::integer: return number(*value.if_int());
    case Type::number: return number(*value.if_double());
    case Type::string: {
      const std::string& text = *value.if_string();
      return Tree(Data(std::make_shared<const Text>(text, quoted_bytes(text))));
    }
    case Type::array: {
      std::vector<Element> elements;
      elements.reserve(value.if_array()->size());
      for (const json::Value& each : *value.if_array()) elements.push_back({from(each)});
      return Tree(Data(std::make_shared<const List>(Sequence<Element>::from(std::move(elements)))));
    }
    case Type::object: break;
  }
  std::vector<Member> members;
  members.reserve(value.if_object()->size());
  for (const json::Member& each : *value.if_object()) {
    members.push_back({each.key, quoted_bytes(each.key), from(each.value)});
  }
  const auto less = [](const Member& a, const Member& b) {
    return json::canonical_less(a.key, b.key);
  };
  if (!std::ranges::is_sorted(members, less)) std::ranges::sort(members, less);
  return Tree(Data(std::make_shared<const Map>(Sequence<Member>::from(std::move(members)))));
}

json::Value Tree::to_json() const {
  switch (type()) {
    case Type::null: return {};
    case Type::boolean: return *if_bool();
    case Type::integer: return *if_int();
    case Type::number: return *if_double();
    case Type::string: return *if_string();
    case Type::array: {
      json::Array out;
      out.reserve(size());
      std::get<std::shared_ptr<const List>>(data_)->elements.for_each(
          [&](const Element& each) { out.push_back(each.value.to_json()); });
      return out;
    }
    case Type::object: break;
  }
  json::Object out;
  out.reserve(size());
  std::get<std::shared_ptr<const Map>>(data_)->members.for_each(
      [&](const Member& each) { out.append_new(each.key, each.value.to_json()); });
  return out;
}

const std::string* Tree::if_string() const {
  const auto* text = std::get_if<std::shared_ptr<const Text>>(&data_);
  return text == nullptr ? nullptr : &(*text)->text;
}

std::size_t Tree::size() const {
  if (const auto* list = std::get_if<std::shared_ptr<const List>>(&data_)) {
    return (*list)->elements.size();
  }
  if (const auto* map = std::get_if<std::shared_ptr<const Map>>(&data_)) {
    return (*map)->members.size();
  }
  return 0;
}

const Tree* Tree::find(std::string_view key) const {
  const auto* map = std::get_if<std::shared_ptr<const Map>>(&data_);
  if (map == nullptr) return nullptr;
  const std::size_t place = (*map)->place_of(key);
  return (*map)->has(place, key) ? &(*map)->members[place].value : nullptr;
}

const Tree* Tree::at(std::size_t position) const {
  if (position >= size()) return nullptr;
  if (const auto* list = std::get_if<std::shared_ptr<const List>>(&data_)) {
    return &(*list)->elements[position].value;
  }
  return &std::get<std::shared_ptr<const Map>>(data_)->members[position].value;
}

std::string_view Tree::key_at(std::size_t position) const {
  ASSERT(is_object() && position < size());
  return std::get<std::shared_ptr<const Map>>(data_)->members[position].key;
}

const Tree* Tree::find(std::span<const std::string> segments) const {
  const Tree* found = this;
  for (const std::string& segment : segments) {
    if (found->is_list()) {
      const auto position = position_of(segment);
      found = position ? found->at(*position) : nullptr;
    } else {
      found = found->find(std::string_view(segment));
    }
    if (found == nullptr) return nullptr;
  }
  return found;
}

std::optional<Tree> Tree::get(std::span<const std::string> segments) const {
  const Tree* found = find(segments);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

Result<Tree> Tree::with(std::span<const std::string> segments, Tree value) const {
  return with(segments, 0, std::move(value));
}

Result<Tree> Tree::with(std::span<const std::string> all, std::size_t from, Tree value) const {
  if (from == all.size()) return value;
  const std::string& segment = all[from];
  if (is_list()) {
    const auto position = position_of(segment);
    if (!position || *position > size()) return blocked(all.first(from + 1), *this);
    const Tree inside = *position < size() ? *at(*position) : Tree();
    return with_element(*position, TRY(inside.with(all, from + 1, std::move(value))));
  }
  if (is_null()) return object().with(all, from, std::move(value));
  if (!is_object()) return blocked(all.first(from + 1), *this);
  const Tree* found = find(std::string_view(segment));
  const Tree inside = found == nullptr ? Tree() : *found;
  return with_member(segment, TRY(inside.with(all, from + 1, std::move(value))));
}

Tree Tree::with_member(std::string_view key, Tree value) const {
  const Map& map = *std::get<std::shared_ptr<const Map>>(data_);
  const std::size_t place = map.place_of(key);
  Member member{std::string(key), quoted_bytes(key), std::move(value)};
  auto members = map.has(place, key) ? map.members.replaced(place, std::move(member))
                                     : map.members.inserted(place, std::move(member));
  return Tree(Data(std::make_shared<const Map>(std::move(members))));
}

Tree Tree::without_member(std::string_view key) const {
  const Map& map = *std::get<std::shared_ptr<const Map>>(data_);
  const std::size_t place = map.place_of(key);
  if (!map.has(place, key)) return *this;
  return Tree(Data(std::make_shared<const Map>(map.members.erased(place))));
}

Tree Tree::with_element(std::size_t position, Tree value) const {
  const List& list = *std::get<std::shared_ptr<const List>>(data_);
  ASSERT(position <= list.elements.size());
  auto elements = position < list.elements.size()
                      ? list.elements.replaced(position, {std::move(value)})
                      : list.elements.inserted(position, {std::move(value)});
  return Tree(Data(std::make_shared<const List>(std::move(elements))));
}

std::size_t Tree::bytes() const {
  switch (type()) {
    case Type::null: return 4;
    case Type::boolean: return *if_bool() ? 4 : 5;
    case Type::integer: return cat(*if_int()).size();
    case Type::number: return json::number_text(*if_double()).size();
    case Type::string: return std::get<std::shared_ptr<const Text>>(data_)->bytes;
    case Type::array:
      return around(size()) + std::get<std::shared_ptr<const List>>(data_)->elements.bytes();
    case Type::object: break;
  }
  return around(size()) + std::get<std::shared_ptr<const Map>>(data_)->members.bytes();
}

std::size_t Tree::depth() const {
  if (const auto* list = std::get_if<std::shared_ptr<const List>>(&data_)) {
    return 1 + (*list)->elements.depth();
  }
  if (const auto* map = std::get_if<std::shared_ptr<const Map>>(&data_)) {
    return 1 + (*map)->members.depth();
  }
  return 0;
}

bool Tree::operator==(const Tree& other) const {
  if (data_ == other.data_) return true;  // the same text, list or map, not one that is equal
  if (type() != other.type()) return false;
  switch (type()) {
    case Type::string: return *if_string() == *other.if_string();
    case Type::array:
      return std::get<std::shared_ptr<const List>>(data_)->elements ==
             std::get<std::shared_ptr<const List>>(other.data_)->elements;
    case Type::object:
      return std::get<std::shared_ptr<const Map>>(data_)->members ==
             std::get<std::shared_ptr<const Map>>(other.data_)->members;
    default: return false;
  }
}

void Tree::print_to(std::string& out) const {
  switch (type()) {
    case Type::null: out += "null"; return;
    case Type::boolean: out += *if_bool() ? "true" : "false"; return;
    case Type::integer: append_piece(out, *if_int()); return;
    case Type::number: out += json::number_text(*if_double()); return;
    case Type::string: json::append_quoted(out, *if_string()); return;
    default: break;
  }
  char before = is_list() ? '[' : '{';
  if (size() == 0) out += before;
  if (is_list()) {
    std::get<std::shared_ptr<const List>>(data_)->elements.for_each([&](const Element& each) {
      out += std::exchange(before, ',');
      each.value.print_to(out);
    });
    out += ']';
    return;
  }
  std::get<std::shared_ptr<const Map>>(data_)->members.for_each([&](const Member& each) {
    out += std::exchange(before, ',');
    json::append_quoted(out, each.key);
    out += ':';
    each.value.print_to(out);
  });
  out += '}';
}

std::string Tree::print() const {
  std::string out;
  out.reserve(bytes());
  print_to(out);
  return out;
}

}  // namespace baton::state
