#include "base/schema/uri.h"

#include <gtest/gtest.h>

namespace baton::schema {
namespace {

TEST(schema_uri, resolves_the_normal_examples_of_rfc_3986) {
  constexpr std::string_view base = "http://a/b/c/d;p?q";
  const std::pair<std::string_view, std::string_view> examples[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g;x=1/../y", "http://a/b/c/y"},
  };
  for (const auto& [reference, resolved] : examples) {
    EXPECT_EQ(resolve_uri(base, reference), resolved) << reference;
  }
}

TEST(schema_uri, an_empty_base_or_fragment_changes_nothing) {
  EXPECT_EQ(resolve_uri("", "a/b#c"), "a/b#c");
  EXPECT_EQ(resolve_uri("http://a/b", "#"), "http://a/b");
  EXPECT_EQ(resolve_uri("urn:x:y", "#z"), "urn:x:y#z");
  EXPECT_EQ(resolve_uri("http://a", "b"), "http://a/b");
}

TEST(schema_uri, percent_escapes_are_bytes) {
  EXPECT_EQ(percent_decoded("a%25b%e2%82%AC"), "a%b\xE2\x82\xAC");
  EXPECT_EQ(percent_decoded("%"), "%");
  EXPECT_EQ(percent_decoded("%4"), "%4");
  EXPECT_EQ(percent_decoded("%41"), "A");
  EXPECT_EQ(percent_decoded("%zz"), "%zz");
}

}  // namespace
}  // namespace baton::schema
