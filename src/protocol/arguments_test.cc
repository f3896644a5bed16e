#include "protocol/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"

namespace baton::protocol {
namespace {

using ::testing::HasSubstr;

json::Value parse(std::string_view text) { return MUST(json::parse(text)); }

CheckedTool tool_taking(std::string_view schema) {
  Tool tool{.name = "probe", .input_schema = parse(schema), .handler = [](const ToolCall&) {
              return ToolResult{};
            }};
  return MUST(ToolTable::make({std::move(tool)})).all()[0];
}

constexpr std::string_view schema = R"({"type":"object","properties":{
    "id":{"type":"string"},
    "count":{"type":"integer"},
    "tags":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}}}},
    "context":{"type":"object"},
    "anything":{},
    "output":{"type":"object","properties":{"notes":{"type":"string"},
              "list":{"type":"array","items":{"type":"string"}}}}},
    "required":["id"]})";

Result<json::Object> accepted(std::string_view arguments) {
  return accept_arguments(tool_taking(schema), *parse(arguments).if_object());
}

std::string problems(std::string_view arguments) {
  const auto result = accepted(arguments);
  EXPECT_FALSE(result) << arguments;
  return result ? std::string{} : result.error().message;
}

TEST(arguments, fitting_ones_pass_unchanged) {
  constexpr std::string_view given =
      R"({"id":"a","tags":[{"k":"v"}],"context":{"any":null},"output":{"notes":"n"}})";
  EXPECT_EQ(json::Value(*accepted(given)), parse(given));
}

TEST(arguments, null_means_absent_where_a_type_is_named) {
  EXPECT_EQ(json::Value(*accepted(R"({"id":"a","tags":null,"output":{"notes":null}})")),
            parse(R"({"id":"a","output":{}})"));
}

TEST(arguments, null_is_kept_where_any_value_is_allowed) {
  constexpr std::string_view given = R"({"id":"a","anything":null,"context":{"gone":null}})";
  EXPECT_EQ(json::Value(*accepted(given)), parse(given));
}

TEST(arguments, null_for_an_unknown_name_is_absent_too) {
  EXPECT_EQ(json::Value(*accepted(R"({"id":"a","unheard":null})")), parse(R"({"id":"a"})"));
}

TEST(arguments, a_required_null_is_missing) {
  EXPECT_THAT(problems(R"({"id":null})"), HasSubstr("id"));
}

TEST(arguments, arrays_and_objects_may_come_as_json_text) {
  EXPECT_EQ(json::Value(*accepted(R"({"id":"a","tags":"[{\"k\":\"v\"}]","context":"{\"x\":1}",
                                      "output":"{\"list\":\"[\\\"y\\\"]\",\"notes\":null}"})")),
            parse(R"({"id":"a","tags":[{"k":"v"}],"context":{"x":1},"output":{"list":["y"]}})"));
}

TEST(arguments, text_stays_text_where_text_is_meant) {
  constexpr std::string_view given = R"({"id":"[1]","anything":"{}"})";
  EXPECT_EQ(json::Value(*accepted(given)), parse(given));
}

TEST(arguments, an_unknown_name_is_refused_with_the_nearest) {
  EXPECT_THAT(problems(R"({"id":"a","ouptut":{}})"),
              HasSubstr("'/ouptut' is unknown; did you mean 'output'?"));
  EXPECT_THAT(problems(R"({"id":"a","output":{"note":"x"}})"),
              HasSubstr("'/output/note' is unknown; did you mean 'notes'?"));
  EXPECT_THAT(problems(R"({"id":"a","tags":[{},{"zzz":1}]})"),
              HasSubstr("'/tags/1/zzz' is unknown; the known ones are k"));
}

TEST(arguments, open_schemas_take_any_name) {
  const auto result = accept_arguments(
      tool_taking(R"({"type":"object","additionalProperties":true})"), {{"any", 1}});
  EXPECT_TRUE(result);
  EXPECT_FALSE(accept_arguments(tool_taking(R"({"type":"object"})"), {{"any", 1}}));
  EXPECT_FALSE(accept_arguments(tool_taking(R"({"type":"object","additionalProperties":false})"),
                                {{"any", 1}}));
}

TEST(arguments, all_problems_are_told_at_once) {
  const auto result = accepted(R"({"counr":1,"output":{"x":1}})");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::INVALID_INPUT);
  EXPECT_EQ(result.error().retry.kind, RetryKind::retry_with_changes);
  EXPECT_THAT(result.error().message, HasSubstr("The arguments of probe are not valid"));
  EXPECT_THAT(result.error().message, HasSubstr("'count'"));
  EXPECT_THAT(result.error().message, HasSubstr("/output/x"));
  EXPECT_THAT(result.error().message, HasSubstr("id"));
  EXPECT_FALSE(result.error().next.text().empty());
}

TEST(arguments, the_schema_is_checked_to_its_depth) {
  EXPECT_THAT(problems(R"({"id":1,"count":"x","output":{"list":["ok",2]}})"),
              ::testing::AllOf(HasSubstr("/id"), HasSubstr("/count"), HasSubstr("/output/list/1")));
}

// Enforces: G9
TEST(arguments, the_list_of_problems_is_bounded) {
  const auto unknown = [](std::size_t count) {
    json::Object arguments{{"id", "a"}};
    for (std::size_t i = 0; i < count; ++i) arguments.append_new(cat("strange_name_", i), 1);
    return accept_arguments(tool_taking(schema), std::move(arguments)).error().message;
  };
  EXPECT_THAT(unknown(limits::problems_reported_max), ::testing::Not(HasSubstr("more")));
  EXPECT_THAT(unknown(limits::problems_reported_max + 2), HasSubstr("and 2 more"));
  EXPECT_LT(unknown(200'000).size(), 20'000u);
}

}  // namespace
}  // namespace baton::protocol
