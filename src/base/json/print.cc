// JSON text out: compact, indented, and canonical by RFC 8785.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "base/json/json.h"
#include "base/json/plain.h"
#include "base/text/text.h"

namespace baton::json {
namespace {

constexpr std::int64_t exact_in_double_max = std::int64_t{1} << 53;
constexpr auto exact_in_double_max_as_double = static_cast<double>(exact_in_double_max);

/// Shortest digits that read back as `number`, and the place of the decimal point after the
/// first digit: 1.2345e+21 gives "12345" and 21.
struct Digits {
  std::string digits;
  int exponent = 0;
};

Digits shortest_digits(double number) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t e = text.find('e');
  Digits result;
  for (const char c : text.substr(0, e)) {
    if (c != '.') result.digits += c;
  }
  std::string_view exponent = text.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.exponent);
  return result;
}

/// The printer of one layout; containers recurse, at most as deep as the value is.
class Printer {
 public:
  Printer(std::string& out, bool pretty) : out_(out), pretty_(pretty) {}

  void value(const Value& value, std::size_t depth) {
    switch (value.type()) {
      case Type::null: out_ += "null"; return;
      case Type::boolean: out_ += *value.if_bool() ? "true" : "false"; return;
      case Type::integer: append_piece(out_, *value.if_int()); return;
      case Type::number: number(*value.if_double()); return;
      case Type::string: append_quoted(out_, *value.if_string()); return;
      case Type::array: array(*value.if_array(), depth); return;
      case Type::object: object(*value.if_object(), depth); return;
    }
  }

 private:
  void number(double number) {
    constexpr double int64_end = 9223372036854775808.0;
    if (number == 0 && std::signbit(number)) {
      // -0 keeps its sign here, unlike in canonical text, so that it reads back the same.
      out_ += "-0";
    } else if (std::fabs(number) > exact_in_double_max_as_double && number >= -int64_end &&
               number < int64_end) {
      // All digits: the shortest ones would read back as another, exact integer.
      append_piece(out_, static_cast<std::int64_t>(number));
    } else {
      out_ += number_text(number);
    }
  }

  void array(const Array& array, std::size_t depth) {
    out_ += '[';
    bool first = true;
    for (const Value& element : array) {
      separate(first, depth + 1);
      value(element, depth + 1);
    }
    if (!first) line(depth);
    out_ += ']';
  }

  void object(const Object& object, std::size_t depth) {
    out_ += '{';
    bool first = true;
    for (const Member& member : object) {
      separate(first, depth + 1);
      append_quoted(out_, member.key);
      out_ += pretty_ ? ": " : ":";
      value(member.value, depth + 1);
    }
    if (!first) line(depth);
    out_ += '}';
  }

  void separate(bool& first, std::size_t depth) {
    if (!first) out_ += ',';
    first = false;
    line(depth);
  }

  void line(std::size_t depth) {
    if (!pretty_) return;
    out_ += '\n';
    out_.append(depth * 2, ' ');
  }

  std::string& out_;
  bool pretty_;
};

Result<void> canonical_integer(std::string& out, std::int64_t integer) {
  if (integer >= -exact_in_double_max && integer <= exact_in_double_max) {
    append_piece(out, integer);
    return {};
  }
  const double number = static_cast<double>(integer);
  const std::string text = number_text(number);
  // Accepted when a double equals it, and also when it is what canonical text says for one, so
  // that canonical text is its own canonical form.
  const bool exact = number < 9223372036854775808.0 && static_cast<std::int64_t>(number) == integer;
  if (!exact && text != cat(integer)) {
    return fail(Code::NUMBER_INEXACT,
                cat("the integer ", integer, " has no exact double, so it cannot be hashed"),
                "send it as a string");
  }
  out += text;
  return {};
}

/// The members in canonical order; unchanged when they already are, as with most writers.
class CanonicalOrder {
 public:
  explicit CanonicalOrder(const Object& object) {
    for (const Member& member : object) {
      if (count_ < few_.size()) few_[count_] = &member;
      ++count_;
    }
    if (count_ > few_.size()) {
      for (const Member& member : object) many_.push_back(&member);
    }
    const auto key = [](const Member* m) -> std::string_view { return m->key; };
    if (!std::ranges::is_sorted(members(), canonical_less, key)) {
      std::ranges::sort(members(), canonical_less, key);
    }
  }

  std::span<const Member*> members() {
    return many_.empty() ? std::span(few_).first(count_) : std::span(many_);
  }

 private:
  std::array<const Member*, 16> few_;
  std::vector<const Member*> many_;
  std::size_t count_ = 0;
};

Result<void> canonical_object(std::string& out, const Object& object) {
  CanonicalOrder order(object);
  out += '{';
  bool first = true;
  for (const Member* member : order.members()) {
    if (!first) out += ',';
    first = false;
    append_quoted(out, member->key);
    out += ':';
    TRY(canonical_to(out, member->value));
  }
  out += '}';
  return {};
}

}  // namespace

bool canonical_less(std::string_view a, std::string_view b) {
  // As in UTF-8, but U+E000..U+FFFF come after the astral planes.
  const auto rank = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0xEE || byte == 0xEF ? byte + 0x10 : +byte;
  };
  return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
}

Result<void> canonical_to(std::string& out, const Value& value) {
  if (const std::int64_t* integer = value.if_int()) return canonical_integer(out, *integer);
  if (const Object* object = value.if_object()) return canonical_object(out, *object);
  if (const Array* array = value.if_array()) {
    out += '[';
    bool first = true;
    for (const Value& element : *array) {
      if (!first) out += ',';
      first = false;
      TRY(canonical_to(out, element));
    }
    out += ']';
    return {};
  }
  if (const double* number = value.if_double()) {
    out += number_text(*number);
    return {};
  }
  print_to(out, value);
  return {};
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  out += '"';
  while (true) {
    const std::size_t plain = plain_run(text).length;
    out += text.substr(0, plain);
    if (plain == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[plain]);
    text.remove_prefix(plain + 1);
    switch (byte) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        out += "\\u00";
        out += hex[byte >> 4];
        out += hex[byte & 15];
    }
  }
  out += '"';
}

std::string number_text(double number) {
  ASSERT(std::isfinite(number));
  if (number == 0) return "0";
  std::string out = number < 0 ? "-" : "";
  const auto [digits, exponent] = shortest_digits(std::fabs(number));
  const int count = static_cast<int>(digits.size());
  const int point = exponent + 1;  // digits before the decimal point
  if (point >= count && point <= 21) {
    out += digits;
    out.append(static_cast<std::size_t>(point - count), '0');
  } else if (point > 0 && point <= 21) {
    out += digits.substr(0, static_cast<std::size_t>(point));
    out += '.';
    out += digits.substr(static_cast<std::size_t>(point));
  } else if (point > -6 && point <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-point), '0');
    out += digits;
  } else {
    out += digits[0];
    if (count > 1) {
      out += '.';
      out += digits.substr(1);
    }
    out += exponent < 0 ? "e-" : "e+";
    append_piece(out, std::abs(exponent));
  }
  return out;
}

void print_to(std::string& out, const Value& value) { Printer(out, false).value(value, 0); }

std::string print(const Value& value) {
  std::string out;
  print_to(out, value);
  return out;
}

std::string print_pretty(const Value& value) {
  std::string out;
  Printer(out, true).value(value, 0);
  return out;
}

Result<std::string> canonical(const Value& value) {
  std::string out;
  TRY(canonical_to(out, value));
  return out;
}

}  // namespace baton::json
