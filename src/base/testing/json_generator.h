#pragma once
// JSON values and texts for tests, drawn from a source of choices. Only tests include this.
//
// A source is called as choose(n) and gives a number below n; 0 is the simplest choice, so that
// rapidcheck can shrink what it made.

#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "base/json/json.h"
#include "base/text/utf8.h"

namespace baton::json::testing {

/// Choices from a seeded generator: the same seed gives the same values.
class SeededChoices {
 public:
  explicit SeededChoices(std::uint64_t seed) : random_(seed) {}
  std::size_t operator()(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

 private:
  std::mt19937_64 random_;
};

/// Choices by rapidcheck; only inside rc::gen::exec or a property.
struct ShrinkingChoices {
  std::size_t operator()(std::size_t n) const {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, n));
  }
};

template <class Choose>
std::uint64_t any_bits(Choose& choose) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; ++i) bits = (bits << 16) | choose(0x10000);
  return bits;
}

template <class Choose>
char32_t any_code_point(Choose& choose) {
  switch (choose(8)) {
    case 0:
    case 1:
    case 2: return static_cast<char32_t>('a' + choose(26));
    case 3: return static_cast<char32_t>(choose(0x20));
    case 4: return static_cast<char32_t>(U"\"\\/\u007f\u0080\u2028\u2029\ufeff"[choose(8)]);
    case 5: return static_cast<char32_t>(0x80 + choose(0xD800 - 0x80));
    case 6: return static_cast<char32_t>(0xE000 + choose(0x2000));
    default: return static_cast<char32_t>(0x10000 + choose(0x100000));
  }
}

template <class Choose>
std::string any_string(Choose& choose) {
  std::string out;
  for (std::size_t left = choose(9); left > 0; --left) utf8::append(out, any_code_point(choose));
  return out;
}

template <class Choose>
double any_double(Choose& choose) {
  switch (choose(4)) {
    case 0: return static_cast<double>(choose(2001)) / 8 - 125;
    case 1: {
      constexpr double edges[] = {-0.0,
                                  1e21,
                                  1e-7,
                                  1e-6,
                                  5e-324,
                                  1e23,
                                  9007199254740992.0,
                                  9223372036854775808.0,
                                  -9223372036854775808.0,
                                  1152921504606846976.0,
                                  18446744073709551616.0,
                                  std::numeric_limits<double>::max(),
                                  std::numeric_limits<double>::min()};
      return edges[choose(std::size(edges))];
    }
    case 2:
      return std::ldexp(static_cast<double>(1 + choose(1u << 20)), static_cast<int>(choose(70)));
    default: {
      const auto number = std::bit_cast<double>(any_bits(choose));
      return std::isfinite(number) ? number : 0.5;
    }
  }
}

template <class Choose>
std::int64_t any_integer(Choose& choose) {
  switch (choose(4)) {
    case 0: return static_cast<std::int64_t>(choose(2001)) - 1000;
    case 1: {
      const std::int64_t near = (std::int64_t{1} << 53) - 8 + static_cast<std::int64_t>(choose(16));
      return choose(2) == 0 ? near : -near;
    }
    case 2:
      return choose(2) == 0 ? std::numeric_limits<std::int64_t>::max()
                            : std::numeric_limits<std::int64_t>::min();
    default: return static_cast<std::int64_t>(any_bits(choose) >> choose(64));
  }
}

/// Any value that is nested at most `depth` deep.
template <class Choose>
Value any_value(Choose& choose, std::size_t depth = 4) {
  switch (choose(depth == 0 ? 5 : 9)) {
    case 0: return nullptr;
    case 1: return choose(2) == 1;
    case 2: return any_integer(choose);
    case 3: return any_double(choose);
    case 4: return any_string(choose);
    case 5:
    case 6: {
      Array array;
      for (std::size_t left = choose(5); left > 0; --left) {
        array.push_back(any_value(choose, depth - 1));
      }
      return array;
    }
    default: {
      Object object;
      for (std::size_t left = choose(6); left > 0; --left) {
        object.set(any_string(choose), any_value(choose, depth - 1));
      }
      return object;
    }
  }
}

/// Another way to write a valid text: spaces where they are allowed.
template <class Choose>
std::string respaced(std::string_view text, Choose& choose) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      out += c;
      out += text[++i];
      continue;
    }
    if (c == '"') quoted = !quoted;
    out += c;
    const bool may_space =
        !quoted && std::string_view("[]{},:\"").find(c) != std::string_view::npos;
    if (may_space && choose(3) == 0) out += " \t\r\n"[choose(4)];
  }
  return out;
}

/// `text` with a few bytes removed, doubled, or replaced by such as matter in JSON.
template <class Choose>
std::string damaged(std::string text, Choose& choose) {
  constexpr std::string_view pieces[] = {"\"",
                                         "\\",
                                         ",",
                                         ":",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         "0",
                                         "1",
                                         "-",
                                         ".",
                                         "e",
                                         "E",
                                         "+",
                                         "null",
                                         "true",
                                         "\\ud800",
                                         "\\udc00",
                                         "\\u0000",
                                         "\\x",
                                         "1e400",
                                         " ",
                                         "\n",
                                         "\xC3",
                                         "\xA9",
                                         "\xFF",
                                         "\x01",
                                         "1e-400",
                                         "Infinity",
                                         "//",
                                         "01",
                                         "'",
                                         "\"a\":1",
                                         "\xED\xA0\x80",
                                         "NaN",
                                         "\\",
                                         "\xEF\xBB\xBF",
                                         "99999999999999999999",
                                         "-0"};
  for (std::size_t left = 1 + choose(3); left > 0; --left) {
    const std::size_t at = choose(text.size() + 1);
    const std::size_t length = std::min(choose(4), text.size() - at);
    switch (choose(3)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, text.substr(at, length)); break;
      default: text.replace(at, length, pieces[choose(std::size(pieces))]);
    }
  }
  return text;
}

}  // namespace baton::json::testing

namespace rc {

template <>
struct Arbitrary<baton::json::Value> {
  static Gen<baton::json::Value> arbitrary() {
    return gen::exec([] {
      baton::json::testing::ShrinkingChoices choose;
      return baton::json::testing::any_value(choose);
    });
  }
};

}  // namespace rc

namespace baton::json {

/// How rapidcheck shows a value.
inline void showValue(const Value& value, std::ostream& out) { out << print(value); }

}  // namespace baton::json
