#include "protocol/features/uri_template.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"

namespace baton::protocol {
namespace {

std::string matched(std::string_view pattern, std::string_view uri) {
  const auto found = MUST(UriTemplate::parse(pattern)).match(uri);
  return found ? json::print(*found) : "no";
}

TEST(uri_template, only_simple_expansions_are_taken) {
  for (const char* bad : {"x://{", "x://}", "x://{}", "x://{+a}", "x://{a,b}", "x://{a*}",
                          "x://{?q}", "x://{a}{b}", "x://{a}/{a}", "x://{a b}"}) {
    EXPECT_FALSE(UriTemplate::parse(bad)) << bad;
  }
}

TEST(uri_template, variables_are_found_and_decoded) {
  EXPECT_EQ(matched("x://a/{id}/data", "x://a/12/data"), R"({"id":"12"})");
  EXPECT_EQ(matched("x://{a}/{b}", "x://1/2"), R"({"a":"1","b":"2"})");
  EXPECT_EQ(matched("x://{a}", "x://%C3%A9%2F"), R"({"a":"é/"})");
  EXPECT_EQ(matched("x://{a}-{b}", "x://1-2-3"), R"({"a":"1","b":"2-3"})");
  EXPECT_EQ(matched("x://fixed", "x://fixed"), "{}");
}

TEST(uri_template, what_it_could_not_have_made_does_not_match) {
  EXPECT_EQ(matched("x://{a}", "x://"), "no");
  EXPECT_EQ(matched("x://{a}", "x://1/2"), "no");
  EXPECT_EQ(matched("x://{a}", "x://1?q"), "no");
  EXPECT_EQ(matched("x://{a}/end", "x://1/end/more"), "no");
  EXPECT_EQ(matched("x://{a}", "y://1"), "no");
  EXPECT_EQ(matched("x://{a}", "x://%zz"), "no");
  EXPECT_EQ(matched("x://{a}", "x://%4"), "no");
  EXPECT_EQ(matched("x://{a}", "x://%ff"), "no");
}

RC_GTEST_PROP(uri_template, plain_values_come_back, ()) {
  const auto letters =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z')));
  const std::string a = *letters;
  const std::string b = *letters;
  const auto found = MUST(UriTemplate::parse("x://{a}/sub/{b}")).match(cat("x://", a, "/sub/", b));
  RC_ASSERT(found.has_value());
  RC_ASSERT(*found == (json::Object{{"a", a}, {"b", b}}));
}

}  // namespace
}  // namespace baton::protocol
