#include "state/write.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "state/testing/schemas.h"

namespace baton::state {
namespace {

using testing::frame;
using testing::path;
using testing::schema;
using testing::value;

const std::string declared = R"({
  "raw": {"count": "integer", "share": "number", "name": "string", "list": "array",
          "map": "object", "on": "boolean", "free": "any"},
  "state": {"version": "string"},
  "computed": [{"name": "twice", "from": ["raw.count"], "list": false, "transform": "input * 2",
                "on_error": "use_fallback"}]})";

/// The assignments that a write makes, as text, or the code and message of its refusal.
std::string effect(std::string_view at, Operation operation, std::string_view with,
                   std::string_view tiers = "{}", std::string_view types = declared) {
  const auto made = effect_of(schema(types, R"({"branch": {"type": "string"}})"), frame(tiers),
                              {path(at), operation, value(with)});
  if (!made) return cat(name_of(made.error().code), ": ", made.error().message);
  std::string out;
  for (const Assignment& each : made->assignments) {
    out += cat(out.empty() ? "" : ", ", print(each.path), " = ", json::print(each.value));
  }
  return out;
}

std::string set(std::string_view at, std::string_view with, std::string_view tiers = "{}") {
  return effect(at, Operation::set, with, tiers);
}

TEST(write, operations_have_names) {
  EXPECT_EQ(operation_of("merge"), Operation::merge);
  EXPECT_EQ(operation_of("delete"), std::nullopt);
  EXPECT_EQ(name_of(Operation::multiply), "multiply");
}

TEST(write, set_replaces_what_is_there) {
  EXPECT_EQ(set("raw.count", "3"), "raw.count = 3");
  EXPECT_EQ(set("raw.map.a.b", "[1]"), "raw.map.a.b = [1]");
  EXPECT_EQ(set("state.version", R"("2")"), R"(state.version = "2")");
  EXPECT_EQ(set("inputs.branch", R"("main")"), R"(inputs.branch = "main")");
}

TEST(write, this_writes_the_tier_that_declares_the_field) {
  EXPECT_EQ(set("this.count", "3"), "raw.count = 3");
  EXPECT_EQ(set("this.version", R"("2")"), R"(state.version = "2")");
  EXPECT_EQ(effect("this.any", Operation::set, "1", "{}", "{}"), "raw.any = 1");
}

TEST(write, append_adds_one_element_and_records_just_that) {
  EXPECT_EQ(effect("raw.list", Operation::append, "[3]", R"({"raw":{"list":[1,2]}})"),
            "raw.list.2 = [3]");
  EXPECT_EQ(effect("raw.list", Operation::append, "3"), "raw.list = [3]");
  EXPECT_EQ(effect("raw.list", Operation::append, "3", R"({"raw":{"list":null}})"),
            "raw.list = [3]");
  EXPECT_EQ(effect("raw.name", Operation::append, "3", R"({"raw":{"name":"x"}})"),
            "STATE_WRONG_TYPE: \"raw.name\": expected a list to append to, got string");
}

TEST(write, merge_replaces_members_and_records_just_those) {
  EXPECT_EQ(effect("raw.map", Operation::merge, R"({"a":1,"c":2})", R"({"raw":{"map":{"a":0}}})"),
            "raw.map.a = 1, raw.map.c = 2");
  EXPECT_EQ(effect("raw.map", Operation::merge, R"({"a":1})"), R"(raw.map = {"a":1})");
  EXPECT_EQ(effect("raw.map", Operation::merge, "{}", R"({"raw":{"map":{"a":0}}})"), "");
  EXPECT_EQ(effect("raw.map", Operation::merge, "[1]"),
            "STATE_WRONG_TYPE: \"raw.map\": expected an object as the value, got array");
}

TEST(write, numbers_are_counted_up_and_down_and_multiplied) {
  const std::string five = R"({"raw":{"count":5,"share":0.5,"name":"x"}})";
  EXPECT_EQ(effect("raw.count", Operation::increment, "2", five), "raw.count = 7");
  EXPECT_EQ(effect("raw.count", Operation::increment, "null", five), "raw.count = 6");
  EXPECT_EQ(effect("raw.count", Operation::increment, "2"), "raw.count = 2");
  EXPECT_EQ(effect("raw.count", Operation::decrement, "2", five), "raw.count = 3");
  EXPECT_EQ(effect("raw.share", Operation::multiply, "3", five), "raw.share = 1.5");
  EXPECT_EQ(effect("raw.count", Operation::multiply, "3", five), "raw.count = 15");
}

TEST(write, what_cannot_be_counted_is_refused) {
  const std::string five = R"({"raw":{"count":5,"share":1e308,"name":"x"}})";
  EXPECT_EQ(effect("raw.count", Operation::multiply, "3"),
            "STATE_UNDEFINED: \"raw.count\" is not set, so multiply has no number to start "
            "from");
  EXPECT_EQ(effect("raw.name", Operation::increment, "3", five),
            "STATE_WRONG_TYPE: \"raw.name\": expected a number to change, got string");
  EXPECT_EQ(effect("raw.count", Operation::increment, R"("3")", five),
            "STATE_WRONG_TYPE: \"raw.count\": expected a number as the value, got string");
  EXPECT_EQ(effect("raw.count", Operation::increment, "0.5", five),
            "STATE_WRONG_TYPE: \"raw.count\": expected integer, got number");
  EXPECT_EQ(effect("raw.share", Operation::multiply, "1e10", five),
            "LIMIT_EXCEEDED: \"raw.share\" would not be a finite number");
}

