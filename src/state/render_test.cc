#include "state/render.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "state/testing/fake_scripts.h"
#include "state/testing/schemas.h"

namespace baton::state {
namespace {

using json::Value;
using testing::frame;
using testing::pump;
using testing::Pumped;
using testing::schema;
using testing::tree;

/// "1 + 1" is 2, "none()" is undefined, "fail()" throws; anything else is its own source.
ScriptResult scripts(std::string_view source, const Value&) {
  if (source == "1 + 1") return Value(2);
  if (source == "none()") {
    return std::unexpected(ScriptProblem{ScriptFault::undefined, "there is no result", {}, 0, 0});
  }
  if (source == "fail()") return testing::threw("it fails");
  if (source.starts_with("yes")) return Value(true);
  return Value(source);
}

struct Place {
  StateSchema schema = testing::schema(
      R"({"raw": {"files": "array", "name": "string", "n": "integer", "map": "object",
                  "unset": "any"}})");
  Frame frame =
      testing::frame(R"({"raw":{"files":["a","b"],"name":"x/y.ts","n":7,"map":{"b":1,"a":null}}})");
  Scope scope{schema, frame};

  std::string exact(std::string_view text, Pumped* pumped = nullptr) const {
    const auto made = pump(
        scripts, [&](ScriptAnswers& answers) { return render_all(text, scope, {}, answers); },
        pumped);
    return made ? json::print(*made)
                : cat(name_of(made.error().code), ": ", made.error().message, " | ",
                      made.error().next.text());
  }

  std::string shown(std::string_view text) const {
    const auto made = pump(
        scripts, [&](ScriptAnswers& answers) { return render_text(text, scope, {}, answers); });
    return made ? *made : cat(name_of(made.error().code), ": ", made.error().message);
  }

  std::string path(std::string_view text) const {
    const auto made = pump(
        scripts, [&](ScriptAnswers& answers) { return render_path(text, scope, {}, answers); });
    return made ? print(*made) : cat(name_of(made.error().code), ": ", made.error().message);
  }

  std::string truth(std::string_view code) const {
    const auto made = pump(scripts, [&](ScriptAnswers& answers) {
      return baton::state::truth(code, scope, {}, answers);
    });
    if (!made) return std::string(name_of(made.error().code));
    return *made ? "true" : "false";
  }
};

TEST(render, an_expression_alone_keeps_its_type) {
  const Place place;
  EXPECT_EQ(place.exact("{{ files }}"), R"(["a","b"])");
  EXPECT_EQ(place.exact(" {{ n }}\n"), "7");
  EXPECT_EQ(place.exact("{{ 1 + 1 }}"), "2");
  EXPECT_EQ(place.exact("{{ files | raw }}"), R"(["a","b"])");
}

