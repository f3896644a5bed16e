// The JSON value, its reader and its compact and indented text.

#include "base/json/json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/testing/json_generator.h"
#include "base/text/text.h"

namespace baton::json {
namespace {

/// The compact text of what `text` holds, or the error's message.
std::string read(std::string_view text) {
  const auto value = parse(text);
  return value ? print(*value) : value.error().message;
}

std::string_view code(std::string_view text, const ReadLimits& bounds = {}) {
  const auto value = parse(text, bounds);
  return value ? "none" : name_of(value.error().code);
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

// --- what is read -------------------------------------------------------------------------------

TEST(json, scalars_are_read) {
  EXPECT_EQ(*parse("null"), Value());
  EXPECT_EQ(*parse(" true "), Value(true));
  EXPECT_EQ(*parse("\r\n\tfalse"), Value(false));
  EXPECT_EQ(*parse("\"\""), Value(""));
  EXPECT_EQ(parse("1")->type(), Type::integer);
  EXPECT_EQ(parse("1.0")->type(), Type::number);
  EXPECT_EQ(parse("1e2")->type(), Type::number);
}

TEST(json, words_are_exact) {
  for (const char* text : {"nul",
                           "nulll",
                           "True",
                           "NULL",
                           "tru",
                           "undefined",
                           "NaN",
                           "Infinity",
                           "-Infinity",
                           "-",
                           "+1",
                           ".5",
                           "5.",
                           "1e",
                           "1e+",
                           "0x10",
                           "01",
                           "-01",
                           "1_000",
                           "1,",
                           "'a'",
                           "// 1",
                           "/* */1",
                           "\xEF\xBB\xBF"
                           "1",
                           ""}) {
    EXPECT_EQ(code(text), "INVALID_JSON") << text;
  }
}

TEST(json, integers_are_exact_to_both_ends_of_int64) {
  EXPECT_EQ(*parse("9223372036854775807")->if_int(), INT64_MAX);
  EXPECT_EQ(*parse("-9223372036854775808")->if_int(), INT64_MIN);
  EXPECT_EQ(*parse("9223372036854775808")->if_double(), 9223372036854775808.0);
  EXPECT_EQ(*parse("-9223372036854775809")->if_double(), -9223372036854775808.0);
  EXPECT_EQ(*parse("0")->if_int(), 0);
}

TEST(json, minus_zero_is_a_double_and_keeps_its_sign) {
  for (const char* text : {"-0", "-0.0", "-0e5", "-1e-400"}) {
    const auto value = parse(text);
    ASSERT_TRUE(value && value->if_double() != nullptr) << text;
    EXPECT_TRUE(std::signbit(*value->if_double())) << text;
    EXPECT_EQ(print(*value), "-0") << text;
  }
}

TEST(json, doubles_are_the_nearest_ones) {
  EXPECT_EQ(*parse("0.1")->if_double(), 0.1);
  EXPECT_EQ(*parse("5e-324")->if_double(), 5e-324);
  EXPECT_EQ(*parse("2.2250738585072011e-308")->if_double(), 2.2250738585072011e-308);
  EXPECT_EQ(*parse("1.7976931348623157e308")->if_double(), 1.7976931348623157e308);
  // Halfway between two doubles, then just above it, seen only at the 800th digit.
  EXPECT_EQ(*parse("9007199254740993.0")->if_double(), 9007199254740992.0);
  const std::string above = cat("9007199254740993.", std::string(800, '0'), '1');
  EXPECT_EQ(*parse(above)->if_double(), 9007199254740994.0);
}

TEST(json, numbers_too_small_for_a_double_are_zero) {
  for (const std::string& text :
       {std::string("1e-400"), std::string("2e-324"), cat("0.", std::string(400, '0'), '1'),
        std::string("1e-99999999999999999999"), std::string("123456e-1000000000000000"),
        cat('1', std::string(100, '0'), "e-500"), cat("0.", std::string(500, '0'), "1e100"),
        std::string("0e99999999999999999999")}) {
    const auto value = parse(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(*value, Value(0)) << text;
  }
}

TEST(json, numbers_too_large_for_a_double_are_refused) {
  for (const std::string& text :
       {std::string("1e309"), std::string("-1e400"), std::string(400, '9'),
        std::string("1.7976931348623159e308"), std::string("1e99999999999999999999"),
        std::string("0.001e1000000000000000"), cat("0.", std::string(100, '0'), "1e500")}) {
    EXPECT_EQ(read(text), "line 1, column 1: the number is too large for a double") << text;
  }
}

TEST(json, a_number_with_a_million_digits_is_read) {
  const auto value = parse(cat("0.", std::string(1'000'000, '3')));
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, Value(0.3333333333333333));
}

TEST(json, escapes_are_read) {
  EXPECT_EQ(*parse(R"("\"\\\/\b\f\n\r\t")"), Value("\"\\/\b\f\n\r\t"));
  EXPECT_EQ(*parse(R"("\u0041\u00e9\u20AC\ud83d\ude00")"), Value("A\u00e9\u20ac\U0001F600"));
  EXPECT_EQ(*parse(R"("\u0000")"), Value(std::string(1, '\0')));
  EXPECT_EQ(*parse(R"("\uFFFF\ufdd0")"), Value("\uffff\ufdd0"));
  EXPECT_EQ(*parse(R"("\ud800\udc00\udbff\udfff")"), Value("\U00010000\U0010FFFF"));
}

TEST(json, wrong_escapes_are_refused) {
  for (const char* text :
       {R"("\a")", R"("\")", R"("\u")", R"("\u12")", R"("\u12g4")", R"("\u-123")", R"("\u 123")",
        R"("\U0041")", R"("\x41")", "\"\\", "\"\\u123", "\"abc", "\"\\\n\""}) {
    EXPECT_EQ(code(text), "INVALID_JSON") << text;
  }
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(code("\"\\\0\""sv), "INVALID_JSON");
}

TEST(json, lone_surrogates_are_refused) {
  for (const char* text : {R"("\ud800")", R"("\udc00")", R"("\udc00\ud800")", R"("\ud800\ud800")",
                           R"("\ud800x")", R"("\ud800\n")", R"("\ud800\u0041")"}) {
    EXPECT_EQ(read(text), "line 1, column 2: lone surrogate") << text;
  }
}

TEST(json, control_characters_must_be_escaped) {
  for (int c = 0; c < 0x20; ++c) {
    const std::string text = cat("\"a", static_cast<char>(c), "\"");
    EXPECT_EQ(read(text), "line 1, column 3: a control character must be escaped") << c;
  }
  EXPECT_EQ(*parse("\"\x7f\""), Value("\x7f"));
}

TEST(json, text_that_is_not_utf8_is_refused_where_it_breaks) {
  EXPECT_EQ(read("[\n \"ab\xFF\"]"), "line 2, column 5: the text is not UTF-8 here");
  for (const char* bad : {"\xC3", "\xA9", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xE2\x82", "\xF0\x9F\x98", "\xC3\\u0041"}) {
    EXPECT_EQ(code(cat('"', bad, '"')), "INVALID_JSON") << bad;
    EXPECT_EQ(code(cat("{\"", bad, "\":1}")), "INVALID_JSON") << bad;
    EXPECT_EQ(code(cat("[1", bad, "]")), "INVALID_JSON") << bad;
  }
}

TEST(json, containers_are_read_in_order) {
  EXPECT_EQ(read("[ ]"), "[]");
  EXPECT_EQ(read("{ }"), "{}");
  EXPECT_EQ(read(" [ 1 , [ ] , { } , [ 2 ] ] "), "[1,[],{},[2]]");
  EXPECT_EQ(read(R"({ "b" : 1 , "a" : { "" : [ { } ] } })"), R"({"b":1,"a":{"":[{}]}})");
}

TEST(json, broken_containers_are_refused) {
  for (const char* text : {"[",          "]",
                           "{",          "}",
                           "[1",         "[1,",
                           "[1,]",       "[,1]",
                           "[1 2]",      "[1}",
                           "{]",         "{\"a\"",
                           "{\"a\":",    "{\"a\":}",
                           "{\"a\":1",   "{\"a\":1,",
                           "{\"a\":1,}", "{\"a\" 1}",
                           "{1:2}",      "{a:1}",
                           "{,}",        "{\"a\":1 \"b\":2}",
                           "[[]",        "{\"a\":1]",
                           "[1:2]",      "[\"a\":1]"}) {
    EXPECT_EQ(code(text), "INVALID_JSON") << text;
  }
}

TEST(json, nothing_may_follow_the_value) {
  EXPECT_EQ(read("1 2"), "line 1, column 3: nothing may follow the JSON value");
  EXPECT_EQ(read("{}\n}"), "line 2, column 1: nothing may follow the JSON value");
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(code("1\0"sv), "INVALID_JSON");
  EXPECT_EQ(code("null,"), "INVALID_JSON");
}

TEST(json, errors_say_line_and_column) {
  EXPECT_EQ(read(""), "line 1, column 1: the text ends where a value is expected");
  EXPECT_EQ(read("[1,\n2,\n  x]"), "line 3, column 3: expected a value");
  EXPECT_EQ(read("{\"a\":1,\n\"b\" 2}"), "line 2, column 5: expected ':'");
  EXPECT_EQ(read("[1"), "line 1, column 3: the text ends too early");
  EXPECT_EQ(read("[\"\u00e9\" x"), "line 1, column 7: expected ',' or ']'");
  EXPECT_EQ(read("{\"a\":1 x"), "line 1, column 8: expected ',' or '}'");
  EXPECT_EQ(read("[\n\"abc"), "line 2, column 1: the string has no end");
}

TEST(json, a_position_counts_lines_and_bytes_from_one) {
  const Position start = position_at("ab\n\nc", 0);
  EXPECT_EQ(start.line, 1u);
  EXPECT_EQ(start.column, 1u);
  const Position later = position_at("ab\n\nc", 4);
  EXPECT_EQ(later.line, 3u);
  EXPECT_EQ(later.column, 1u);
  const Position newline = position_at("ab\n\nc", 2);
  EXPECT_EQ(newline.line, 1u);
  EXPECT_EQ(newline.column, 3u);
  EXPECT_EQ(position_at("ab", 99).offset, 2u);
}

// --- duplicates and limits ----------------------------------------------------------------------

TEST(json, duplicate_keys_are_refused) {
  EXPECT_EQ(read("{\"a\":1,\n \"a\":2}"), "line 2, column 2: duplicate key \"a\"");
  EXPECT_EQ(read(R"({"a":1,"\u0061":2})"), R"(line 1, column 8: duplicate key "\u0061")");
  EXPECT_EQ(read(R"({"a":{"a":1},"b":[{"a":2}]})"), R"({"a":{"a":1},"b":[{"a":2}]})");
}

TEST(json, duplicate_keys_are_refused_at_every_distance_in_objects_of_every_size) {
  for (const std::size_t size : {1u, 2u, 15u, 16u, 17u, 18u, 40u}) {
    for (std::size_t twice = 0; twice < size; ++twice) {
      std::string text = "{";
      for (std::size_t i = 0; i < size; ++i) text += cat("\"k", i, "\":0,");
      EXPECT_EQ(code(cat(text, "\"last\":0}")), "none");
      EXPECT_EQ(code(cat(text, "\"k", twice, "\":0}")), "INVALID_JSON") << size << ' ' << twice;
    }
  }
}

TEST(json, a_long_duplicate_key_is_shown_cut_between_characters) {
  std::string key = "a";
  for (int i = 0; i < 100; ++i) key += "\u20ac";
  const auto value = parse(cat("{\"", key, "\":1,\"", key, "\":2}"));
  ASSERT_FALSE(value);
  EXPECT_TRUE(utf8::is_valid(value.error().message));
  EXPECT_LT(value.error().message.size(), 120u);
}

// Enforces: G9
TEST(json, the_depth_limit_holds_on_both_sides) {
  EXPECT_EQ(code(nested(limits::json_depth_max)), "none");
  EXPECT_EQ(code(nested(limits::json_depth_max + 1)), "LIMIT_EXCEEDED");
  std::string objects = "1";
  for (std::size_t i = 0; i < limits::json_depth_max; ++i) objects = cat("{\"a\":", objects, '}');
  EXPECT_EQ(code(objects), "none");
  EXPECT_EQ(code(cat('[', objects, ']')), "LIMIT_EXCEEDED");
  EXPECT_EQ(read(cat("\n ", nested(limits::json_depth_max + 1))),
            "line 2, column 66: nested deeper than 64 levels");
  EXPECT_EQ(code("[[1],[2],[3]]", {.depth_max = 2}), "none") << "closed levels do not count";
  EXPECT_EQ(code("[]", {.depth_max = 0}), "LIMIT_EXCEEDED");
}

// Enforces: G9
TEST(json, a_hundred_thousand_levels_are_refused_not_followed) {
  EXPECT_EQ(code(nested(100'000)), "LIMIT_EXCEEDED");
  EXPECT_EQ(code(std::string(100'000, '[')), "LIMIT_EXCEEDED");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(code(objects), "LIMIT_EXCEEDED");
}

TEST(json, the_depth_ceiling_holds_on_both_sides) {
  const std::size_t most = limits::json_depth_ceiling;
  EXPECT_EQ(code(nested(most), {.depth_max = most}), "none");
  EXPECT_DEATH(std::ignore = parse("[]", {.depth_max = most + 1}), "json_depth_ceiling");
}

// Enforces: G9
TEST(json, the_size_limit_holds_on_both_sides) {
  const std::string fits = cat('"', std::string(limits::message_bytes_max - 2, 'a'), '"');
  EXPECT_EQ(code(fits), "none");
  EXPECT_EQ(code(cat(fits, ' ')), "LIMIT_EXCEEDED");
  EXPECT_EQ(code("[1]", {.bytes_max = 3}), "none");
  EXPECT_EQ(code("[12]", {.bytes_max = 3}), "LIMIT_EXCEEDED");
}

TEST(json, an_object_of_two_hundred_thousand_keys_is_read) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += cat('"', i, "\":0,");
  text += "\"end\":1}";
  const auto value = parse(text);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->if_object()->size(), 200'001u);
}

// --- values -------------------------------------------------------------------------------------

TEST(json, numbers_compare_by_value) {
  EXPECT_EQ(Value(1), Value(1.0));
  EXPECT_NE(Value(1), Value(1.5));
  EXPECT_NE(Value(1), Value(true));
  EXPECT_NE(Value(0), Value(nullptr));
  EXPECT_EQ(Value(0), Value(-0.0));
  EXPECT_NE(Value(INT64_MAX), Value(9223372036854775808.0)) << "no double equals it";
  EXPECT_NE(Value(std::int64_t{9007199254740993}), Value(9007199254740992.0));
  EXPECT_EQ(Value(INT64_MIN), Value(-9223372036854775808.0));
  EXPECT_NE(Value(0), Value(1e300));
}

TEST(json, objects_compare_without_order_and_arrays_with_it) {
  EXPECT_EQ(*parse(R"({"a":1,"b":2})"), *parse(R"({"b":2,"a":1.0})"));
  EXPECT_NE(*parse(R"({"a":1,"b":2})"), *parse(R"({"a":1})"));
  EXPECT_NE(*parse(R"({"a":1,"b":2})"), *parse(R"({"a":1,"c":2})"));
  EXPECT_NE(*parse("[1,2]"), *parse("[2,1]"));
}

TEST(json, object_members_are_found_set_and_erased) {
  Object object{{"a", 1}, {"b", 2}, {"a", 3}};
  EXPECT_EQ(object.size(), 2u) << "the second \"a\" replaces the first";
  EXPECT_EQ(print(object), R"({"a":3,"b":2})");
  object.set("c", "x");
  object.set("b", nullptr);
  EXPECT_EQ(print(object), R"({"a":3,"b":null,"c":"x"})");
  EXPECT_TRUE(object.erase("a"));
  EXPECT_FALSE(object.erase("a"));
  EXPECT_EQ(object.find("a"), nullptr);
  EXPECT_EQ(*object.find("c"), Value("x"));
  EXPECT_EQ(Value(object).find("b")->type(), Type::null);
  EXPECT_EQ(Value(1).find("b"), nullptr);
  EXPECT_EQ(name_of(Value(object).type()), "object");
}

TEST(json, only_what_is_meant_becomes_a_value) {
  static_assert(!std::is_constructible_v<Value, const void*>);
  static_assert(!std::is_constructible_v<Value, const Object*>);
  static_assert(!std::is_constructible_v<Value, char>);
  static_assert(!std::is_constructible_v<Value, std::uint64_t>);
  static_assert(std::is_constructible_v<Value, std::uint32_t>);
  EXPECT_EQ(Value(true).type(), Type::boolean);
  EXPECT_EQ(Value(std::uint32_t{4'000'000'000}), Value(4e9));
  EXPECT_EQ(Value(1.5f), Value(1.5));
  EXPECT_EQ(Value("a").type(), Type::string);
}

// --- text out -----------------------------------------------------------------------------------

TEST(json, compact_text_has_no_spaces_and_few_escapes) {
  const Value value = Object{{"a\n\"", Array{1, 2.5, true, nullptr, "\u00e9/\x7f\x1f"}}};
  EXPECT_EQ(print(value), "{\"a\\n\\\"\":[1,2.5,true,null,\"\u00e9/\x7f\\u001f\"]}");
}

TEST(json, pretty_text_is_indented_by_two) {
  EXPECT_EQ(print_pretty(*parse(R"({"a":[1,{}],"b":[],"c":{"d":null}})")),
            "{\n"
            "  \"a\": [\n"
            "    1,\n"
            "    {}\n"
            "  ],\n"
            "  \"b\": [],\n"
            "  \"c\": {\n"
            "    \"d\": null\n"
            "  }\n"
            "}");
}

TEST(json, doubles_beyond_two_to_the_53_are_printed_to_the_last_digit) {
  EXPECT_EQ(print(1152921504606846976.0), "1152921504606846976");
  EXPECT_EQ(print(-9223372036854775808.0), "-9223372036854775808");
  EXPECT_EQ(print(9223372036854775808.0), "9223372036854776000");
  EXPECT_EQ(print(9007199254740992.0), "9007199254740992");
}

RC_GTEST_PROP(json, what_is_printed_reads_back_equal, (const Value& value)) {
  RC_ASSERT(*parse(print(value)) == value);
  RC_ASSERT(*parse(print_pretty(value)) == value);
}

RC_GTEST_PROP(json, compact_text_is_stable, (const Value& value)) {
  const std::string text = print(value);
  RC_ASSERT(print(*parse(text)) == text);
}

RC_GTEST_PROP(json, every_double_reads_back_bit_by_bit, (std::uint64_t bits)) {
  const auto number = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(number));
  RC_ASSERT(parse(number_text(number))->as_double() == number);
}

RC_GTEST_PROP(json, spaces_between_tokens_change_nothing, (const Value& value)) {
  testing::ShrinkingChoices choose;
  RC_ASSERT(*parse(testing::respaced(print(value), choose)) == value);
}

RC_GTEST_PROP(json, members_in_any_order_are_equal, (const Value& value)) {
  RC_PRE(value.is_object());
  const Object* object = value.if_object();
  Object reversed;
  std::vector<Member> members(object->begin(), object->end());
  for (auto it = members.rbegin(); it != members.rend(); ++it) reversed.set(it->key, it->value);
  RC_ASSERT(Value(reversed) == value);
}

// --- large objects -------------------------------------------------------------------------------

std::string key_of(int number) { return cat("key-", number); }

/// What an object must be: members in their order, each key once.
using Model = std::vector<std::pair<std::string, int>>;

void expect_same(const Object& object, const Model& model) {
  ASSERT_EQ(object.size(), model.size());
  std::size_t at = 0;
  for (const Member& member : object) {
    EXPECT_EQ(member.key, model[at].first);
    EXPECT_EQ(member.value, Value(model[at].second));
    EXPECT_EQ(object.find(member.key), &member.value);
    ++at;
  }
  EXPECT_EQ(object.find("never there"), nullptr);
}

RC_GTEST_PROP(json_object, is_what_was_set_in_it_whatever_its_size, ()) {
  Object object;
  Model model;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 600));
  for (const int step : steps) {
    const std::string key = key_of(step % 60);
    const auto known = std::ranges::find(model, key, &Model::value_type::first);
    if (step < 60) {
      RC_ASSERT(object.erase(key) == (known != model.end()));
      if (known != model.end()) model.erase(known);
    } else if (known != model.end()) {
      object.set(key, step);
      known->second = step;
    } else {
      object.set(key, step);
      model.emplace_back(key, step);
    }
    RC_ASSERT(object.contains(key) == (step >= 60));
  }
  expect_same(object, model);
  Object copy = object;
  copy.set("one more", 1);
  RC_ASSERT(!object.contains("one more"));
  const Object moved = std::move(object);
  expect_same(moved, model);
}

TEST(json_object, takes_as_many_keys_in_any_order) {
  constexpr int many = 3'000;
  Object up;
  Object down;
  for (int i = 0; i < many; ++i) up.set(cat(100'000 + i), i);
  for (int i = many; i-- > 0;) down.append_new(cat(100'000 + i), i);
  EXPECT_EQ(up, down);
  for (int i = 0; i < many; ++i) {
    ASSERT_NE(down.find(cat(100'000 + i)), nullptr) << i;
    EXPECT_EQ(*down.find(cat(100'000 + i)), Value(i));
  }
  EXPECT_TRUE(up.erase(cat(100'000)));
  EXPECT_FALSE(up.erase(cat(100'000)));
  EXPECT_EQ(*up.find(cat(100'000 + many - 1)), Value(many - 1));
}

TEST(json_object, a_value_of_it_is_no_larger_than_a_text) {
  EXPECT_LE(sizeof(Object), sizeof(std::string));
}

// Enforces: G9
TEST(json, a_size_is_judged_without_printing) {
  for (const char* text : {"null", "true", "7", "\"abc\"", "[]", "[1,2,3]", "{}", "[[],{}]",
                           R"({"a":1,"bc":[null,"x"]})"}) {
    const Value value = MUST(parse(text));
    const std::size_t bytes = print(value).size();
    EXPECT_FALSE(is_longer_than(value, bytes)) << text;
    EXPECT_TRUE(is_longer_than(value, bytes - 1)) << text;
  }
  // Of numbers and escapes it is the least: what may be short enough is never rejected.
  for (const char* text : {"false", "-12.5", R"(["\u0001"])", R"({"\n":1e300})"}) {
    const Value value = MUST(parse(text));
    EXPECT_FALSE(is_longer_than(value, print(value).size())) << text;
  }
}

}  // namespace
}  // namespace baton::json
