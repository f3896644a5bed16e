#include "base/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/schema/value.h"
#include "base/text/text.h"

namespace baton::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

json::Value value_of(std::string_view text) {
  return MUST(json::parse(text));  // the texts of this file are JSON
}

Result<Schema> compiled(std::string_view text) { return Schema::compile(value_of(text), {}); }

Schema schema_of(std::string_view text) {
  return MUST(compiled(text));  // where the schema is the subject, compiled() is used
}

std::vector<std::string> messages(std::string_view schema, std::string_view value) {
  std::vector<std::string> out;
  for (const SchemaProblem& problem : schema_of(schema).validate(value_of(value))) {
    out.push_back(problem.message);
  }
  return out;
}

bool fits(std::string_view schema, std::string_view value) {
  return schema_of(schema).accepts(value_of(value));
}

std::string refusal(std::string_view schema, Code code = Code::INVALID_SCHEMA) {
  const Result<Schema> result = compiled(schema);
  if (result) return "accepted";
  EXPECT_EQ(result.error().code, code) << result.error().message;
  return result.error().message;
}

// --- what a problem says -----------------------------------------------------------------------

TEST(schema, a_problem_says_where_what_and_why) {
  const Schema schema = schema_of(R"({"properties": {"output": {"type": "object", "properties":
      {"notes": {"type": "string"}}}}})");
  const auto problems = schema.validate(value_of(R"({"output": {"notes": 3}})"));
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].code, Code::SCHEMA_VIOLATION);
  EXPECT_EQ(problems[0].instance_path, "/output/notes");
  EXPECT_EQ(problems[0].schema_path, "/properties/output/properties/notes/type");
  EXPECT_EQ(problems[0].keyword, "type");
  EXPECT_EQ(problems[0].message, "/output/notes: expected string, got integer");
}

TEST(schema, all_problems_are_reported_in_the_order_of_the_value) {
  EXPECT_THAT(messages(R"({"properties": {"a": {"type": "string"}, "b": {"minimum": 3}},
                           "required": ["c", "d"], "additionalProperties": false})",
                       R"({"b": 2, "x": null, "a": 1})"),
              ElementsAre("/b: must be at least 3, got 2", "/x: unknown property; known here: a, b",
                          "/a: expected string, got integer", "missing required property \"c\"",
                          "missing required property \"d\""));
}

TEST(schema, paths_are_json_pointers) {
  EXPECT_THAT(messages(R"({"additionalProperties": {"items": {"type": "null"}}})",
                       R"({"a/b~c": [null, 1]})"),
              ElementsAre("/a~1b~0c/1: expected null, got integer"));
}

TEST(schema, an_unknown_property_names_the_nearest_known_one) {
  constexpr std::string_view schema = R"({"type": "object", "additionalProperties": false,
      "properties": {"description": {}, "id": {}}})";
  EXPECT_THAT(messages(schema, R"({"descripton": 1})"),
              ElementsAre("/descripton: unknown property; did you mean \"description\"?"));
  EXPECT_THAT(messages(schema, R"({"colour": 1})"),
              ElementsAre("/colour: unknown property; known here: description, id"));
  EXPECT_THAT(messages(R"({"additionalProperties": false})", R"({"x": 1})"),
              ElementsAre("/x: unknown property; none is allowed here"));
}

TEST(schema, an_unevaluated_property_is_compared_with_names_behind_references) {
  EXPECT_THAT(messages(R"({"$ref": "#/$defs/base", "unevaluatedProperties": false,
                           "$defs": {"base": {"properties": {"summary": {}}}}})",
                       R"({"sumary": 1})"),
              ElementsAre("/sumary: unknown property; did you mean \"summary\"?"));
}

TEST(schema, a_failing_part_does_not_make_its_properties_unknown) {
  EXPECT_THAT(
      messages(R"({"allOf": [{"properties": {"a": {"type": "string"}}}],
                           "unevaluatedProperties": false})",
               R"({"a": 1, "zzz": 2})"),
      ElementsAre("/a: expected string, got integer", "/zzz: unknown property; known here: a"));
}

TEST(schema, a_missing_property_says_its_type) {
  EXPECT_THAT(
      messages(R"({"required": ["n"], "properties": {"n": {"type": ["number", "null"]}}})", "{}"),
      ElementsAre("missing required property \"n\" (number or null)"));
}

