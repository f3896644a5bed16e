#include "protocol/features/tool.h"

#include <gtest/gtest.h>

namespace baton::protocol {
namespace {

Tool tool(std::string name) {
  return {.name = std::move(name),
          .title = "T",
          .description = "Use it in tests.",
          .input_schema = json::Object{{"type", "object"}},
          .handler = [](const ToolCall&) { return ToolResult{}; }};
}

bool is_accepted(Tool candidate) {
  std::vector<Tool> tools;
  tools.push_back(std::move(candidate));
  return ToolTable::make(std::move(tools)).has_value();
}

TEST(tool_table, names_are_lower_case_words_of_bounded_length) {
  EXPECT_TRUE(is_accepted(tool("a")));
  EXPECT_TRUE(is_accepted(tool("list_v2")));
  EXPECT_TRUE(is_accepted(tool(std::string(limits::tool_name_bytes_max, 'a'))));
  EXPECT_FALSE(is_accepted(tool(std::string(limits::tool_name_bytes_max + 1, 'a'))));
  for (const char* bad : {"", "A", "a.b", "1a", "_a", "a-b", "a b", "\xc3\xa4"}) {
    EXPECT_FALSE(is_accepted(tool(bad))) << bad;
  }
}

TEST(tool_table, descriptions_are_bounded) {
  Tool longest = tool("a");
  longest.description.assign(limits::tool_description_bytes_max, 'x');
  EXPECT_TRUE(is_accepted(longest));
  longest.description += 'x';
  EXPECT_FALSE(is_accepted(longest));
}

TEST(tool_table, schemas_must_be_of_type_object) {
  Tool odd = tool("a");
  odd.input_schema = json::Object{{"type", "array"}};
  EXPECT_FALSE(is_accepted(odd));
  odd.input_schema = true;
  EXPECT_FALSE(is_accepted(odd));
  odd = tool("a");
  odd.output_schema = json::Object{{"type", "string"}};
  EXPECT_FALSE(is_accepted(odd));
  odd.output_schema = json::Object{{"type", "object"}};
  EXPECT_TRUE(is_accepted(odd));
}

TEST(tool_table, schemas_must_compile) {
  Tool odd = tool("a");
  odd.input_schema = MUST(json::parse(R"({"type":"object","properties":{"x":{"type":"txt"}}})"));
  EXPECT_FALSE(is_accepted(odd));
}

TEST(tool_table, a_tool_needs_a_handler) {
  Tool idle = tool("a");
  idle.handler = nullptr;
  EXPECT_FALSE(is_accepted(idle));
}

TEST(tool_table, a_name_is_given_once) {
  EXPECT_FALSE(ToolTable::make({tool("a"), tool("b"), tool("a")}));
}

TEST(tool_table, finds_names_with_dots_for_underscores) {
  const ToolTable table = MUST(ToolTable::make({tool("workflow_next_step"), tool("workflow")}));
  EXPECT_EQ(table.find("workflow_next_step"), &table.all()[0]);
  EXPECT_EQ(table.find("workflow.next_step"), &table.all()[0]);
  EXPECT_EQ(table.find("workflow.next.step"), &table.all()[0]);
  EXPECT_EQ(table.find("workflow"), &table.all()[1]);
  EXPECT_EQ(table.find("workflow_"), nullptr);
  EXPECT_EQ(table.find("workflow-next-step"), nullptr);
}

TEST(tool_error, says_the_same_as_value_and_as_text) {
  const ToolResult result =
      tool_error(Error::make(Code::TOKEN_SESSION_LOCKED, "Busy.", "Wait.").with_retry_after(250));
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.structured,
            (json::Object{{"code", "TOKEN_SESSION_LOCKED"},
                          {"message", "Busy."},
                          {"retry", json::Object{{"kind", "retry_after"}, {"retryAfterMs", 250}}},
                          {"hint", "Wait."}}));
  EXPECT_EQ(result.text,
            "TOKEN_SESSION_LOCKED: Busy.\nHint: Wait.\nRetry: retry_after, after 250 ms");
}

TEST(tool_error, leaves_out_what_there_is_not) {
  const ToolResult result = tool_error(Error::make(Code::INTERNAL, "Broken."));
  EXPECT_EQ(result.structured, (json::Object{{"code", "INTERNAL"},
                                             {"message", "Broken."},
                                             {"retry", json::Object{{"kind", "not_retryable"}}}}));
  EXPECT_EQ(result.text, "INTERNAL: Broken.\nRetry: not_retryable");
}

}  // namespace
}  // namespace baton::protocol