TEST(render, an_expression_in_text_is_written_out) {
  const Place place;
  EXPECT_EQ(place.exact("n={{ n }} {{ name }} {{ files }} {{ map }}"),
            R"("n=7 x/y.ts [\"a\",\"b\"] {\"a\":null,\"b\":1}")");
  EXPECT_EQ(place.exact("{{ n }}{{ 1 + 1 }}"), R"("72")");
  EXPECT_EQ(place.exact("no expression"), R"("no expression")");
}

TEST(render, filters_make_text) {
  const Place place;
  EXPECT_EQ(place.exact("{{ files | json }}"), R"("[\"a\",\"b\"]")");
  EXPECT_EQ(place.exact("{{ files | lines }}"), R"("a\nb")");
  EXPECT_EQ(place.exact("{{ name | path_to_key }}"), R"("x_y_ts")");
  EXPECT_EQ(place.exact("{{ name | json }}!"), R"("\"x/y.ts\"!")");
  EXPECT_EQ(place.exact("{{ n | lines }}"), R"("7")");
}

TEST(render, plain_paths_need_no_script_and_all_scripts_of_a_value_are_asked_for_at_once) {
  const Place place;
  Pumped pumped;
  EXPECT_EQ(place.exact("{{ n }} {{ files.length }}", &pumped), R"("7 2")");
  EXPECT_EQ(pumped.rounds, 0u);
  const auto made = pump(
      scripts,
      [&](ScriptAnswers& answers) {
        return render_all(testing::value(R"({"a":"{{ 1 + 1 }}","b":["{{ n }}","{{ 2 + 2 }}"],)"
                                         R"("{{ c }}":true})"),
                          place.scope, {}, answers);
      },
      &pumped);
  const std::string expected = R"({"a":2,"b":[7,"2 + 2"],"{{ c }}":true})";
  EXPECT_EQ(json::print(MUST(made)), expected);
  EXPECT_EQ(pumped.rounds, 1u);
}

TEST(render, what_is_undefined_is_an_error_for_a_value) {
  const Place place;
  EXPECT_EQ(place.exact("{{ unset }}"),
            "STATE_UNDEFINED: there is no value, in `unset` | set it first, or give it a default");
  EXPECT_EQ(place.exact("a {{ none() }}"),
            "STATE_UNDEFINED: there is no value, in `none()` | set it first, or give it a default");
  EXPECT_EQ(place.exact("{{ unset.more }}"),
            "STATE_UNDEFINED: \"unset\" is undefined or null and has no \"more\", in `unset.more` "
            "| set it first, or give it a default");
  EXPECT_EQ(place.exact("{{ flies }}"),
            "STATE_UNKNOWN_NAME: \"flies\" is not declared, in `flies` | did you mean 'files'?");
}

TEST(render, a_failing_script_is_an_error_with_its_place) {
  const Place place;
  EXPECT_EQ(place.exact("a {{ fail() }}"),
            "SCRIPT_FAILED: it fails at line 1, column 1, in `fail()` | ");
}

TEST(render, what_is_shown_says_what_is_missing) {
  const Place place;
  EXPECT_EQ(place.shown("a {{ unset }} {{ none() }} {{ unset.more }} {{ n }}"),
            "a [unset: unset] [unset: none()] [unset: unset.more] 7");
  EXPECT_EQ(place.shown("{{ flies }}"),
            "[failed: \"flies\" is not declared, in `flies`; did you mean 'files'?]");
  EXPECT_EQ(place.shown("{{ fail() }}"), "[failed: it fails at line 1, column 1, in `fail()`]");
  EXPECT_EQ(place.shown("{{ n }}"), "7");
}

TEST(render, braces_that_do_not_close_are_an_error_with_their_place) {
  const Place place;
  EXPECT_EQ(place.exact("a {{ n "),
            "WORKFLOW_BAD_EXPRESSION: this {{ has no }}, at character 3 of `a {{ n ` | ");
}

TEST(render, a_shown_value_has_at_most_prompt_value_bytes_max_and_all_prompt_values_bytes_max) {
  Place place;
  const std::string most(limits::prompt_value_bytes_max, 'x');
  place.scope = place.scope.with("item", Tree::from(most)).with("more", Tree::from(most + 'x'));
  EXPECT_EQ(place.shown("{{ item }}"), most);
  EXPECT_EQ(place.shown("{{ more }}").size(), limits::prompt_value_bytes_max);
  std::string many;
  for (std::size_t i = 0; i < limits::prompt_values_bytes_max / most.size(); ++i) {
    many += "{{ item }}";
  }
  EXPECT_EQ(place.shown(many).size(), limits::prompt_values_bytes_max);
  EXPECT_EQ(place.shown(many + "{{ item }}").size(), limits::prompt_values_bytes_max);
}

TEST(render, a_text_has_at_most_rendered_bytes_max) {
  Place place;
  place.scope =
      place.scope.with("item", Tree::from(std::string(limits::rendered_bytes_max - 1, 'x')));
  EXPECT_EQ(place.exact("a{{ item }}").size(), limits::rendered_bytes_max + 2);  // quotes
  EXPECT_TRUE(place.exact("ab{{ item }}").starts_with("LIMIT_EXCEEDED: "));
}

TEST(render, a_value_in_a_path_is_one_segment) {
  Place place;
  EXPECT_EQ(place.path("raw.map.{{ name }}.done"), R"(raw.map["x/y.ts"].done)");
  EXPECT_EQ(place.path("raw.map.{{ name | path_to_key }}"), "raw.map.x_y_ts");
  EXPECT_EQ(place.path("raw.map[{{ n }}].a{{ 1 + 1 }}"), "raw.map.7.a2");
  EXPECT_EQ(place.path("raw.map.{{ unset }}"),
            "STATE_UNDEFINED: there is no value to put into the path, in `unset`");
  EXPECT_EQ(place.path("raw.map.{{ files }}"),
            "STATE_BAD_PATH: a value of type array cannot be put into a path, in `files`");
}

TEST(render, truth_is_that_of_javascript) {
  Place place;
  place.scope = place.scope.with("zero", tree("0"))
                    .with("none", tree("null"))
                    .with("empty", tree(R"("")"))
                    .with("off", tree("false"))
                    .with("list", tree("[]"))
                    .with("half", tree("0.5"));
  for (const std::string_view code : {"zero", "none", "empty", "off", "unset", "map.a"}) {
    EXPECT_EQ(place.truth(code), "false") << code;
  }
  for (const std::string_view code : {"n", "name", "files", "list", "half", "map", "yes()"}) {
    EXPECT_EQ(place.truth(code), "true") << code;
  }
  EXPECT_EQ(place.truth("fail()"), "SCRIPT_FAILED");
  EXPECT_EQ(place.truth("flies"), "STATE_UNKNOWN_NAME");
}

TEST(render, every_expression_has_a_chance_of_its_own) {
  const Place place;
  ScriptAnswers answers;
  const Value both = testing::value(R"(["{{ uuid() }} {{ uuid() }}","{{ uuid() }}"])");
  EXPECT_TRUE(is_not_yet(render_all(both, place.scope, {{}, 1}, answers)));
  EXPECT_EQ(answers.asked().size(), 3u);
}

TEST(render, the_same_draw_asks_the_same) {
  const Place place;
  ScriptAnswers first;
  ScriptAnswers again;
  for (ScriptAnswers* answers : {&first, &again}) {
    EXPECT_TRUE(is_not_yet(render_all("a {{ uuid() }}", place.scope, {{}, 1}, *answers)));
  }
  EXPECT_EQ(first.asked()[0].draw, again.asked()[0].draw);
  EXPECT_EQ(first.asked()[0].scope, again.asked()[0].scope);
}

}  // namespace
}  // namespace baton::state
