#include "run/steps/command_output.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

/// The value as JSON, or the code of the error.
std::string read(OutputFormat format, std::string_view output, bool is_cut = false) {
  const auto value = read_output(format, output, is_cut);
  return value ? json::print(*value) : cat("! ", name_of(value.error().code));
}

TEST(command_output, formats_go_by_their_names) {
  EXPECT_EQ(output_format("text"), OutputFormat::text);
  EXPECT_EQ(output_format("lines"), OutputFormat::lines);
  EXPECT_EQ(output_format("json"), OutputFormat::json);
  EXPECT_EQ(output_format("key_value"), OutputFormat::key_value);
  EXPECT_EQ(output_format("yaml"), std::nullopt);
}

TEST(command_output, text_loses_its_last_line_ends_alone) {
  EXPECT_EQ(read(OutputFormat::text, "a\n\nb \n\r\n"), R"("a\n\nb ")");
  EXPECT_EQ(read(OutputFormat::text, ""), R"("")");
}

TEST(command_output, lines_are_as_they_were_written) {
  EXPECT_EQ(read(OutputFormat::lines, "a\n\n b\r\nc"), R"(["a",""," b","c"])");
  EXPECT_EQ(read(OutputFormat::lines, "a\n"), R"(["a"])");
  EXPECT_EQ(read(OutputFormat::lines, ""), "[]");
}

TEST(command_output, json_is_one_value_and_nothing_else) {
  EXPECT_EQ(read(OutputFormat::json, " {\"a\": [1]}\n"), R"({"a":[1]})");
  EXPECT_EQ(read(OutputFormat::json, ""), "! INVALID_JSON");
  EXPECT_EQ(read(OutputFormat::json, "{} {}"), "! INVALID_JSON");
  EXPECT_EQ(read(OutputFormat::json, "\"\xff\""), "! INVALID_UTF8");
}

TEST(command_output, pairs_have_a_name_before_the_first_equals_sign) {
  EXPECT_EQ(read(OutputFormat::key_value, "A=1\r\n\n# B=2\n C = x=y \nA=3\nD=\n"),
            R"({"A":"3","C":" x=y ","D":""})");
  EXPECT_EQ(read(OutputFormat::key_value, ""), "{}");
  EXPECT_EQ(read(OutputFormat::key_value, "A=1\nnothing"), "! INVALID_INPUT");
  EXPECT_EQ(read(OutputFormat::key_value, "=1"), "! INVALID_INPUT");
  EXPECT_EQ(read_output(OutputFormat::key_value, "A=1\nnothing", false).error().message,
            "line 2 of the command's output is not NAME=value: nothing");
}

TEST(command_output, bytes_that_are_not_text_are_visible) {
  EXPECT_EQ(visible("a\xff\xfe\xc3"), "a\\xff\\xfe\\xc3");
  EXPECT_EQ(visible("h\xc3\xa9"), "h\xc3\xa9");
  EXPECT_EQ(read(OutputFormat::lines, "\xff\n\xc3"), R"(["\\xff","\\xc3"])");
}

TEST(command_output, a_part_never_passes_for_the_whole) {
  EXPECT_EQ(read(OutputFormat::text, "a\n", true), R"("a\n\n\n[TRUNCATED]")");
  EXPECT_EQ(read(OutputFormat::lines, "a\n", true), "! LIMIT_EXCEEDED");
  EXPECT_EQ(read(OutputFormat::json, "1", true), "! LIMIT_EXCEEDED");
  EXPECT_EQ(read(OutputFormat::key_value, "A=1", true), "! LIMIT_EXCEEDED");
}

RC_GTEST_PROP(command_output, any_bytes_become_text, (const std::string& bytes, bool is_cut)) {
  RC_ASSERT(utf8::is_valid(visible(bytes)));
  if (utf8::is_valid(bytes)) RC_ASSERT(visible(bytes) == bytes);
  for (const OutputFormat format :
       {OutputFormat::text, OutputFormat::lines, OutputFormat::json, OutputFormat::key_value}) {
    const auto value = read_output(format, bytes, is_cut);
    if (value) RC_ASSERT(*json::parse(json::print(*value)) == *value);
  }
}

RC_GTEST_PROP(command_output, lines_joined_again_are_the_text, (std::vector<std::uint8_t> picks)) {
  std::vector<std::string> lines;
  for (const std::uint8_t pick : picks) lines.emplace_back(pick % 5, 'x');
  std::string text;
  for (const std::string& line : lines) text += cat(line, '\n');
  const auto value = read_output(OutputFormat::lines, text, false);
  std::string joined;
  for (const json::Value& line : *value->if_array()) joined += cat(*line.if_string(), '\n');
  RC_ASSERT(joined == text);
}

}  // namespace
}  // namespace baton::run
