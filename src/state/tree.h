#pragma once
// Tree: an immutable JSON value. Copies share everything, and a changed copy shares all that did
// not change: a write costs the depth of its place times the logarithm of the widths on the way,
// however large the rest is. Any thread may read any Tree.
//
// There is one form for each value, so that a state read back from the log is the one that was
// written: members are in the order of RFC 8785 (of UTF-16 units), and numbers are JavaScript's,
// kept as integers where they are some. Canonical text writes a large one with fewer digits than it
// has, so that an integer which no double equals means the double nearest to it. Undefined is no
// value and no Tree.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/core/result.h"
#include "base/json/json.h"

namespace baton::state {

class Tree {
 public:
  Tree() = default;  // null
  static Tree object();
  static Tree list();

  /// REQUIRES: every double is finite.
  static Tree from(const json::Value& value);
  json::Value to_json() const;

  json::Type type() const { return static_cast<json::Type>(data_.index()); }
  bool is_null() const { return type() == json::Type::null; }
  bool is_number() const { return type() == json::Type::integer || type() == json::Type::number; }
  bool is_list() const { return type() == json::Type::array; }
  bool is_object() const { return type() == json::Type::object; }

  // The content if the type is that one, else nullptr.
  const bool* if_bool() const { return std::get_if<bool>(&data_); }
  const std::int64_t* if_int() const { return std::get_if<std::int64_t>(&data_); }
  const double* if_double() const { return std::get_if<double>(&data_); }
  const std::string* if_string() const;

  /// Members of an object, elements of a list, 0 of anything else.
  std::size_t size() const;

  /// The member of an object, or nullptr. Lives as long as this.
  const Tree* find(std::string_view key) const;

  /// The element of a list, or of an object the value of a member, by position; nullptr past the
  /// end. Lives as long as this.
  const Tree* at(std::size_t position) const;

  /// REQUIRES: is_object() and position < size().
  std::string_view key_at(std::size_t position) const;

  /// What lies at the end of the segments: names of members, positions in lists. Lives as long.
  const Tree* find(std::span<const std::string> segments) const;
  std::optional<Tree> get(std::span<const std::string> segments) const;

  /// A copy with `value` at the end of the segments. Objects that are missing on the way are made,
  /// null counts as missing; the position behind a list's last element adds one. STATE_BAD_PATH
  /// when the way leads through anything else.
  Result<Tree> with(std::span<const std::string> segments, Tree value) const;

  // REQUIRES: is_object().
  Tree with_member(std::string_view key, Tree value) const;
  Tree without_member(std::string_view key) const;

  /// REQUIRES: is_list() and position <= size().
  Tree with_element(std::size_t position, Tree value) const;

  /// The length of print(): what it takes as text.
  std::size_t bytes() const;

  /// Levels of lists and objects: 0 for a number, 1 for [], 2 for [[]].
  std::size_t depth() const;

  /// What is shared is equal without being looked at.
  bool operator==(const Tree& other) const;

  /// Values by their content, all in one line: the JSON text, as json::print writes it.
  void print_to(std::string& out) const;
  std::string print() const;

  // Of the implementation.
  struct Text;
  struct List;
  struct Map;

 private:
  using Data = std::variant<std::monostate, bool, std::int64_t, double, std::shared_ptr<const Text>,
                            std::shared_ptr<const List>, std::shared_ptr<const Map>>;
  explicit Tree(Data data) : data_(std::move(data)) {}
  static Tree number(std::int64_t integer);
  static Tree number(double number);
  Result<Tree> with(std::span<const std::string> all, std::size_t from, Tree value) const;

  Data data_;
};

}  // namespace baton::state
