// Values and schemas: what every message and file goes through first.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "base/schema/schema.h"
#include "base/text/search.h"
#include "base/text/text.h"
#include "counted_work.h"

namespace baton::work {
namespace {

using json::Array;
using json::Object;
using json::Value;
using Run = std::function<void()>;

Object object_of(std::size_t size) {
  Object out;
  for (std::size_t i = 0; i < size; ++i) out.append_new(key_of(i), static_cast<std::int64_t>(i));
  return out;
}

Object backwards(std::size_t size) {
  Object out;
  for (std::size_t i = size; i-- > 0;) out.append_new(key_of(i), static_cast<std::int64_t>(i));
  return out;
}

Array array_of(std::size_t size) {
  Array out;
  for (std::size_t i = 0; i < size; ++i) out.emplace_back(key_of(i));
  return out;
}

Run validate(const Value& schema, Value value) {
  return [schema = MUST(schema::Schema::compile(schema, {})), value = std::move(value)] {
    use(schema.validate(value));
  };
}

Object properties_of(std::size_t size) {
  Object out;
  for (std::size_t i = 0; i < size; ++i) out.append_new(key_of(i), Object{{"type", "integer"}});
  return out;
}

Run parse_keys(std::size_t size) {
  return [text = json::print(object_of(size))] { use(json::parse(text)); };
}
Run parse_a_key_twice(std::size_t size) {
  std::string text = json::print(object_of(size));
  text.back() = ',';
  text += cat('"', key_of(size - 1), "\":0}");
  return [text] { use(json::parse(text)); };
}
Run parse_items(std::size_t size) {
  return [text = json::print(array_of(size))] { use(json::parse(text)); };
}
Run set_keys(std::size_t size) {
  return [size] {
    Object out;
    for (std::size_t i = 0; i < size; ++i) out.set(key_of(i), 1);
    for (std::size_t i = 0; i < size; ++i) out.set(key_of(i), 2);
    use(out);
  };
}
Run find_keys(std::size_t size) {
  return [object = object_of(size), size] {
    for (std::size_t i = 0; i < 2 * size; ++i) use(object.find(key_of(i)));
  };
}
Run compare(std::size_t size) {
  return [a = object_of(size), b = backwards(size)] { use(a == b); };
}
Run copy(std::size_t size) {
  return [object = object_of(size)] {
    Object other = object;
    other.set("another", 1);
    use(other);
  };
}
Run print(std::size_t size) {
  return [value = Value(object_of(size))] {
    use(json::print_pretty(value));
    use(json::canonical(value));
  };
}
Run compile_properties(std::size_t size) {
  return [schema = Value(Object{{"properties", properties_of(size)}})] {
    use(schema::Schema::compile(schema, {}));
  };
}
Run check_properties(std::size_t size) {
  return validate(Object{{"properties", properties_of(size)}}, object_of(size));
}
Run check_unknown_properties(std::size_t size) {
  return validate(Object{{"properties", properties_of(8)}, {"additionalProperties", false}},
                  object_of(size));
}
Run check_required(std::size_t size) {
  return validate(Object{{"required", array_of(size)}}, object_of(size));
}
Run check_missing(std::size_t size) {
  return validate(Object{{"required", array_of(size)}}, Object());
}
Run check_dependent(std::size_t size) {
  Object needs;
  for (std::size_t i = 0; i < size; ++i) needs.append_new(key_of(i), Array{key_of(size - 1 - i)});
  return validate(Object{{"dependentRequired", std::move(needs)}}, object_of(size));
}
Run check_unique(std::size_t size) {
  return validate(Object{{"uniqueItems", true}}, array_of(size));
}
Run check_enum(std::size_t size) {
  return validate(Object{{"items", Object{{"enum", array_of(size)}}}}, array_of(size));
}
Run check_unevaluated(std::size_t size) {
  const Value some(Object{{"properties", properties_of(size)}});
  return validate(Object{{"allOf", Array{some}}, {"unevaluatedProperties", false}},
                  object_of(size));
}
Run search_words(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += cat(key_of(i), ' ');
  return [text] { use(search_tokens(text)); };
}

constexpr std::size_t many = 4'000;
constexpr Operation operations[] = {
    {"parsing_keys", many, parse_keys},
    {"parsing_a_key_that_is_there_twice", many, parse_a_key_twice},
    {"parsing_items", many, parse_items},
    {"setting_keys", many, set_keys},
    {"finding_keys", many, find_keys},
    {"comparing_objects", many, compare},
    {"copying_an_object", many, copy},
    {"printing_an_object", many, print},
    {"compiling_properties", many, compile_properties},
    {"checking_properties", many, check_properties},
    {"checking_properties_that_are_not_known", many, check_unknown_properties},
    {"checking_required_properties", many, check_required},
    {"checking_properties_that_are_missing", many, check_missing},
    {"checking_properties_that_need_others", many, check_dependent},
    {"checking_that_items_differ", many, check_unique},
    {"checking_items_against_many_values", many, check_enum},
    {"checking_what_was_not_evaluated", many, check_unevaluated},
    {"the_words_of_a_text", 1'000, search_words},
};

class JsonWork : public ::testing::TestWithParam<Operation> {};

// Enforces: G9
TEST_P(JsonWork, is_about_linear_in) { expect_about_linear(GetParam()); }
INSTANTIATE_TEST_SUITE_P(values, JsonWork, ::testing::ValuesIn(operations),
                         [](const auto& each) { return name_of(each); });

/// The mistake itself: it proves that the count would show it.
Run look_through_a_list(std::size_t size) {
  return [size] {
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < size; ++i) {
      if (std::ranges::find(seen, key_of(i)) == seen.end()) seen.push_back(key_of(i));
    }
    use(seen);
  };
}

TEST(counted_work, of_a_search_through_a_list_for_each_of_its_entries_is_not_linear) {
  const Operation quadratic{"quadratic", 1'000, look_through_a_list};
  EXPECT_GT(work_of(quadratic, 2'000), 3 * work_of(quadratic, 1'000));
}

TEST(counted_work, is_the_same_for_the_same_input) {
  const Operation operation{"parsing", 500, parse_keys};
  EXPECT_EQ(work_of(operation, 500), work_of(operation, 500));
}

}  // namespace
}  // namespace baton::work
