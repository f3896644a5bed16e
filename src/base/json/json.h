#pragma once
// JSON as a value: integers exact to int64 and doubles otherwise, members in the order they were
// written, no duplicate keys, no lone surrogates, bounded size and depth.
//
// Numbers compare by value: 1 and 1.0 are equal.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/limits.h"
#include "base/core/result.h"

namespace baton::json {

class Value;
struct Member;
using Array = std::vector<Value>;

/// The places of the members of a large object in the order of their keys, as a balanced tree (an
/// AA tree). Not a hash: the caller chooses the keys, and could choose some that a hash is slow
/// for.
class KeyIndex {
 public:
  void build(const std::vector<Member>& members);
  /// Adds the member at `place`. REQUIRES: `place` is the number of members that are in the tree.
  void add(const std::vector<Member>& members, std::size_t place);
  /// The place of `key`, or the number of members when it is not there.
  std::size_t find(const std::vector<Member>& members, std::string_view key) const;

 private:
  using Place = std::uint32_t;  // from 1 on; 0 is not a node
  struct Node {
    Place left = 0;
    Place right = 0;
    std::uint8_t level = 0;
  };

  Place insert(const std::vector<Member>& members, Place root, Place added);
  Place skew(Place root);
  Place split(Place root);

  std::vector<Node> nodes_;  // the first one belongs to no member
  Place root_ = 0;
};

/// Members in insertion order; keys are unique. Finding and setting take logarithmic time.
class Object {
 public:
  Object();
  struct Entry;
  /// {{"key", value}, ...}. A later entry of the same key replaces an earlier one.
  Object(std::initializer_list<Entry> entries);
  Object(const Object&);
  Object(Object&&) noexcept;
  Object& operator=(const Object&);
  Object& operator=(Object&&) noexcept;
  ~Object();

  /// The value of `key`, or nullptr.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  /// Replaces the value of `key` in place, or adds it at the end.
  Value& set(std::string_view key, Value value);

  /// Adds at the end. REQUIRES: the key is not there yet (not checked: parsing has its own check).
  Value& append_new(std::string key, Value value);

  /// Takes linear time: to remove many members, build a new object.
  bool erase(std::string_view key);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }
  // A value may be changed in place. A key may not, except by moving it out of an object that is
  // not used again.
  auto begin() { return members_.begin(); }
  auto end() { return members_.end(); }
  void reserve(std::size_t count);

  /// Equal when both have the same keys with equal values, in any order.
  bool operator==(const Object& other) const;

 private:
  std::vector<Member> members_;
  std::unique_ptr<KeyIndex> index_;  // null while there are few members
};

enum class Type : std::uint8_t { null, boolean, integer, number, string, array, object };

class Value {
 public:
  Value() = default;
  Value(std::nullptr_t) {}
  // Templates, so that a pointer or a character never becomes a boolean or a number by conversion.
  template <std::same_as<bool> T>
  Value(T boolean) : data_(boolean) {}
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char> && sizeof(T) <= 8 &&
             (std::signed_integral<T> || sizeof(T) < 8))
  Value(T integer) : data_(static_cast<std::int64_t>(integer)) {}
  template <std::floating_point T>
    requires(sizeof(T) <= 8)
  Value(T number) : data_(static_cast<double>(number)) {}
  Value(std::string text) : data_(std::move(text)) {}
  Value(std::string_view text) : data_(std::string(text)) {}
  Value(const char* text) : data_(std::string(text)) {}
  Value(Array array) : data_(std::move(array)) {}
  Value(Object object) : data_(std::move(object)) {}

  Type type() const { return static_cast<Type>(data_.index()); }
  bool is_null() const { return type() == Type::null; }
  bool is_number() const { return type() == Type::integer || type() == Type::number; }
  bool is_string() const { return type() == Type::string; }
  bool is_array() const { return type() == Type::array; }
  bool is_object() const { return type() == Type::object; }

  // The content if the type is that one, else nullptr.
  const bool* if_bool() const { return std::get_if<bool>(&data_); }
  const std::int64_t* if_int() const { return std::get_if<std::int64_t>(&data_); }
  const double* if_double() const { return std::get_if<double>(&data_); }
  const std::string* if_string() const { return std::get_if<std::string>(&data_); }
  const Array* if_array() const { return std::get_if<Array>(&data_); }
  const Object* if_object() const { return std::get_if<Object>(&data_); }
  std::string* if_string() { return std::get_if<std::string>(&data_); }
  Array* if_array() { return std::get_if<Array>(&data_); }
  Object* if_object() { return std::get_if<Object>(&data_); }

  /// Any number as a double (an integer is rounded). REQUIRES: is_number().
  double as_double() const;

  /// The member `key` when this is an object that has it, else nullptr.
  const Value* find(std::string_view key) const;

  bool operator==(const Value& other) const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> data_;
};

