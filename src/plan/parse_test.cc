// What cannot be shown in the cases of tests/cases/plan: ends of lines, marks, and limits.
// Origin: 003-26

#include "plan/parse.h"

#include <gtest/gtest.h>

#include "base/text/text.h"

namespace baton::plan {
namespace {

PlanConfig with(const char* changes, const char* name = "COMMIT_MESSAGE") {
  return *config_with(*named_config(name), *json::parse(changes)->if_object());
}

std::string tasks(std::size_t count) {
  std::string out = "feat: x\n\n";
  for (std::size_t i = 0; i < count; ++i) out += cat("- [ ]: t", i, '\n');
  return out;
}

std::string nested(std::size_t depth, std::size_t indent = 2) {
  std::string out = "feat: x\n\n";
  for (std::size_t i = 0; i <= depth; ++i) out += cat(std::string(i * indent, ' '), "- [ ]: t\n");
  return out;
}

TEST(plan_parse, crlf_text_is_read_and_written_back_in_crlf) {
  const std::string text = "feat: x\r\n\r\nOne\r\n\r\ntwo  \r\n\r\n- [ ]: do it\r\n";
  const Parsed parsed = parse(text);
  ASSERT_EQ(parsed.state, State::parsed);
  EXPECT_EQ(parsed.document.description, "One\n\ntwo  ");
  EXPECT_TRUE(parsed.document.style.crlf);
  EXPECT_EQ(format(parsed.document), text);
}

TEST(plan_parse, mixed_ends_of_lines_become_newlines) {
  const Parsed parsed = parse("feat: x\r\n\nOne\r\ntwo\r\r\n");
  EXPECT_FALSE(parsed.document.style.crlf);
  EXPECT_EQ(format(parsed.document), "feat: x\n\nOne\ntwo\n");
}

TEST(plan_parse, a_byte_order_mark_is_kept_and_is_not_part_of_the_type) {
  const std::string text =
      "\xEF\xBB\xBF"
      "feat: x\n";
  const Parsed parsed = parse(text);
  ASSERT_EQ(parsed.state, State::parsed);
  EXPECT_EQ(parsed.document.header->type, "feat");
  EXPECT_EQ(format(parsed.document), text);
  EXPECT_EQ(parse("\xEF\xBB\xBF \n").state, State::empty);
}

TEST(plan_parse, a_carriage_return_inside_a_line_stays) {
  EXPECT_EQ(parse("feat: x\n\na\rb\n").document.description, "a\rb");
}

TEST(plan_parse, nul_and_invalid_utf8_halt_at_their_place) {
  const Parsed nul = parse(std::string_view("feat: x\n\na\0b", 12));
  ASSERT_EQ(nul.state, State::halted);
  EXPECT_EQ(*nul.halt, (Halt{3, 2, "UTF-8 text without NUL"}));
  const Parsed bad = parse("feat: \xC3");
  EXPECT_EQ(*bad.halt, (Halt{1, 7, "UTF-8 text without NUL"}));
}

TEST(plan_parse, a_title_may_have_as_many_characters_as_the_limit_and_no_more) {
  const auto titled = [](std::size_t chars) {
    std::string title;
    for (std::size_t i = 0; i < chars; ++i) title += "é";
    return parse(cat("feat(a): ", title));
  };
  EXPECT_EQ(titled(limits::plan_title_chars_max).state, State::parsed);
  const Parsed over = titled(limits::plan_title_chars_max + 1);
  ASSERT_EQ(over.state, State::halted);
  EXPECT_EQ(over.halt->column, 10u);
  EXPECT_EQ(over.document.header->title->size(), 2 * (limits::plan_title_chars_max + 1));
}

TEST(plan_parse, a_text_may_have_as_many_bytes_as_the_limit_and_no_more) {
  std::string text = "feat: x\n\n";
  text.append(limits::plan_bytes_max - text.size(), 'a');
  EXPECT_EQ(parse(text).state, State::parsed);
  text += 'a';
  const Parsed over = parse(text);
  EXPECT_EQ(over.state, State::halted);
  EXPECT_EQ(over.document, Plan{});
}

TEST(plan_parse, there_may_be_as_many_tasks_as_the_limit_and_no_more) {
  EXPECT_EQ(parse(tasks(limits::plan_tasks_max)).state, State::parsed);
  const Parsed over = parse(tasks(limits::plan_tasks_max + 1));
  ASSERT_EQ(over.state, State::halted);
  EXPECT_EQ(over.document.tasks.size(), limits::plan_tasks_max);
  EXPECT_EQ(over.halt->line, limits::plan_tasks_max + 3);
}

TEST(plan_parse, tasks_may_be_nested_as_deep_as_the_limit_and_no_deeper) {
  EXPECT_EQ(parse(nested(limits::plan_depth_max)).state, State::parsed);
  const Parsed over = parse(nested(limits::plan_depth_max + 1));
  ASSERT_EQ(over.state, State::halted);
  EXPECT_EQ(*over.halt, (Halt{8, 11, "tasks nested at most 4 deep"}));
  EXPECT_EQ(progress_of(over.document.tasks).total, limits::plan_depth_max + 1);
}

TEST(plan_parse, strict_has_its_own_limits_on_both_sides) {
  const PlanConfig strict = *named_config("STRICT");
  EXPECT_EQ(parse(tasks(50), strict).state, State::parsed);
  EXPECT_EQ(parse(tasks(51), strict).state, State::halted);
  EXPECT_EQ(parse(nested(3), strict).state, State::parsed);
  EXPECT_EQ(parse(nested(4), strict).state, State::halted);
  EXPECT_EQ(parse("feat: " + std::string(50, 'a'), strict).state, State::parsed);
  EXPECT_EQ(parse("feat: " + std::string(51, 'a'), strict).state, State::halted);
  std::string text = "feat: x\n\n" + std::string(9'991, 'a');
  EXPECT_EQ(parse(text, strict).state, State::parsed);
  text += 'a';
  EXPECT_EQ(parse(text, strict).state, State::halted);
}

TEST(plan_parse, every_limit_can_be_changed) {
  EXPECT_EQ(parse("feat: abc", with(R"({"maxTitleLength": 2})")).state, State::halted);
  EXPECT_EQ(parse("feat: ab", with(R"({"maxTitleLength": 2})")).state, State::parsed);
  EXPECT_EQ(parse("feat: ab", with(R"({"maxInputLength": 7})")).state, State::halted);
  EXPECT_EQ(parse("feat: ab", with(R"({"maxInputLength": 8})")).state, State::parsed);
  EXPECT_EQ(parse(nested(1), with(R"({"maxNestingDepth": 0})")).state, State::halted);
  EXPECT_EQ(parse(nested(0), with(R"({"maxNestingDepth": 0})")).state, State::parsed);
  EXPECT_EQ(parse(nested(16), with(R"({"maxNestingDepth": 16})")).state, State::parsed);
  EXPECT_EQ(parse(tasks(2), with(R"({"maxTaskCount": 1})")).state, State::halted);
  EXPECT_EQ(parse(tasks(1), with(R"({"maxTaskCount": 1})")).state, State::parsed);
  const std::string directed = tasks(1) + "\nGoing\n";
  EXPECT_EQ(parse(directed, with(R"({"directionHaltLength": 5})")).state, State::halted);
  EXPECT_EQ(parse(directed, with(R"({"directionHaltLength": 4})")).state, State::parsed);
  EXPECT_EQ(parse(tasks(1) + "\nG\n", with(R"({"directionHaltLength": 0})")).state, State::parsed);
}

TEST(plan_parse, the_indent_can_be_changed_and_is_written_so) {
  const Parsed parsed = parse(nested(2, 3), with(R"({"indentSize": 3})"));
  EXPECT_EQ(format(parsed.document, with(R"({"indentSize": 3})")), nested(2, 3));
  EXPECT_EQ(format(parsed.document), nested(2));
}

TEST(plan_parse, reading_many_lines_stays_linear_in_what_is_kept) {
  // A text of blank lines and one of look-alikes: neither grows what it is read into.
  std::string blank = "feat: x\n" + std::string(90'000, '\n');
  EXPECT_EQ(parse(blank).document.description, std::nullopt);
  std::string like = "feat: x\n\n- Never: a\n";
  while (like.size() < 90'000) like += "- No: Way\n";
  const Parsed parsed = parse(like);
  EXPECT_EQ(parsed.document.constraints.size(), 1u);
  EXPECT_GT(parsed.document.description->size(), 89'000u);
}

}  // namespace
}  // namespace baton::plan
