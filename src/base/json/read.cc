// The JSON reader: iterative, so that no input can exhaust the stack.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/json/json.h"
#include "base/json/plain.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::json {
namespace {

/// As much of a duplicate key, as it is written, as its error message shows.
constexpr std::size_t key_shown_bytes_max = 64;

constexpr char array_opens = '[';
constexpr char object_opens = '{';

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// `Heard` is Events, or a final class of them, which then costs no calls.
template <class Heard>
class Reader {
 public:
  Reader(std::string_view text, const ReadLimits& bounds, Heard& events)
      : text_(text), bounds_(bounds), events_(events) {
    ASSERT(bounds.depth_max <= limits::json_depth_ceiling);
  }

  Result<void> read() {
    if (text_.size() > bounds_.bytes_max) {
      return fail(Code::LIMIT_EXCEEDED, cat("the JSON text has ", text_.size(), " bytes; at most ",
                                            bounds_.bytes_max, " are read"));
    }
    do {
      skip_space();
      TRY(value());
      TRY(after_value());
    } while (!containers_.empty());
    skip_space();
    if (at_ != text_.size()) return wrong(at_, "nothing may follow the JSON value");
    return {};
  }

 private:
  std::unexpected<Error> wrong(std::size_t offset, std::string_view what) const {
    events_.stopped(offset, what);
    const Position place = position_at(text_, offset);
    return fail(Code::INVALID_JSON,
                cat("line ", place.line, ", column ", place.column, ": ", what));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
      ++at_;
    }
  }

  /// One scalar, or the opening of a container down to its first scalar or its end.
  Result<void> value() {
    while (true) {
      const char c = peek();
      if (c == array_opens) {
        TRY(open(array_opens));
        events_.begin_array(at_++);
        skip_space();
        if (peek() == ']') return close();
        continue;
      }
      if (c == object_opens) {
        TRY(open(object_opens));
        events_.begin_object(at_++);
        skip_space();
        if (peek() == '}') return close();
        TRY(key());
        continue;
      }
      return scalar();
    }
  }

  Result<void> open(char kind) {
    if (containers_.size() >= bounds_.depth_max) {
      const std::string why = cat("nested deeper than ", bounds_.depth_max, " levels");
      events_.stopped(at_, why);
      const Position place = position_at(text_, at_);
      return fail(Code::LIMIT_EXCEEDED,
                  cat("line ", place.line, ", column ", place.column, ": ", why));
    }
    containers_.push_back(kind);
    return {};
  }

  Result<void> close() {
    ++at_;
    const char kind = containers_.back();
    containers_.pop_back();
    kind == array_opens ? events_.end_array() : events_.end_object();
    return {};
  }

  /// Commas and closing brackets, until another value is due or the text's value is complete.
  Result<void> after_value() {
    while (!containers_.empty()) {
      skip_space();
      const bool in_array = containers_.back() == array_opens;
      const char c = peek();
      if (c == (in_array ? ']' : '}')) {
        TRY(close());
        continue;
      }
      if (at_ >= text_.size()) return wrong(at_, "the text ends too early");
      if (c != ',') return wrong(at_, in_array ? "expected ',' or ']'" : "expected ',' or '}'");
      ++at_;
      skip_space();
      if (!in_array) TRY(key());
      return {};
    }
    return {};
  }

  Result<void> key() {
    const std::size_t start = at_;
    if (peek() != '"') return wrong(at_, "expected a key in double quotes");
    std::string name;
    TRY(string(name));
    const std::string_view written = text_.substr(start, at_ - start);
    if (!events_.key(start, std::move(name))) {
      return wrong(start, cat("duplicate key ", utf8::prefix(written, key_shown_bytes_max)));
    }
    skip_space();
    if (peek() != ':') return wrong(at_, "expected ':'");
    ++at_;
    skip_space();
    return {};
  }

