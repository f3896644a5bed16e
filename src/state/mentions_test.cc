#include "state/mentions.h"

#include <gtest/gtest.h>

#include "base/text/text.h"

namespace baton::state {
namespace {

std::string mentions(std::string_view code) {
  std::string out;
  for (const Mention& each : mentions_of(code)) {
    out += cat(out.empty() ? "" : " ", each.name, each.property.empty() ? "" : ".", each.property);
  }
  return out;
}

TEST(mentions, names_are_found_with_the_property_that_is_read) {
  EXPECT_EQ(mentions("a + b.c + d?.e.f + g[h] + i()"), "a b.c d.e g h i");
  EXPECT_EQ(mentions("this.a + this['b']"), "this.a this");
}

TEST(mentions, properties_and_keys_are_not_names) {
  EXPECT_EQ(mentions("({ a: b, c, d: e.f })"), "b c e.f");
  EXPECT_EQ(mentions("x ? y : z"), "x y z");
}

TEST(mentions, spread_names_and_those_that_the_code_declares_are_found) {
  EXPECT_EQ(mentions("[...a].map(b => b + c)"), "a b b c");
}

TEST(mentions, template_literals_are_searched) {
  EXPECT_EQ(mentions("`x ${a} y ${b.c + `${d}`} \\${e}` + f"), "a b.c d f");
  EXPECT_EQ(mentions("`${{ k: a }.k} z`"), "a");
}

TEST(mentions, texts_numbers_and_comments_have_none) {
  EXPECT_EQ(mentions("'a' + \"b\" + 1e3 /* c */ // d\n"), "");
}

TEST(mentions, nothing_is_missed_in_what_cannot_be_read) {
  EXPECT_EQ(mentions("a } + b"), "a b");
  EXPECT_EQ(mentions("a + 'never ends"), "a never ends");
}

}  // namespace
}  // namespace baton::state