TEST(schema, enum_suggests_the_nearest_word) {
  EXPECT_THAT(messages(R"({"enum": ["running", "done", 3]})", R"("runing")"),
              ElementsAre("\"runing\" is not one of \"running\", \"done\", 3; "
                          "did you mean \"running\"?"));
}

TEST(schema, each_keyword_explains_itself) {
  const auto one = [](std::string_view schema, std::string_view value) {
    const auto all = messages(schema, value);
    return all.size() == 1 ? all[0] : cat(all.size(), " problems");
  };
  EXPECT_EQ(one(R"({"const": {"a": 1}})", "7"), "must be an object of 1 property, got 7");
  EXPECT_EQ(one(R"({"exclusiveMinimum": 3})", "3"), "must be above 3, got 3");
  EXPECT_EQ(one(R"({"exclusiveMaximum": 3})", "3"), "must be below 3, got 3");
  EXPECT_EQ(one(R"({"maximum": 2.5})", "3"), "must be at most 2.5, got 3");
  EXPECT_EQ(one(R"({"multipleOf": 5})", "7"), "must be a multiple of 5, got 7");
  EXPECT_EQ(one(R"({"minLength": 3})", R"("ab")"), "needs at least 3 characters, has 2");
  EXPECT_EQ(one(R"({"maxLength": 1})", R"("ab")"), "may have at most 1 character, has 2");
  EXPECT_EQ(one(R"({"pattern": "^x"})", R"("ab")"), "\"ab\" does not match the pattern ^x");
  EXPECT_EQ(one(R"({"minItems": 1})", "[]"), "needs at least 1 item, has 0");
  EXPECT_EQ(one(R"({"maxItems": 2})", "[1,2,3]"), "may have at most 2 items, has 3");
  EXPECT_EQ(one(R"({"uniqueItems": true})", "[1,2,1.0]"),
            "items 0 and 2 are equal, but items must differ");
  EXPECT_EQ(one(R"({"contains": {"type": "null"}})", "[1]"),
            "needs at least 1 item of the form that \"contains\" asks for, has 0");
  EXPECT_EQ(one(R"({"contains": {}, "maxContains": 1})", "[1,2]"),
            "may have at most 1 item of the form that \"contains\" asks for, has 2");
  EXPECT_EQ(one(R"({"minProperties": 1})", "{}"), "needs at least 1 property, has 0");
  EXPECT_EQ(one(R"({"maxProperties": 0})", R"({"a": 1})"), "may have at most 0 properties, has 1");
  EXPECT_EQ(one(R"({"propertyNames": {"maxLength": 1}})", R"({"ab": 1})"),
            "the property name \"ab\" is not allowed: may have at most 1 character, has 2");
  EXPECT_EQ(one(R"({"dependentRequired": {"a": ["b"]}})", R"({"a": 1})"),
            "property \"a\" needs property \"b\" beside it");
  EXPECT_EQ(one(R"({"not": {}})", "1"), "has a form that \"not\" forbids");
  EXPECT_EQ(one("false", "1"), "nothing is allowed here");
  EXPECT_EQ(one(R"({"prefixItems": [true], "unevaluatedItems": false})", "[1,2]"),
            "/1: unexpected item");
  EXPECT_EQ(one(R"({"oneOf": [{"minimum": 1}, {"minimum": 2}]})", "2"),
            "fits alternatives 1 and 2 of 2, but must fit exactly one");
}

TEST(schema, alternatives_of_other_types_are_named_by_type) {
  EXPECT_THAT(messages(R"({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/n"}],
                           "$defs": {"n": {"type": "null"}}})",
                       "5"),
              ElementsAre("expected string or null, got integer"));
}

TEST(schema, the_nearest_alternative_is_explained) {
  EXPECT_THAT(messages(R"({"oneOf": [
      {"type": "object", "properties": {"kind": {"const": "file"}, "path": {"type": "string"}},
       "required": ["kind", "path"]},
      {"type": "object", "properties": {"kind": {"const": "url"}, "url": {"type": "string"}},
       "required": ["kind", "url"]}]})",
                       R"({"kind": "url", "url": 3, "path": "x"})"),
              ElementsAre("fits none of 2 alternatives; the nearest, number 2, says: "
                          "/url: expected string, got integer"));
}