  Result<void> scalar() {
    const std::size_t start = at_;
    const char c = peek();
    if (c == '"') {
      std::string text;
      TRY(string(text));
      events_.string(start, std::move(text));
      return {};
    }
    if (c == '-' || is_digit(c)) return number();
    if (word("true")) {
      events_.boolean(start, true);
    } else if (word("false")) {
      events_.boolean(start, false);
    } else if (word("null")) {
      events_.null(start);
    } else if (at_ >= text_.size()) {
      return wrong(at_, "the text ends where a value is expected");
    } else {
      return wrong(at_, "expected a value");
    }
    return {};
  }

  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }

  Result<void> number() {
    const std::size_t start = at_;
    bool whole = true;
    if (peek() == '-') ++at_;
    if (!is_digit(peek())) return wrong(at_, "expected a digit");
    if (peek() == '0') {
      ++at_;
      if (is_digit(peek())) return wrong(at_, "a number may not start with 0");
    }
    while (is_digit(peek())) ++at_;
    if (peek() == '.') {
      whole = false;
      ++at_;
      if (!is_digit(peek())) return wrong(at_, "expected a digit after '.'");
      while (is_digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      whole = false;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!is_digit(peek())) return wrong(at_, "expected a digit in the exponent");
      while (is_digit(peek())) ++at_;
    }
    const std::string_view digits = text_.substr(start, at_ - start);
    return emit_number(start, digits, whole && digits != "-0");
  }

  Result<void> emit_number(std::size_t start, std::string_view digits, bool whole) {
    const char* end = digits.data() + digits.size();
    if (whole) {
      std::int64_t integer = 0;
      if (std::from_chars(digits.data(), end, integer).ec == std::errc{}) {
        events_.integer(start, integer);
        return {};
      }
    }
    double number = 0;
    if (std::from_chars(digits.data(), end, number).ec != std::errc{} || !std::isfinite(number)) {
      // Out of range is either far too small, which is zero, or far too large.
      if (!underflows(digits)) return wrong(start, "the number is too large for a double");
      number = digits.front() == '-' ? -0.0 : 0.0;
    }
    events_.number(start, number);
    return {};
  }

  /// Whether a number that from_chars calls out of range is tiny rather than huge: the decimal
  /// exponent of its first non-zero digit is negative.
  static bool underflows(std::string_view digits) {
    const std::size_t e = digits.find_first_of("eE");
    const std::string_view mantissa = digits.substr(0, e);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::size_t first = mantissa.find_first_of("123456789");
    if (first == std::string_view::npos) return true;
    std::string_view exponent_text = e == std::string_view::npos ? "0" : digits.substr(e + 1);
    if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
    const auto exponent = parse_int(exponent_text);
    if (!exponent) return exponent_text.starts_with('-');
    const auto place = first < point ? static_cast<std::int64_t>(point - first - 1)
                                     : -static_cast<std::int64_t>(first - point);
    // Saturating: the exponent alone may be near the ends of int64.
    if (*exponent < -1'000'000'000'000) return true;
    if (*exponent > 1'000'000'000'000) return false;
    return place + *exponent < 0;
  }

  Result<void> string(std::string& out) {
    const std::size_t start = at_++;
    while (true) {
      const std::size_t run = at_;
      const PlainRun found = plain_run(text_.substr(at_));
      at_ += found.length;
      const std::string_view plain = text_.substr(run, found.length);
      if (!found.is_ascii) TRY(check_utf8(run, plain));
      out += plain;
      if (at_ >= text_.size()) return wrong(start, "the string has no end");
      if (text_[at_] == '"') {
        ++at_;
        return {};
      }
      if (text_[at_] != '\\') return wrong(at_, "a control character must be escaped");
      TRY(escape(out));
    }
  }

  Result<void> check_utf8(std::size_t run, std::string_view plain) const {
    const auto bad = utf8::first_invalid(plain);
    if (bad) return wrong(run + *bad, "the text is not UTF-8 here");
    return {};
  }

  Result<void> escape(std::string& out) {
    const std::size_t start = at_;
    ++at_;
    const char c = peek();
    ++at_;
    switch (c) {
      case '"': out += '"'; return {};
      case '\\': out += '\\'; return {};
      case '/': out += '/'; return {};
      case 'b': out += '\b'; return {};
      case 'f': out += '\f'; return {};
      case 'n': out += '\n'; return {};
      case 'r': out += '\r'; return {};
      case 't': out += '\t'; return {};
      case 'u': return unicode_escape(start, out);
      default: return wrong(start, "unknown escape");
    }
  }

  Result<void> unicode_escape(std::size_t start, std::string& out) {
    char32_t code = TRY(four_hex_digits(start));
    if (code >= 0xDC00 && code <= 0xDFFF) return wrong(start, "lone surrogate");
    if (code >= 0xD800 && code <= 0xDBFF) {
      if (!word("\\u")) return wrong(start, "lone surrogate");
      const char32_t low = TRY(four_hex_digits(start));
      if (low < 0xDC00 || low > 0xDFFF) return wrong(start, "lone surrogate");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    utf8::append(out, code);
    return {};
  }

  Result<char32_t> four_hex_digits(std::size_t start) {
    const std::string_view digits = text_.substr(at_, 4);
    std::uint32_t code = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, problem] = std::from_chars(digits.data(), end, code, 16);
    if (digits.size() != 4 || problem != std::errc{} || stop != end) {
      return wrong(start, "\\u needs four hexadecimal digits");
    }
    at_ += 4;
    return code;
  }

  std::string_view text_;
  const ReadLimits& bounds_;
  Heard& events_;
  std::size_t at_ = 0;
  std::string containers_;  // those open, by how they open; a few need no memory of their own
};

