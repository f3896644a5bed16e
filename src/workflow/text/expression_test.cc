#include "workflow/text/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"

namespace baton::workflow {
namespace {

std::vector<std::string> codes(std::string_view text) {
  std::vector<std::string> out;
  const Scanned scanned = scan_expressions(text);
  for (const Expression& each : scanned.expressions) {
    out.push_back(each.filter == ExpressionFilter::none
                      ? std::string(each.code)
                      : cat(each.code, " | ", name_of(each.filter)));
  }
  if (scanned.problem) out.push_back(cat("! ", scanned.problem->message));
  return out;
}

using Codes = std::vector<std::string>;

std::vector<std::string> names(std::string_view code) {
  std::vector<std::string> out;
  for (const Name& name : free_names(code)) out.emplace_back(name.text);
  return out;
}

TEST(scan_expressions, braces_inside_javascript_end_nothing) {
  EXPECT_EQ(codes("a {{ b }} c {{d}}"), (Codes{"b", "d"}));
  EXPECT_EQ(codes("{{ {a: {b: 1}} }}"), (Codes{"{a: {b: 1}}"}));
  EXPECT_EQ(codes("{{ '}}' + \"}}\" + `}}${ {a: '}'} }` }}"),
            (Codes{"'}}' + \"}}\" + `}}${ {a: '}'} }`"}));
  EXPECT_EQ(codes("{{ x.replace(/}}/g, '') }}"), (Codes{"x.replace(/}}/g, '')"}));
  EXPECT_EQ(codes("{{ a /* }} */ }}"), (Codes{"a /* }} */"}));
  EXPECT_EQ(codes("{{ items.map(i => ({id: i})) }}"), (Codes{"items.map(i => ({id: i}))"}));
  EXPECT_EQ(codes("{{ a / 2 }} and {{ b / 3 }}"), (Codes{"a / 2", "b / 3"}));
  EXPECT_TRUE(codes("no { braces } here").empty());
}

TEST(scan_expressions, trailing_filter_is_taken_off_only_if_it_is_one) {
  EXPECT_EQ(codes("{{ item | path_to_key }}"), (Codes{"item | path_to_key"}));
  EXPECT_EQ(scan_expressions("{{ item | path_to_key }}").expressions[0].code, "item");
  EXPECT_EQ(scan_expressions("{{ a | b }}").expressions[0].code, "a | b");
  EXPECT_EQ(scan_expressions("{{ a || json }}").expressions[0].code, "a || json");
  EXPECT_EQ(scan_expressions("{{ a | json }}").expressions[0].filter, ExpressionFilter::json);
  for (const std::string_view name : {"path_to_key", "json", "lines", "raw"}) {
    EXPECT_EQ(name_of(*filter_of(name)), name);
  }
}

TEST(scan_expressions, unclosed_and_empty_braces_are_problems) {
  EXPECT_EQ(codes("x {{ a"), (Codes{"! this {{ has no }}"}));
  EXPECT_EQ(codes("x {{ 'a }}"), (Codes{"! this {{ has no }}"}));
  EXPECT_EQ(codes("x {{ }}"), (Codes{"! there is nothing between the braces"}));
  EXPECT_EQ(scan_expressions("ok {{ a }} {{").problem->at, 11u);
}

TEST(bare_expression, braces_around_everything_are_taken_off) {
  EXPECT_EQ(bare_expression(" {{ a > 3 }} "), "a > 3");
  EXPECT_EQ(bare_expression("a > 3"), "a > 3");
  EXPECT_EQ(bare_expression("{{ a }} && {{ b }}"), "(a) && (b)");
  EXPECT_EQ(bare_expression("{{ this.n }} < 3"), "(this.n) < 3");
}

TEST(plain_path, is_names_and_dots_only) {
  EXPECT_EQ(plain_path("a.b_2.$c")->size(), 3u);
  EXPECT_EQ(plain_path("this.x")->at(0), "this");
  for (const std::string_view code :
       {"", "a.", ".a", "a..b", "1a", "a[0]", "a b", "a()", "true", "null"}) {
    EXPECT_FALSE(plain_path(code)) << code;
  }
}

TEST(free_names, properties_keys_keywords_and_own_names_are_left_out) {
  EXPECT_EQ(names("a.b.c + d[e] ? f : g"), (Codes{"a", "d", "e", "f", "g"}));
  EXPECT_EQ(names("items.filter(x => x.ok && limit)"), (Codes{"items", "limit"}));
  EXPECT_EQ(names("items.reduce((sum, {n}) => sum + n, 0)"), (Codes{"items"}));
  EXPECT_EQ(names("{ total: count, 'x': other }"), (Codes{"count", "other"}));
  EXPECT_EQ(names("const a = b; for (const c of d) { return a + c }"), (Codes{"b", "d"}));
  EXPECT_EQ(names("try { f() } catch (e) { return e }"), (Codes{"f"}));
  EXPECT_EQ(names("typeof x === 'a' && true && a?.b"), (Codes{"x", "a"}));
  EXPECT_EQ(names("/re+/.test(y)"), (Codes{"y"}));
}

RC_GTEST_PROP(scan_expressions, what_is_found_lies_in_the_text, (const std::string& text)) {
  const std::string braced = cat("{{", text, "}}", text);
  for (const Expression& each : scan_expressions(braced).expressions) {
    RC_ASSERT(each.begin + 4 <= each.end);
    RC_ASSERT(each.end <= braced.size());
    RC_ASSERT(braced.substr(each.begin, 2) == "{{");
    RC_ASSERT(braced.substr(each.end - 2, 2) == "}}");
    RC_ASSERT(!each.code.empty());
  }
  free_names(text);
}

}  // namespace
}  // namespace baton::workflow