TEST(schema, long_texts_and_paths_are_cut_in_messages) {
  const std::string at_bound(limits::schema_shown_bytes_max, 'x');
  const Schema schema = schema_of(R"({"const": 1})");
  EXPECT_THAT(schema.validate(at_bound)[0].message, HasSubstr(cat('"', at_bound, '"')));
  EXPECT_THAT(schema.validate(at_bound + "x")[0].message, HasSubstr("xxx...\""));

  const Schema deep = schema_of(R"({"additionalProperties": {"type": "null"}})");
  const std::string key(limits::schema_path_bytes_max - 1, 'k');
  EXPECT_EQ(deep.validate(json::Object{{key, 1}})[0].instance_path, "/" + key);
  const auto cut = deep.validate(json::Object{{key + "k", 1}})[0].instance_path;
  EXPECT_EQ(cut.size(), limits::schema_path_bytes_max);
  EXPECT_TRUE(cut.ends_with("..."));
}

TEST(schema, check_folds_all_problems_into_one_error) {
  const Schema schema = schema_of(R"({"properties": {"a": {"type": "null"}}, "required": ["b"]})");
  EXPECT_TRUE(schema.check(value_of(R"({"b": 1})")));
  const Result<void> one = schema.check(value_of("{}"));
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().code, Code::SCHEMA_VIOLATION);
  EXPECT_EQ(one.error().message, "missing required property \"b\"");
  const Result<void> two = schema.check(value_of(R"({"a": 1})"));
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().message,
            "2 problems: /a: expected null, got integer; missing required property \"b\"");
}

// --- numbers, texts, arrays --------------------------------------------------------------------

TEST(schema, bounds_are_exact_between_integers_and_doubles) {
  EXPECT_TRUE(fits(R"({"maximum": 9007199254740993})", "9007199254740993"));
  EXPECT_FALSE(fits(R"({"maximum": 9007199254740992.0})", "9007199254740993"));
  EXPECT_FALSE(fits(R"({"exclusiveMinimum": 9007199254740993})", "9007199254740992.0"));
  EXPECT_TRUE(fits(R"({"exclusiveMaximum": 9223372036854775808})", "9223372036854775807"));
  EXPECT_TRUE(fits(R"({"minimum": -9223372036854775808.0})", "-9223372036854775808"));
  EXPECT_FALSE(fits(R"({"minimum": -1})", "-1.5"));
  EXPECT_TRUE(fits(R"({"maximum": -1})", "-1.5"));
  EXPECT_TRUE(fits(R"({"minimum": 0})", "-0.0"));
}

TEST(schema, multiple_of_is_exact_on_decimals) {
  EXPECT_TRUE(fits(R"({"multipleOf": 0.1})", "0.3"));
  EXPECT_TRUE(fits(R"({"multipleOf": 0.01})", "1129.99"));
  EXPECT_FALSE(fits(R"({"multipleOf": 0.01})", "1129.991"));
  EXPECT_TRUE(fits(R"({"multipleOf": 3})", "9223372036854775806"));
  EXPECT_FALSE(fits(R"({"multipleOf": 3})", "9223372036854775807"));
  EXPECT_TRUE(fits(R"({"multipleOf": 2})", "-9223372036854775808"));
  EXPECT_TRUE(fits(R"({"multipleOf": 9223372036854775807})", "9223372036854775807"));
  EXPECT_FALSE(fits(R"({"multipleOf": 9223372036854775807})", "9223372036854775806"));
  EXPECT_TRUE(fits(R"({"multipleOf": 5e-324})", "1"));
  EXPECT_FALSE(fits(R"({"multipleOf": 7e-300})", "1e300"));
  EXPECT_TRUE(fits(R"({"multipleOf": 7})", "0"));
}

TEST(schema, a_whole_double_is_an_integer) {
  EXPECT_TRUE(fits(R"({"type": "integer"})", "1.0"));
  EXPECT_TRUE(fits(R"({"type": "integer"})", "1e300"));
  EXPECT_FALSE(fits(R"({"type": "integer"})", "1.5"));
  EXPECT_TRUE(fits(R"({"type": "number"})", "1"));
}

