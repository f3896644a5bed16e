#include "run/show/prompt_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"
#include "base/testing/json_generator.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/testing/play.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using ::testing::EndsWith;

std::string filled(std::string_view text, const Object& context, const Object& loop = {},
                   const testing::Play& play = testing::no_script) {
  return testing::ask_until_known(play, [&](state::ScriptAnswers& answers) {
    Scripts scripts(answers, {});
    return with_values(text, RunScope(context, loop), scripts);
  });
}

TEST(prompt_values, plain_paths_become_what_they_name) {
  const Object context{{"name", "Ada"},   {"count", 3},
                       {"ratio", 0.5},    {"done", true},
                       {"none", nullptr}, {"user", Object{{"langs", Array{"c", "lisp"}}}}};
  EXPECT_EQ(filled("{{ name }}, {{count}}, {{ ratio }}, {{ done }}, {{ none }}", context),
            "Ada, 3, 0.5, true, null");
  EXPECT_EQ(filled("{{ user.langs }} {{ user }}", context),
            R"(["c","lisp"] {"langs":["c","lisp"]})");
  EXPECT_EQ(filled("no values here", context), "no values here");
}

TEST(prompt_values, every_filter_has_its_form) {
  const Object context{{"list", Array{"a b", 2}}, {"path", "src/a b.cc"}};
  EXPECT_EQ(filled("{{ path | json }}", context), "\"src/a b.cc\"");
  EXPECT_EQ(filled("{{ list | lines }}", context), "a b\n2");
  EXPECT_EQ(filled("{{ path | lines }}", context), "src/a b.cc");
  EXPECT_EQ(filled("{{ path | path_to_key }}", context), "src_a_b_cc");
  EXPECT_EQ(filled("{{ path | raw }}", context), "src/a b.cc");
}

TEST(prompt_values, loop_variables_hide_the_context) {
  EXPECT_EQ(
      filled("{{ item }} of {{ total }}", {{"item", "outer"}, {"total", 2}}, {{"item", "inner"}}),
      "inner of 2");
}

TEST(prompt_values, what_names_nothing_is_marked_with_where_it_breaks_off) {
  const Object context{{"a", Object{{"b", "text"}}}};
  EXPECT_EQ(filled("[{{ x }}]", context), "[[unset: x]]");
  EXPECT_EQ(filled("{{ x.y }}", context), "[unset: x.y]");
  EXPECT_EQ(filled("{{ a.c }}", context), "[unset: a.c; a is of type object]");
  EXPECT_EQ(filled("{{ a.b.c.d }}", context), "[unset: a.b.c.d; a.b is of type string]");
}

TEST(prompt_values, a_value_is_data_and_never_filled_in_again) {
  EXPECT_EQ(filled("{{ a }}", {{"a", "{{ b }}"}, {"b", "secret"}}), "{{ b }}");
}

TEST(prompt_values, one_value_is_cut_at_its_limit) {
  const auto shown = [](std::size_t bytes) {
    return filled("{{ a }}", {{"a", std::string(bytes, 'x')}});
  };
  EXPECT_EQ(shown(limits::prompt_value_bytes_max).size(), limits::prompt_value_bytes_max);
  EXPECT_THAT(shown(limits::prompt_value_bytes_max), EndsWith("x"));
  EXPECT_EQ(shown(limits::prompt_value_bytes_max + 1).size(), limits::prompt_value_bytes_max);
  EXPECT_THAT(shown(limits::prompt_value_bytes_max + 1), EndsWith("[TRUNCATED]"));
}

TEST(prompt_values, all_values_together_are_cut_at_their_limit) {
  const Object context{{"a", std::string(limits::prompt_value_bytes_max, 'x')}};
  std::string text;
  const std::size_t fitting = limits::prompt_values_bytes_max / limits::prompt_value_bytes_max;
  for (std::size_t i = 0; i < fitting; ++i) text += "{{ a }}";
  EXPECT_EQ(filled(text, context).size(), limits::prompt_values_bytes_max);
  EXPECT_EQ(filled(text + "{{ a }}", context).size(), limits::prompt_values_bytes_max);
}

RC_GTEST_PROP(prompt_values, text_without_expressions_is_kept_and_values_stay_utf8, ()) {
  json::testing::ShrinkingChoices choose;
  const std::string before = json::testing::any_string(choose);
  RC_PRE(!before.contains("{{") && !before.ends_with('{'));
  std::string value;
  for (std::size_t left = choose(2'000); left > 0; --left) value += "\u00e9";
  const std::string out = filled(cat(before, "{{ v }}"), {{"v", value + value}});
  RC_ASSERT(out.starts_with(before));
  RC_ASSERT(utf8::is_valid(out));
  RC_ASSERT(out.size() <= before.size() + limits::prompt_value_bytes_max);
}

}  // namespace
}  // namespace baton::run