/// Builds the value that the events describe, each part of it where it stays: what holds an open
/// container does not grow, so a pointer to it holds.
class Builder final : public ParseHandler {
 public:
  Builder() { open_.reserve(depth_expected); }

  void null(std::size_t) override { place(); }
  void boolean(std::size_t, bool value) override { place() = value; }
  void integer(std::size_t, std::int64_t value) override { place() = value; }
  void number(std::size_t, double value) override { place() = value; }
  void string(std::size_t, std::string value) override { place() = std::move(value); }
  void begin_array(std::size_t) override { open(Array()); }
  void end_array() override { open_.pop_back(); }
  void begin_object(std::size_t) override { open(Object()); }
  void end_object() override { open_.pop_back(); }

  bool key(std::size_t, std::string name) override {
    Object& object = *open_.back()->if_object();
    if (object.contains(name)) return false;
    if (object.empty()) object.reserve(members_expected);
    object.append_new(std::move(name), Value());
    return true;
  }

  Value take() { return std::move(root_); }

 private:
  // Most texts need no more than these, and allocate once.
  static constexpr std::size_t depth_expected = 8;
  static constexpr std::size_t members_expected = 4;

  /// Where the next value belongs; null until it is set.
  Value& place() {
    if (open_.empty()) return root_;
    Value& around = *open_.back();
    if (Array* array = around.if_array()) return array->emplace_back();
    return std::prev(around.if_object()->end())->value;
  }

  void open(Value container) {
    Value& opened = place();
    opened = std::move(container);
    open_.push_back(&opened);
  }

  Value root_;
  std::vector<Value*> open_;
};

}  // namespace

Position position_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  Position place;
  place.offset = before.size();
  place.line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t line_start = before.rfind('\n');
  place.column = before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
  return place;
}

Result<void> read(std::string_view text, const ReadLimits& bounds, ParseHandler& events) {
  return Reader(text, bounds, events).read();
}

Result<Value> parse(std::string_view text, const ReadLimits& bounds) {
  Builder builder;
  TRY(Reader(text, bounds, builder).read());
  return builder.take();
}

}  // namespace baton::json