TEST(schema, lengths_count_code_points) {
  EXPECT_TRUE(fits(R"({"minLength": 2, "maxLength": 2})", R"("€😀")"));
  EXPECT_FALSE(fits(R"({"minLength": 3})", R"("€😀")"));
  EXPECT_TRUE(fits(R"({"maxLength": 2.0})", R"("ab")"));
}

TEST(schema, unique_items_tells_values_apart_by_value) {
  constexpr std::string_view unique = R"({"uniqueItems": true})";
  EXPECT_TRUE(fits(unique, R"([1, "1", true, null, [1], {"a": 1}, [[1]], "", [], {}])"));
  EXPECT_FALSE(fits(unique, R"([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}])"));
  EXPECT_TRUE(fits(unique, R"([["a", "b"], ["ab"], ["a,b"]])"));
  EXPECT_FALSE(fits(unique, "[9007199254740993, 9007199254740993]"));
  EXPECT_TRUE(fits(unique, "[9007199254740993, 9007199254740992.0]"));
}

TEST(schema, unique_items_of_a_large_array_takes_few_steps) {
  json::Array array;
  for (int i = 0; i < 50'000; ++i) array.push_back(i);
  const Schema schema = schema_of(R"({"uniqueItems": true})");
  EXPECT_TRUE(schema.validate(array, {.steps_max = 500'000}).empty());
  array.push_back(7.0);
  EXPECT_EQ(schema.validate(array)[0].message,
            "items 7 and 50000 are equal, but items must differ");
}

// --- what cannot be compiled -------------------------------------------------------------------

TEST(schema, a_malformed_keyword_is_refused_at_its_place) {
  EXPECT_EQ(refusal(R"({"properties": {"a": {"type": "text"}}})"),
            "the schema at /properties/a/type: \"text\" is not a type; the types are null, "
            "boolean, integer, number, string, array and object");
  EXPECT_EQ(refusal(R"({"minLength": -1})"),
            "the schema at /minLength: expected a whole number that is not negative");
  EXPECT_EQ(refusal("7"), "the schema: expected an object or a boolean, got 7");
  for (const std::string_view bad : {R"({"type": []})",
                                     R"({"maxItems": 1.5})",
                                     R"({"allOf": []})",
                                     R"({"allOf": {}})",
                                     R"({"required": [1]})",
                                     R"({"required": "a"})",
                                     R"({"enum": 1})",
                                     R"({"multipleOf": 0})",
                                     R"({"minimum": "1"})",
                                     R"({"uniqueItems": 1})",
                                     R"({"pattern": 1})",
                                     R"({"not": 1})",
                                     R"({"properties": []})",
                                     R"({"patternProperties": {"(": {}}})",
                                     R"({"$defs": 1})",
                                     R"({"dependentRequired": {"a": 1}})",
                                     R"({"dependentRequired": {"a": [1]}})",
                                     R"({"dependencies": 1})",
                                     R"({"$anchor": "1a"})",
                                     R"({"$id": 1})",
                                     R"({"$ref": 1})",
                                     R"({"$id": "x#y"})",
                                     R"({"$schema": 1})"}) {
    EXPECT_NE(refusal(bad), "accepted") << bad;
  }
}

TEST(schema, another_dialect_is_refused) {
  EXPECT_THAT(refusal(R"({"$schema": "http://json-schema.org/draft-07/schema#"})"),
              HasSubstr("is not known"));
  EXPECT_TRUE(compiled(R"({"$schema": "https://json-schema.org/draft/2020-12/schema#"})"));
}

TEST(schema, a_reference_to_nothing_is_refused) {
  EXPECT_EQ(refusal(R"({"items": {"$ref": "#/$defs/x"}})"),
            "the schema at /items: the reference \"/$defs/x\" leads nowhere");
  EXPECT_THAT(refusal(R"({"$ref": "#x"})"), HasSubstr("no schema has the anchor \"x\""));
  EXPECT_THAT(refusal(R"({"$ref": "https://elsewhere.example/s"})"),
              HasSubstr("no schema is registered as \"https://elsewhere.example/s\""));
  EXPECT_NE(refusal(R"({"$ref": "#/a~2"})"), "accepted");
  EXPECT_NE(refusal(R"({"$ref": "#/enum/0", "enum": ["text"]})"), "accepted");
}

TEST(schema, two_schemas_of_one_name_are_refused) {
  EXPECT_NE(refusal(R"({"$defs": {"a": {"$id": "http://x/y"}, "b": {"$id": "http://x/y"}}})"),
            "accepted");
  EXPECT_NE(refusal(R"({"$defs": {"a": {"$anchor": "y"}, "b": {"$anchor": "y"}}})"), "accepted");
}

TEST(schema, registered_schemas_are_found_and_named) {
  SchemaOptions options;
  options.registry.emplace("https://baton.example/note", value_of(R"({"type": "string"})"));
  const auto schema =
      Schema::compile(value_of(R"({"$ref": "https://baton.example/note"})"), options);
  ASSERT_TRUE(schema);
  const auto problems = schema->validate(1);
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].schema_path, "https://baton.example/note#/type");
}

TEST(schema, definitions_are_reached_by_pointer) {
  EXPECT_FALSE(fits(R"({"$ref": "#/definitions/n", "definitions": {"n": {"type": "null"}}})", "1"));
}

TEST(schema, the_meta_schema_accepts_every_meta_schema) {
  const Schema meta = schema_of(cat(R"({"$ref": ")", dialect_uri, R"("})"));
  ASSERT_EQ(meta_schemas().size(), 8u);
  for (const MetaSchema& document : meta_schemas()) {
    EXPECT_TRUE(meta.check(value_of(document.text))) << document.uri;
  }
  EXPECT_FALSE(meta.accepts(value_of(R"({"properties": {"a": {"minLength": "3"}}})")));
}

// --- loops and bounds --------------------------------------------------------------------------

TEST(schema, a_reference_that_never_enters_the_value_is_refused) {
  EXPECT_EQ(refusal(R"({"$ref": "#"})"),
            "the schema: references form a cycle without descending into the value");
  EXPECT_NE(
      refusal(R"({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#"}]}}})"),
      "accepted");
  EXPECT_NE(refusal(R"({"dependentSchemas": {"a": {"$ref": "#"}}})"), "accepted");
  EXPECT_TRUE(fits(R"({"properties": {"next": {"$ref": "#"}}})", R"({"next": {"next": {}}})"));
}

TEST(schema, a_dynamic_loop_ends_at_the_bound) {
  const Schema schema = schema_of(R"({"$dynamicAnchor": "a", "$dynamicRef": "#a"})");
  EXPECT_FALSE(schema.accepts(1));
  const auto problems = schema.validate(1);
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].code, Code::LIMIT_EXCEEDED);
  const Result<void> checked = schema.check(1);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, Code::LIMIT_EXCEEDED);
  // Neither may a loop under `not` turn into approval.
  EXPECT_FALSE(schema_of(R"({"not": {"$dynamicAnchor": "a", "$dynamicRef": "#a"}})").accepts(1));
}

/// `levels` references in a row, the last one to `true`.
json::Value chain(std::size_t levels) {
  json::Object definitions;
  for (std::size_t i = 0; i < levels; ++i) {
    definitions.append_new(cat('d', i), json::Object{{"$ref", cat("#/$defs/d", i + 1)}});
  }
  definitions.append_new(cat('d', levels), true);
  return json::Object{{"$ref", "#/$defs/d0"}, {"$defs", definitions}};
}

TEST(schema, evaluation_depth_is_bounded) {
  // The root is one level, and the final `true` is not applied but read.
  const auto good = Schema::compile(chain(limits::schema_eval_depth_max - 1), {});
  ASSERT_TRUE(good);
  EXPECT_TRUE(good->accepts(1));
  const auto deep = Schema::compile(chain(limits::schema_eval_depth_max), {});
  ASSERT_TRUE(deep);
  EXPECT_EQ(deep->validate(1).at(0).code, Code::LIMIT_EXCEEDED);
}

TEST(schema, subschemas_are_bounded_in_number) {
  json::Array branches(limits::schema_nodes_max - 1, json::Value(true));
  EXPECT_TRUE(Schema::compile(json::Object{{"allOf", branches}}, {}));
  branches.push_back(true);
  const auto refused = Schema::compile(json::Object{{"allOf", branches}}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
}

TEST(schema, subschemas_are_bounded_in_depth) {
  const auto nested = [](std::size_t levels) {
    json::Value schema = json::Object();
    for (std::size_t i = 1; i < levels; ++i) schema = json::Object{{"items", schema}};
    return schema;
  };
  EXPECT_TRUE(Schema::compile(nested(limits::schema_depth_max), {}));
  const auto refused = Schema::compile(nested(limits::schema_depth_max + 1), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
}

TEST(schema, reported_problems_are_bounded) {
  const Schema schema = schema_of(R"({"items": {"type": "string"}})");
  const json::Value at_bound = json::Array(limits::schema_problems_max, json::Value(1));
  const json::Value past = json::Array(limits::schema_problems_max + 1, json::Value(1));
  EXPECT_THAT(schema.validate(at_bound), SizeIs(limits::schema_problems_max));
  EXPECT_THAT(schema.validate(past), SizeIs(limits::schema_problems_max));
  EXPECT_THAT(schema.validate(past, {.problems_max = 2}), SizeIs(2));
  EXPECT_THAT(schema.check(past).error().message, HasSubstr("at least 64 problems: "));
}

TEST(schema, steps_are_bounded) {
  const Schema schema = schema_of(R"({"items": true})");
  const json::Value value = json::Array(10, json::Value(1));
  EXPECT_TRUE(schema.validate(value, {.steps_max = 11}).empty());
  const auto problems = schema.validate(value, {.steps_max = 10});
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].code, Code::LIMIT_EXCEEDED);
}

TEST(schema, following_references_is_bounded) {
  json::Object wide;
  for (int i = 0; i < 100'000; ++i) wide.append_new(cat('k', i), true);
  const auto compiled_with = [&wide](std::size_t references) {
    json::Array branches(references, json::Object{{"$ref", "#/wide/k99999"}});
    return Schema::compile(json::Object{{"wide", wide}, {"allOf", branches}}, {});
  };
  const std::size_t affordable = limits::schema_steps_max / 100'010;
  EXPECT_TRUE(compiled_with(affordable));
  const auto refused = compiled_with(affordable + 2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::LIMIT_EXCEEDED);
}

TEST(schema, exponential_schemas_end) {
  // Each level tries the next twice: 2^60 evaluations without a bound.
  json::Object definitions;
  for (int i = 0; i < 60; ++i) {
    const json::Value next = json::Object{{"$ref", cat("#/$defs/d", i + 1)}};
    definitions.append_new(cat('d', i), json::Object{{"allOf", json::Array{next, next}}});
  }
  definitions.append_new("d60", true);
  const auto schema =
      Schema::compile(json::Object{{"$ref", "#/$defs/d0"}, {"$defs", definitions}}, {});
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->validate(1).at(0).code, Code::LIMIT_EXCEEDED);
}

TEST(schema, suggestions_compare_a_bounded_number_of_names) {
  const auto misspelt = [](std::size_t names) {
    json::Object properties;
    for (std::size_t i = 1; i < names; ++i) properties.append_new(cat('#', i), true);
    properties.append_new("summary", true);
    const auto schema = Schema::compile(
        json::Object{{"properties", properties}, {"additionalProperties", false}}, {});
    return MUST(schema).validate(json::Object{{"sumary", 1}}).at(0).message;  // a valid schema
  };
  EXPECT_THAT(misspelt(limits::schema_candidates_max), HasSubstr("did you mean \"summary\"?"));
  EXPECT_THAT(misspelt(limits::schema_candidates_max + 1), HasSubstr("known here"));
}

// --- laws --------------------------------------------------------------------------------------

json::Value any_value(int depth = 2) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 7 : 5);
  switch (kind) {
    case 0: return nullptr;
    case 1: return *rc::gen::arbitrary<bool>();
    case 2: return *rc::gen::inRange<std::int64_t>(-3, 4);
    case 3: return *rc::gen::inRange(-6, 7) / 2.0;
    case 4: return *rc::gen::container<std::string>(rc::gen::inRange('a', 'd'));
    case 5: {
      json::Array array;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) array.push_back(any_value(depth - 1));
      return array;
    }
    default: {
      json::Object object;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        object.set(std::string(1, *rc::gen::inRange('a', 'e')), any_value(depth - 1));
      }
      return object;
    }
  }
}

/// A schema of a few keywords, some of which fit a few values.
json::Value any_schema(int depth = 2) {
  json::Object schema;
  for (int i = *rc::gen::inRange(1, 3); i > 0; --i) {
    switch (*rc::gen::inRange(0, depth > 0 ? 10 : 5)) {
      case 0:
        schema.set("type", *rc::gen::elementOf(std::vector<std::string>{
                               "null", "integer", "number", "string", "array", "object"}));
        break;
      case 1: schema.set("enum", json::Array{any_value(), any_value()}); break;
      case 2: schema.set("minimum", *rc::gen::inRange(-2, 2)); break;
      case 3:
        schema.set("required", json::Array{std::string(1, *rc::gen::inRange('a', 'c'))});
        break;
      case 4: schema.set("uniqueItems", true); break;
      case 5: schema.set("items", any_schema(depth - 1)); break;
      case 6: schema.set("properties", json::Object{{"a", any_schema(depth - 1)}}); break;
      case 7: schema.set("anyOf", json::Array{any_schema(depth - 1), any_schema(depth - 1)}); break;
      case 8: schema.set("unevaluatedProperties", any_schema(depth - 1)); break;
      default:
        schema.set("oneOf", json::Array{any_schema(depth - 1), any_schema(depth - 1)});
        break;
    }
  }
  return schema;
}

Schema compiled_value(const json::Value& schema) {
  return MUST(Schema::compile(schema, {}));  // the generators make valid schemas only
}

RC_GTEST_PROP(schema_laws, the_empty_schema_accepts_everything, ()) {
  RC_ASSERT(compiled_value(json::Object()).check(any_value(3)).has_value());
}

RC_GTEST_PROP(schema_laws, const_accepts_exactly_its_value, ()) {
  const json::Value a = any_value();
  const json::Value b = any_value();
  const Schema schema = compiled_value(json::Object{{"const", a}});
  RC_ASSERT(schema.accepts(a));
  RC_ASSERT(schema.accepts(b) == (a == b));
}

RC_GTEST_PROP(schema_laws, not_inverts, ()) {
  const json::Value schema = any_schema();
  const json::Value value = any_value();
  RC_ASSERT(compiled_value(schema).accepts(value) !=
            compiled_value(json::Object{{"not", schema}}).accepts(value));
}

RC_GTEST_PROP(schema_laws, problems_are_listed_exactly_when_the_value_is_not_accepted, ()) {
  const Schema schema = compiled_value(any_schema());
  const json::Value value = any_value();
  RC_ASSERT(schema.validate(value).empty() == schema.accepts(value));
}

RC_GTEST_PROP(schema_laws, all_of_accepts_what_each_accepts, ()) {
  const json::Value a = any_schema();
  const json::Value b = any_schema();
  const json::Value value = any_value();
  const bool both = compiled_value(a).accepts(value) && compiled_value(b).accepts(value);
  RC_ASSERT(compiled_value(json::Object{{"allOf", json::Array{a, b}}}).accepts(value) == both);
}

RC_GTEST_PROP(schema_laws, keys_are_equal_exactly_when_values_are, ()) {
  const json::Value a = any_value(3);
  const json::Value b = *rc::gen::arbitrary<bool>() ? any_value(3) : a;
  RC_ASSERT((key_of(a) == key_of(b)) == (a == b));
}

RC_GTEST_PROP(schema_laws, every_product_is_a_multiple, (std::int32_t a, std::int32_t b)) {
  RC_PRE(b != 0);
  const std::int64_t divisor = std::abs(static_cast<std::int64_t>(b));
  RC_ASSERT(is_multiple(std::int64_t{a} * b, divisor));
  RC_ASSERT(is_multiple(a, divisor) == (a % divisor == 0));
}

RC_GTEST_PROP(schema_laws, order_of_numbers_agrees_with_wide_floating_point,
              (std::int64_t a, std::int64_t b)) {
  // A long double holds every int64 and every double exactly.
  const double number = static_cast<double>(b) / (a % 3 == 0 ? 1.0 : 3.0);
  const auto expected = static_cast<long double>(a) <=> static_cast<long double>(number);
  RC_ASSERT(compare_numbers(a, number) == expected);
  RC_ASSERT((0 <=> compare_numbers(number, a)) == expected);
}

}  // namespace
}  // namespace baton::schema
