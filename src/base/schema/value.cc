#include "base/schema/value.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::schema {
namespace {

using json::Member;
using json::Type;
using json::Value;

constexpr double past_int64 = 9223372036854775808.0;

std::strong_ordering compare_mixed(std::int64_t integer, double number) {
  if (number >= past_int64) return std::strong_ordering::less;
  if (number < -past_int64) return std::strong_ordering::greater;
  const double whole = std::trunc(number);
  const auto order = integer <=> static_cast<std::int64_t>(whole);
  if (order != 0 || whole == number) return order;
  return whole < number ? std::strong_ordering::less : std::strong_ordering::greater;
}

/// digits * 10^exponent without its sign; digits has no trailing zero unless it is 0.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal normalised(Decimal number) {
  if (number.digits == 0) return {};
  while (number.digits % 10 == 0) {
    number.digits /= 10;
    ++number.exponent;
  }
  return number;
}

Decimal decimal_of(const Value& value) {
  if (const std::int64_t* integer = value.if_int()) {
    const auto bits = static_cast<std::uint64_t>(*integer);
    return normalised({*integer < 0 ? 0 - bits : bits, 0});
  }
  char buffer[32];
  const double number = std::fabs(*value.if_double());
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t e = text.find('e');
  Decimal result;
  int fraction = 0;
  bool after_point = false;
  for (const char c : text.substr(0, e)) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    result.digits = result.digits * 10 + static_cast<std::uint64_t>(c - '0');
    fraction += after_point ? 1 : 0;
  }
  std::string_view exponent = text.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.exponent);
  result.exponent -= fraction;
  return normalised(result);
}

/// a + b modulo `modulus`, without overflow. REQUIRES: both are below it.
std::uint64_t add_mod(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return a >= modulus - b ? a - (modulus - b) : a + b;
}

std::uint64_t ten_times_mod(std::uint64_t a, std::uint64_t modulus) {
  const std::uint64_t two = add_mod(a, a, modulus);
  const std::uint64_t four = add_mod(two, two, modulus);
  return add_mod(add_mod(four, four, modulus), two, modulus);
}

void append_sized(std::string& out, char kind, std::string_view text) {
  out += kind;
  append_piece(out, text.size());
  out += ':';
  out += text;
}

void append_number_key(std::string& out, const Value& value) {
  const double* number = value.if_double();
  if (number == nullptr) {
    append_sized(out, 'i', cat(*value.if_int()));
  } else if (is_whole(value) && *number >= -past_int64 && *number < past_int64) {
    append_sized(out, 'i', cat(static_cast<std::int64_t>(*number)));
  } else {
    append_sized(out, 'd', cat(std::bit_cast<std::uint64_t>(*number)));
  }
}

void append_object_key(std::string& out, const json::Object& object) {
  std::vector<const Member*> order;
  order.reserve(object.size());
  for (const Member& member : object) order.push_back(&member);
  std::ranges::sort(order, {}, [](const Member* m) -> std::string_view { return m->key; });
  out += '{';
  for (const Member* member : order) {
    append_sized(out, 's', member->key);
    append_key(out, member->value);
  }
  out += '}';
}

}  // namespace

std::strong_ordering compare_numbers(const Value& a, const Value& b) {
  const std::int64_t* a_int = a.if_int();
  const std::int64_t* b_int = b.if_int();
  if (a_int != nullptr && b_int != nullptr) return *a_int <=> *b_int;
  if (a_int != nullptr) return compare_mixed(*a_int, *b.if_double());
  if (b_int != nullptr) return 0 <=> compare_mixed(*b_int, *a.if_double());
  const double x = *a.if_double();
  const double y = *b.if_double();
  if (x < y) return std::strong_ordering::less;
  return x > y ? std::strong_ordering::greater : std::strong_ordering::equal;
}

bool is_multiple(const Value& value, const Value& divisor) {
  const Decimal a = decimal_of(value);
  const Decimal b = decimal_of(divisor);
  if (a.digits == 0) return true;
  // Finer than the divisor's last place: ten would have to divide digits that have no ten left.
  if (b.digits == 0 || a.exponent < b.exponent) return false;
  std::uint64_t rest = a.digits % b.digits;
  for (int i = a.exponent - b.exponent; i > 0 && rest != 0; --i) {
    rest = ten_times_mod(rest, b.digits);
  }
  return rest == 0;
}

bool is_whole(const Value& value) {
  if (value.if_int() != nullptr) return true;
  const double* number = value.if_double();
  return number != nullptr && std::trunc(*number) == *number;
}

void append_key(std::string& out, const Value& value) {
  switch (value.type()) {
    case Type::null: out += 'n'; return;
    case Type::boolean: out += *value.if_bool() ? 't' : 'f'; return;
    case Type::integer:
    case Type::number: append_number_key(out, value); return;
    case Type::string: append_sized(out, 's', *value.if_string()); return;
    case Type::array:
      out += '[';
      for (const Value& element : *value.if_array()) append_key(out, element);
      out += ']';
      return;
    case Type::object: append_object_key(out, *value.if_object()); return;
  }
}

std::string key_of(const Value& value) {
  std::string out;
  append_key(out, value);
  return out;
}

std::string shown(const Value& value) {
  if (const std::string* text = value.if_string()) return in_quotes(*text);
  if (const json::Array* array = value.if_array()) {
    return cat("an array of ", counted(array->size(), "item", "items"));
  }
  if (const json::Object* object = value.if_object()) {
    return cat("an object of ", counted(object->size(), "property", "properties"));
  }
  return json::print(value);
}

std::string in_quotes(std::string_view text) {
  std::string out;
  json::append_quoted(out, shortened(text, limits::schema_shown_bytes_max));
  return out;
}

std::string shortened(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  return cat(utf8::prefix(text, bytes_max - 3), "...");
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return cat(count, ' ', count == 1 ? one : many);
}

std::string pointer_token(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace baton::schema