struct Member {
  std::string key;
  Value value;
  bool operator==(const Member&) const = default;
};

/// A member to be. Mutable, so that the value is moved out of the list, which is always const.
struct Object::Entry {
  std::string_view key;
  mutable Value value;
};

// Not in the class, where Member is incomplete and Clang refuses what a vector needs of it.
inline Object::Object() = default;
inline Object::Object(Object&&) noexcept = default;
inline Object& Object::operator=(Object&&) noexcept = default;
inline Object::~Object() = default;
inline std::size_t Object::size() const { return members_.size(); }

std::string_view name_of(Type type);

struct ReadLimits {
  std::size_t bytes_max = limits::message_bytes_max;
  /// REQUIRES: at most limits::json_depth_ceiling, because values are printed, compared and
  /// destroyed by recursion.
  std::size_t depth_max = limits::json_depth_max;
};

/// A place in a text. Lines and columns count from 1; a column counts bytes.
struct Position {
  std::size_t offset = 0;
  std::size_t line = 1;
  std::size_t column = 1;
};

Position position_at(std::string_view text, std::size_t offset);

/// What a reader of JSON text hears, in order, each with the offset of its first byte.
class ParseHandler {
 public:
  virtual ~ParseHandler() = default;
  virtual void null(std::size_t at) = 0;
  virtual void boolean(std::size_t at, bool value) = 0;
  virtual void integer(std::size_t at, std::int64_t value) = 0;
  virtual void number(std::size_t at, double value) = 0;
  virtual void string(std::size_t at, std::string value) = 0;
  virtual void begin_array(std::size_t at) = 0;
  virtual void end_array() = 0;
  virtual void begin_object(std::size_t at) = 0;
  /// False when the open object already has this key.
  [[nodiscard]] virtual bool key(std::size_t at, std::string name) = 0;
  virtual void end_object() = 0;
  /// Where and why reading stops; the error that read() returns says the same in one text.
  virtual void stopped(std::size_t at, std::string_view why) {
    static_cast<void>(at);
    static_cast<void>(why);
  }
};

/// Reads one JSON text and nothing after it. Errors say line and column.
Result<void> read(std::string_view text, const ReadLimits& bounds, ParseHandler& events);

Result<Value> parse(std::string_view text, const ReadLimits& bounds = {});

/// Compact text; parse(print(x)) == x. REQUIRES: every string is UTF-8, every double finite.
std::string print(const Value& value);
void print_to(std::string& out, const Value& value);

/// Whether the compact text of `value` surely has more than `bytes` bytes. Looks only as far as it
/// has to, so a size is judged before anything is done with what has it.
bool is_longer_than(const Value& value, std::size_t bytes);
bool is_longer_than(const Object& object, std::size_t bytes);

/// Two-space indented text for people.
std::string print_pretty(const Value& value);

/// Canonical text by RFC 8785. Refuses an integer that no double equals (NUMBER_INEXACT).
Result<std::string> canonical(const Value& value);
Result<void> canonical_to(std::string& out, const Value& value);

/// The order of members in canonical text: that of UTF-16 code units.
bool canonical_less(std::string_view a, std::string_view b);

/// Appends the quoted form of `text`, with the escapes RFC 8785 prescribes.
void append_quoted(std::string& out, std::string_view text);

/// A finite double as ECMAScript's Number::toString writes it.
std::string number_text(double number);

}  // namespace baton::json
