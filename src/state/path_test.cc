#include "state/path.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::state {
namespace {

std::vector<std::string> segments(std::string_view text) {
  const auto path = parse_path(text);
  EXPECT_TRUE(path) << text << ": " << path.error().message;
  return path ? path->segments : std::vector<std::string>();
}

std::string error(std::string_view text) {
  const auto path = parse_path(text);
  if (path) return cat("it is ", print(*path));
  EXPECT_EQ(path.error().code, Code::STATE_BAD_PATH);
  return path.error().message;
}

using Names = std::vector<std::string>;

TEST(path, names_follow_dots_and_positions_are_in_brackets) {
  EXPECT_EQ(parse_path("raw.files")->root, Root::raw);
  EXPECT_EQ(parse_path("this.a")->root, Root::this_frame);
  EXPECT_EQ(segments("raw"), Names{});
  EXPECT_EQ(segments("raw.a.b"), (Names{"a", "b"}));
  EXPECT_EQ(segments("raw.a[0].b"), (Names{"a", "0", "b"}));
  EXPECT_EQ(segments(R"(state["a.b"]["]"]["\""].größe)"), (Names{"a.b", "]", "\"", "größe"}));
  EXPECT_EQ(segments("raw.a-b.0"), (Names{"a-b", "0"}));
}

TEST(path, an_invalid_path_is_refused_with_its_place) {
  EXPECT_EQ(error("raw."), "\"raw.\", character 5: expected a name");
  EXPECT_EQ(error("raw..a"), "\"raw..a\", character 5: expected a name");
  EXPECT_EQ(error("raw.a b"), "\"raw.a b\", character 6: expected '.' or '['");
  EXPECT_EQ(error("raw.a["),
            "\"raw.a[\", character 7: expected a position or a name in double quotes");
  EXPECT_EQ(error("raw.a[0"), "\"raw.a[0\", character 6: the closing ']' is missing");
  EXPECT_EQ(error("raw.a[01]"),
            "\"raw.a[01]\", character 7: expected a position or a name in double quotes");
  EXPECT_EQ(error("raw[\"a]"), "\"raw[\"a]\", character 5: the closing quote is missing");
  EXPECT_EQ(error(""), "\"\" does not begin with a tier");
  EXPECT_EQ(parse_path("row.a").error().next.text(), "did you mean \"raw.a\"?");
  EXPECT_FALSE(parse_path("raw.\xff"));
}

TEST(path, depth_and_length_are_bounded) {
  std::string deepest = "raw";
  for (std::size_t i = 0; i < limits::state_depth_max; ++i) deepest += ".a";
  EXPECT_TRUE(parse_path(deepest));
  EXPECT_FALSE(parse_path(deepest + ".a"));
  const std::string longest = cat("raw.", std::string(limits::state_path_bytes_max - 4, 'x'));
  EXPECT_TRUE(parse_path(longest));
  EXPECT_FALSE(parse_path(longest + "x"));
}

TEST(path, a_value_is_always_one_segment) {
  const auto parsed = PathTemplate::parse("raw.status.{{ id }}.done");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->expressions(), Names{"id"});
  for (const std::string value : {"a", "a.b", "[0]", "\"]", "", "{{ id }}", ".."}) {
    EXPECT_EQ(parsed->fill({&value, 1}), (Path{Root::raw, {"status", value, "done"}}));
  }
}

TEST(path, a_value_can_be_a_part_of_a_segment) {
  const auto parsed = PathTemplate::parse("raw.file_{{ a['}}'] }}_{{ b }}[{{ c }}]");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->expressions(), (Names{"a['}}']", "b", "c"}));
  const std::string values[] = {"x.y", "z", "3"};
  EXPECT_EQ(parsed->fill(values), (Path{Root::raw, {"file_x.y_z", "3"}}));
  EXPECT_FALSE(parse_path("raw.{{ a }}"));
  EXPECT_FALSE(PathTemplate::parse("{{ tier }}.a"));
  EXPECT_FALSE(PathTemplate::parse("raw.{{ a"));
}

TEST(path, positions_are_numbers_without_leading_zeros) {
  EXPECT_EQ(position_of("0"), 0u);
  EXPECT_EQ(position_of("120"), 120u);
  for (const std::string_view text : {"", "-1", "01", "1a", "1.0", "99999999999999999999"}) {
    EXPECT_FALSE(position_of(text)) << text;
  }
}

RC_GTEST_PROP(path, what_is_printed_is_read_back, ()) {
  Path path{static_cast<Root>(*rc::gen::inRange(0, 7)), {}};
  const auto names = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab0._-[]\"\\{} \n"))));
  for (const std::string& name : names) {
    if (path.segments.size() < limits::state_depth_max) path.segments.push_back(name);
  }
  const std::string text = print(path);
  RC_PRE(text.size() <= limits::state_path_bytes_max);
  const auto back = parse_path(text);
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == path);
}

}  // namespace
}  // namespace baton::state
