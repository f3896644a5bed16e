// Origin: 003-6
#include "plan/config.h"

#include <gtest/gtest.h>

#include "base/text/text.h"

namespace baton::plan {
namespace {

Result<PlanConfig> changed(const std::string& changes) {
  return config_with(default_config(), *json::parse(changes)->if_object());
}

struct Bound {
  const char* key;
  std::int64_t min;
  std::int64_t max;
};

class PlanConfigBounds : public ::testing::TestWithParam<Bound> {};

TEST_P(PlanConfigBounds, both_ends_are_accepted_and_what_is_past_them_refused) {
  const auto [key, min, max] = GetParam();
  EXPECT_TRUE(changed(cat("{\"", key, "\":", min, '}')));
  EXPECT_TRUE(changed(cat("{\"", key, "\":", max, '}')));
  for (const std::int64_t bad : {min - 1, max + 1}) {
    const auto refused = changed(cat("{\"", key, "\":", bad, '}'));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::CONFIG_INVALID);
    EXPECT_EQ(refused.error().message, cat(key, " must be a number from ", min, " to ", max));
  }
}

INSTANTIATE_TEST_SUITE_P(
    all, PlanConfigBounds,
    ::testing::Values(Bound{"maxTitleLength", 1, limits::plan_title_chars_ceiling},
                      Bound{"indentSize", 1, limits::plan_indent_chars_ceiling},
                      Bound{"directionHaltLength", 0, limits::plan_direction_halt_chars_ceiling},
                      Bound{"maxInputLength", 1, limits::plan_bytes_ceiling},
                      Bound{"maxNestingDepth", 0, limits::plan_depth_ceiling},
                      Bound{"maxTaskCount", 1, limits::plan_tasks_ceiling}));

TEST(plan_config, the_default_has_the_limits_of_a_commit_message) {
  EXPECT_EQ(default_config().indent_chars, limits::plan_indent_chars);
  EXPECT_EQ(default_config().direction_halt_chars, limits::plan_direction_halt_chars);
}

TEST(plan_config, names_are_found_and_a_misspelt_one_gets_the_nearest) {
  for (const std::string_view name : config_names()) EXPECT_EQ(named_config(name)->name, name);
  EXPECT_EQ(named_config("STRICKT").error().next.text(), "did you mean 'STRICT'?");
}

TEST(plan_config, an_unknown_change_gets_the_nearest_name) {
  EXPECT_EQ(changed(R"({"maxTitelLength": 3})").error().next.text(),
            "did you mean 'maxTitleLength'?");
}

TEST(plan_config, a_shape_needs_both_slots_and_text_between_and_around_them) {
  EXPECT_TRUE(changed(R"({"taskShapes": ["* {mark} {text}"]})"));
  EXPECT_TRUE(changed(R"({"constraintShapes": ["{key}: {value}"]})"));
  for (const char* bad : {"- {text}", "- {mark}{text}", "{mark} {text}", " - {mark} {text}",
                          "- {mark} {text} ", "- {mark} {text} {text}"}) {
    EXPECT_FALSE(changed(cat(R"({"taskShapes": [")", bad, "\"]}"))) << bad;
  }
}

TEST(plan_config, shapes_have_limits_on_both_sides) {
  const auto shapes = [](std::size_t count) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i) list += cat(i ? "," : "", R"("- {mark} {text}")");
    return changed(cat("{\"taskShapes\":[", list, "]}")).has_value();
  };
  EXPECT_FALSE(shapes(0));
  EXPECT_TRUE(shapes(limits::plan_shapes_max));
  EXPECT_FALSE(shapes(limits::plan_shapes_max + 1));
  const auto long_shape = [](std::size_t bytes) {
    std::string text = "{mark} {text}";
    text.insert(0, bytes - text.size(), '-');
    return changed(cat("{\"taskShapes\":[\"", text, "\"]}")).has_value();
  };
  EXPECT_TRUE(long_shape(limits::plan_shape_bytes_max));
  EXPECT_FALSE(long_shape(limits::plan_shape_bytes_max + 1));
}

TEST(plan_config, other_settings_are_checked_too) {
  EXPECT_TRUE(changed(R"({"doneMarks": "xX*"})"));
  EXPECT_FALSE(changed(R"({"doneMarks": ""})"));
  EXPECT_FALSE(changed(R"({"doneMarks": " "})"));
  EXPECT_TRUE(changed(R"({"strict": true})"));
  EXPECT_FALSE(changed(R"({"strict": 1})"));
  EXPECT_TRUE(changed(R"({"headerPrefixes": ["", "# "]})"));
  EXPECT_FALSE(changed(R"({"headerPrefixes": ["a\nb"]})"));
}

}  // namespace
}  // namespace baton::plan
