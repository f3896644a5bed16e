// Canonical JSON: RFC 8785's own examples and the laws that hashing relies on.
// Origin: 004-49, 004-88, 004-95

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>

#include "base/json/json.h"
#include "base/testing/json_generator.h"

namespace baton::json {
namespace {

std::string canon(std::string_view text) {
  const auto value = parse(text);
  if (!value) return value.error().message;
  const auto out = canonical(*value);
  return out ? *out : std::string(name_of(out.error().code));
}

TEST(json_canonical, the_primitive_types_of_rfc_8785_section_3_2_2) {
  EXPECT_EQ(canon(R"({
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  })"),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST(json_canonical, the_sorting_example_of_rfc_8785_section_3_2_3) {
  EXPECT_EQ(canon(R"({
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis"
  })"),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\","
            "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
            "\"\U0001F600\":\"Emoji: Grinning Face\","
            "\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST(json_canonical, the_published_test_documents) {
  EXPECT_EQ(canon(R"([56, {"d": true, "10": null, "1": []}])"),
            R"([56,{"1":[],"10":null,"d":true}])");
  EXPECT_EQ(
      canon(R"({
    "peach": "This sorting order",
    "p\u00e9ch\u00e9": "is wrong according to French",
    "p\u00eache": "but canonicalization MUST",
    "sin": "ignore locale"
  })"),
      "{\"peach\":\"This sorting order\",\"p\u00e9ch\u00e9\":\"is wrong according to French\","
      "\"p\u00eache\":\"but canonicalization MUST\",\"sin\":\"ignore locale\"}");
  EXPECT_EQ(canon(R"({
    "1": {"f": {"f": "hi", "F": 5}, "\n": 56.0},
    "10": {},
    "": "empty",
    "a": {},
    "111": [{"e": "yes", "E": "no"}],
    "A": {}
  })"),
            R"({"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},)"
            R"("111":[{"E":"no","e":"yes"}],"A":{},"a":{}})");
  EXPECT_EQ(canon(R"({"Unnormalized Unicode": "A\u030a"})"),
            "{\"Unnormalized Unicode\":\"A\u030a\"}");
  EXPECT_EQ(canon(R"({
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\u000a": "Newline",
    "1": "One",
    "\u0080": "Control\u007f",
    "\ud83d\ude02": "Smiley",
    "\u00f6": "Latin Small Letter O With Diaeresis",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "</script>": "Browser Challenge"
  })"),
            "{\"\\n\":\"Newline\",\"\\r\":\"Carriage Return\",\"1\":\"One\","
            "\"</script>\":\"Browser Challenge\",\"\xC2\x80\":\"Control\x7f\","
            "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
            "\"\U0001F602\":\"Smiley\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST(json_canonical, greek_and_other_letters_sort_by_code_unit_not_by_language) {
  EXPECT_EQ(canon(R"({"ω":1,"Α":2,"ά":3,"α":4,"Ω":5,"z":6})"),
            R"({"z":6,"Α":2,"Ω":5,"ά":3,"α":4,"ω":1})");
}

struct NumberCase {
  std::uint64_t bits;
  std::string_view text;
};

TEST(json_canonical, the_number_table_of_rfc_8785_appendix_b) {
  constexpr NumberCase cases[] = {
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  };
  for (const NumberCase& expected : cases) {
    const auto number = std::bit_cast<double>(expected.bits);
    EXPECT_EQ(number_text(number), expected.text);
    EXPECT_EQ(*canonical(number), expected.text);
    EXPECT_EQ(parse(expected.text)->as_double(), number);
  }
}

TEST(json_canonical, numbers_change_form_at_the_powers_that_ecmascript_names) {
  EXPECT_EQ(canon("[1e20, 1e21, 1e-6, 1e-7, 123e18, 1234e18, 0.00000123, 0.000000123]"),
            "[100000000000000000000,1e+21,0.000001,1e-7,123000000000000000000,1.234e+21,"
            "0.00000123,1.23e-7]");
  EXPECT_EQ(canon("[-0, -0.0, 1.0, 1e2, 100e-2, 1e-400]"), "[0,0,1,100,1,0]");
}

TEST(json_canonical, doubles_that_are_not_numbers_are_never_printed) {
  EXPECT_DEATH(number_text(std::bit_cast<double>(0x7fffffffffffffff)), "isfinite");
  EXPECT_DEATH(number_text(std::bit_cast<double>(0x7ff0000000000000)), "isfinite");
}

TEST(json_canonical, integers_with_an_exact_double_are_accepted) {
  EXPECT_EQ(canon("9007199254740992"), "9007199254740992");
  EXPECT_EQ(canon("9007199254740994"), "9007199254740994");
  EXPECT_EQ(canon("-9007199254740992"), "-9007199254740992");
  EXPECT_EQ(canon("1152921504606846976"), "1152921504606847000");
  EXPECT_EQ(canon("-9223372036854775808"), "-9223372036854776000");
}

TEST(json_canonical, integers_without_an_exact_double_are_refused) {
  for (const char* text : {"9007199254740993", "-9007199254740993", "9223372036854775807",
                           "[{\"a\":9007199254740993}]", "1152921504606846977"}) {
    EXPECT_EQ(canon(text), "NUMBER_INEXACT") << text;
  }
  EXPECT_EQ(canonical(std::int64_t{9007199254740993}).error().next.text(), "send it as a string");
}

TEST(json_canonical, an_integer_past_int64_is_a_double_as_in_ecmascript) {
  EXPECT_EQ(canon("18446744073709551616"), "18446744073709552000");
}

RC_GTEST_PROP(json_canonical, canonical_text_is_its_own_canonical_form, (const Value& value)) {
  const auto once = canonical(value);
  RC_PRE(once.has_value());
  RC_ASSERT(*canonical(*parse(*once)) == *once);
}

RC_GTEST_PROP(json_canonical, equal_values_have_equal_text, (const Value& value)) {
  const auto direct = canonical(value);
  const auto reread = canonical(*parse(print(value)));
  RC_ASSERT((direct == reread));
}

/// Whether some integer in the value has no exact double.
bool has_inexact_integer(const Value& value) {
  if (const std::int64_t* integer = value.if_int()) {
    const auto number = static_cast<double>(*integer);
    return number >= 9223372036854775808.0 || static_cast<std::int64_t>(number) != *integer;
  }
  if (const Array* array = value.if_array()) {
    return std::ranges::any_of(*array, has_inexact_integer);
  }
  const Object* object = value.if_object();
  return object != nullptr && std::ranges::any_of(*object, [](const Member& member) {
           return has_inexact_integer(member.value);
         });
}

RC_GTEST_PROP(json_canonical, only_inexact_integers_are_refused, (const Value& value)) {
  const auto text = canonical(value);
  if (!has_inexact_integer(value)) RC_ASSERT(text.has_value());
  if (!text) RC_ASSERT(text.error().code == Code::NUMBER_INEXACT);
}

}  // namespace
}  // namespace baton::json