TEST(write, an_integer_stays_exact_as_long_as_a_double_can_hold_it) {
  const std::string most = R"({"raw":{"count":9007199254740992}})";
  EXPECT_EQ(effect("raw.count", Operation::increment, "2", most), "raw.count = 9007199254740994");
  EXPECT_EQ(effect("raw.count", Operation::increment, "1", most), "raw.count = 9007199254740992");
  EXPECT_EQ(set("raw.free", "[9007199254740993]"),
            "NUMBER_INEXACT: \"raw.free\": 9007199254740993 cannot be represented in JavaScript");
}

TEST(write, every_type_is_checked_and_null_fits_all) {
  const std::pair<std::string_view, std::string_view> wrong[] = {
      {"count", "1.5"}, {"count", R"("1")"}, {"share", "true"}, {"name", "1"},
      {"list", "{}"},   {"map", "[]"},       {"on", "0"}};
  for (const auto& [field, with] : wrong) {
    EXPECT_TRUE(set(cat("raw.", field), with).starts_with("STATE_WRONG_TYPE: ")) << field;
    EXPECT_EQ(set(cat("raw.", field), "null"), cat("raw.", field, " = null"));
  }
  EXPECT_EQ(set("raw.count", "2.0"), "raw.count = 2");
  EXPECT_EQ(set("raw.share", "2"), "raw.share = 2");
  EXPECT_EQ(set("raw.name", "1"), "STATE_WRONG_TYPE: \"raw.name\": expected string, got integer");
}

TEST(write, a_write_below_a_field_keeps_the_type_of_the_field) {
  EXPECT_EQ(set("raw.list.a", "1"), "STATE_WRONG_TYPE: \"raw.list\": expected array, got object");
  EXPECT_TRUE(set("raw.name.a", "1", R"({"raw":{"name":"x"}})").starts_with("STATE_BAD_PATH: "));
  EXPECT_TRUE(set("raw.list[3]", "1", R"({"raw":{"list":[1]}})").starts_with("STATE_BAD_PATH: "));
}

TEST(write, only_the_engine_writes_computed_fields_and_loops) {
  EXPECT_TRUE(set("computed.twice", "1").starts_with("STATE_READ_ONLY: "));
  EXPECT_TRUE(set("this.twice", "1").starts_with("STATE_READ_ONLY: "));
  EXPECT_TRUE(set("loop.item", "1").starts_with("STATE_READ_ONLY: "));
}

TEST(write, an_undeclared_field_is_refused_with_the_nearest) {
  const auto made =
      effect_of(schema(declared), Frame(), {path("raw.cuont"), Operation::set, json::Value(1)});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::STATE_UNKNOWN_NAME);
  EXPECT_EQ(made.error().message, "\"cuont\" is not declared in raw");
  EXPECT_EQ(made.error().next.text(), "did you mean \"count\"?");
  EXPECT_TRUE(set("this.vresion", "1").starts_with("STATE_UNKNOWN_NAME: "));
  EXPECT_TRUE(set("inputs.brunch", "1").starts_with("STATE_UNKNOWN_NAME: "));
}

TEST(write, a_tier_that_declares_nothing_takes_any_field) {
  EXPECT_EQ(effect("state.any", Operation::set, "1", "{}", R"({"raw":{"a":"any"}})"),
            "state.any = 1");
}

TEST(write, a_path_names_a_field) {
  EXPECT_EQ(set("raw", "1"), "STATE_BAD_PATH: \"raw\" names no field");
}

TEST(write, a_path_is_at_most_state_path_bytes_max_long) {
  Path at{Root::raw, {"map", std::string(limits::state_path_bytes_max - 8, 'x')}};
  EXPECT_EQ(print(at).size(), limits::state_path_bytes_max);
  EXPECT_TRUE(effect_of(schema(declared), Frame(), {at, Operation::set, 1}));
  at.segments[1] += 'x';
  const auto longer = effect_of(schema(declared), Frame(), {at, Operation::set, 1});
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, Code::STATE_BAD_PATH);
}

TEST(write, a_state_is_at_most_state_depth_max_deep) {
  json::Value nested = 1;
  for (std::size_t depth = 0; depth < limits::state_depth_max; ++depth) {
    nested = json::Array{std::move(nested)};
  }
  EXPECT_TRUE(effect_of(schema(declared), Frame(), {path("raw.free"), Operation::set, nested}));
  const auto deeper =
      effect_of(schema(declared), Frame(), {path("raw.map.a"), Operation::set, nested});
  ASSERT_FALSE(deeper);
  EXPECT_EQ(deeper.error().code, Code::LIMIT_EXCEEDED);
}

}  // namespace
}  // namespace baton::state
