#include "base/text/glob.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"
#include "base/testing/json_generator.h"
#include "base/text/text.h"

namespace baton {
namespace {

/// "yes" or "no", or why the pattern cannot be read.
std::string match(std::string_view pattern, std::string_view path) {
  const auto glob = Glob::compile(pattern);
  if (!glob) return glob.error().message;
  return glob->matches(path) ? "yes" : "no";
}

/// The paths of a list that match.
std::string matching(std::string_view pattern, std::initializer_list<std::string_view> paths) {
  std::string out;
  for (const std::string_view path : paths) {
    if (match(pattern, path) == "yes") out += cat(out.empty() ? "" : " ", path);
  }
  return out;
}

std::string problem(std::string_view pattern) {
  const auto glob = Glob::compile(pattern);
  if (glob) return "none";
  EXPECT_EQ(name_of(glob.error().code), "INVALID_GLOB");
  return glob.error().message;
}

TEST(glob, plain_text_matches_itself_and_nothing_else) {
  EXPECT_EQ(matching("src/a.cc", {"src/a.cc", "src/a.cc/", "/src/a.cc", "src/aXcc", "a.cc", "",
                                  "src/a.ccc", "SRC/A.CC"}),
            "src/a.cc");
  EXPECT_EQ(match("a+(b)|c^$.x", "a+(b)|c^$.x"), "yes");
}

TEST(glob, a_star_stays_within_its_component) {
  EXPECT_EQ(matching("src/*.cc", {"src/a.cc", "src/.cc", "src/a/b.cc", "src/a.c", "a.cc"}),
            "src/a.cc src/.cc");
  EXPECT_EQ(matching("*", {"a", ".hidden", "a/b", ""}), "a .hidden ");
  EXPECT_EQ(match("*", ""), "yes");
  EXPECT_EQ(matching("a*b*c", {"abc", "aXbYc", "ac", "a/bc", "abcbc"}), "abc aXbYc abcbc");
}

TEST(glob, a_question_mark_matches_one_character_of_any_length) {
  EXPECT_EQ(matching("?", {"a", "\u00e9", "\u20ac", "\U0001F600", "ab", "", "/", "\n"}),
            "a \u00e9 \u20ac \U0001F600 \n");
}

TEST(glob, two_stars_cross_components) {
  EXPECT_EQ(matching("src/**/a.cc", {"src/a.cc", "src/x/a.cc", "src/x/y/a.cc", "src/xa.cc",
                                     "src/x/ba.cc", "a.cc"}),
            "src/a.cc src/x/a.cc src/x/y/a.cc");
  EXPECT_EQ(matching("**/a", {"a", "x/a", "x/y/a", "/a", "xa", "a/b"}), "a x/a x/y/a /a");
  EXPECT_EQ(matching("a/**", {"a", "a/", "a/b", "a/b/c", "ab"}), "a/b a/b/c");
  EXPECT_EQ(matching("**", {"a", "a/b", ".x/y"}), "a a/b .x/y");
  EXPECT_EQ(matching("a/**/**/b", {"a/b", "a/x/b", "a/x/y/b", "ab"}), "a/b a/x/b a/x/y/b");
  EXPECT_EQ(matching("**/x/**", {"x/a", "b/x/a", "b/x", "x"}), "x/a b/x/a");
}

TEST(glob, two_stars_inside_a_component_are_one) {
  EXPECT_EQ(matching("a**b", {"ab", "axb", "a/b"}), "ab axb");
  EXPECT_EQ(matching("a/**b", {"a/b", "a/xb", "a/x/b"}), "a/b a/xb");
  EXPECT_EQ(matching("a**/b", {"a/b", "ax/b", "a/x/b"}), "a/b ax/b");
}

TEST(glob, braces_are_alternatives) {
  EXPECT_EQ(matching("*.{cc,h}", {"a.cc", "a.h", "a.c", "a.cc,h"}), "a.cc a.h");
  EXPECT_EQ(matching("a{,b,c{d,e}}f", {"af", "abf", "acdf", "acef", "acf"}), "af abf acdf acef");
  EXPECT_EQ(matching("{src,tests}/{*.cc,**/x}", {"src/a.cc", "tests/x", "tests/y/x", "doc/x"}),
            "src/a.cc tests/x tests/y/x");
  EXPECT_EQ(matching("{**/a,b}", {"a", "x/a", "b", "x/b"}), "a x/a b");
  EXPECT_EQ(matching("{a}{}", {"a", "{a}{}"}), "a");
  EXPECT_EQ(matching("a,b", {"a,b", "a"}), "a,b");
  EXPECT_EQ(matching("{a\\,b,c\\}}", {"a,b", "c}", "a"}), "a,b c}");
  EXPECT_EQ(matching("{[,}],b}", {",", "}", "b"}), ", } b") << "brackets protect";
}

TEST(glob, brackets_are_one_character) {
  EXPECT_EQ(matching("[abc]", {"a", "b", "c", "d", "ab", ""}), "a b c");
  EXPECT_EQ(matching("[!abc]", {"a", "d", "/", "\u00e9"}), "d \u00e9");
  EXPECT_EQ(matching("[^abc]", {"a", "d", "^"}), "d ^");
  EXPECT_EQ(matching("[a-cx-z]", {"a", "b", "c", "d", "x", "z", "-"}), "a b c x z");
  EXPECT_EQ(matching("[]a]", {"]", "a"}), "] a");
  EXPECT_EQ(matching("[!]a]", {"]", "a", "b"}), "b");
  EXPECT_EQ(matching("[-a]", {"-", "a", "b"}), "- a");
  EXPECT_EQ(matching("[a-]", {"-", "a", "b"}), "- a");
  EXPECT_EQ(matching("[\\]\\-\\\\x]", {"]", "-", "\\", "x", "y"}), "] - \\ x");
  EXPECT_EQ(matching("[a!^]", {"a", "!", "^", "b"}), "a ! ^");
  EXPECT_EQ(matching("[\u03b1-\u03c9]", {"\u03b1", "\u03c0", "\u03c9", "a"}),
            "\u03b1 \u03c0 \u03c9");
  EXPECT_EQ(matching("[*?{]", {"*", "?", "{", "a"}), "* ? {");
  EXPECT_EQ(matching("[[:alpha:]]", {"a]", ":]", "b]", "a"}), "a] :]") << "no named classes";
}

TEST(glob, no_class_matches_a_slash) {
  EXPECT_EQ(matching("a[+-9]b", {"a+b", "a/b", "a0b", "a.b"}), "a+b a0b a.b");
  EXPECT_EQ(matching("a[!x]b", {"a/b", "ayb"}), "ayb");
  EXPECT_EQ(matching("a[.-0]b", {"a.b", "a/b", "a0b"}), "a.b a0b");
}

TEST(glob, a_backslash_takes_the_next_character_as_it_is) {
  EXPECT_EQ(matching("\\*\\?\\[\\{\\\\\\a", {"*?[{\\a", "x"}), "*?[{\\a");
  EXPECT_EQ(matching("a\\/**\\/b", {"a/b", "a/x/b"}), "a/b a/x/b") << "an escaped '/' is a '/'";
  EXPECT_EQ(match("\\\u20ac", "\u20ac"), "yes");
}

TEST(glob, control_characters_and_nul_are_ordinary) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(match("a\0b"sv, "a\0b"sv), "yes");
  EXPECT_EQ(match("a\0b"sv, "a"sv), "no");
  EXPECT_EQ(match("**", "a\nb/c\0d"sv), "yes");
}

TEST(glob, what_cannot_be_read_is_refused_with_its_column) {
  EXPECT_EQ(problem(""), "the pattern is empty");
  EXPECT_EQ(problem("ab[cd"), "column 3: this '[' is not closed; write \\[ for the character");
  EXPECT_EQ(problem("["), "column 1: this '[' is not closed; write \\[ for the character");
  EXPECT_EQ(problem("[]"), "column 1: this '[' is not closed; write \\[ for the character");
  EXPECT_EQ(problem("[!]"), "column 1: this '[' is not closed; write \\[ for the character");
  EXPECT_EQ(problem("[a-"), "column 1: this '[' is not closed; write \\[ for the character");
  EXPECT_EQ(problem("x[b-a]"), "column 3: this range ends before it begins");
  EXPECT_EQ(problem("[a/]"), "column 3: '/' is not allowed in brackets");
  EXPECT_EQ(problem("[+-/]"), "column 2: '/' is not allowed in brackets");
  EXPECT_EQ(problem("a{b,c"), "column 2: this '{' is not closed; write \\{ for the character");
  EXPECT_EQ(problem("a{b,{c}"), "column 2: this '{' is not closed; write \\{ for the character");
  EXPECT_EQ(problem("ab}"), "column 3: this '}' has no '{'; write \\} for the character");
  EXPECT_EQ(problem("ab\\"), "column 3: a '\\' needs a character after it");
  EXPECT_EQ(problem("[a\\"), "column 3: a '\\' needs a character after it");
  EXPECT_EQ(problem("a\xFF"), "column 2: the text is not UTF-8 here");
  EXPECT_EQ(problem("\u20ac["), "column 4: this '[' is not closed; write \\[ for the character");
}

TEST(glob, a_path_that_is_not_utf8_matches_nothing) {
  EXPECT_EQ(match("**", "a\xFF"), "no");
  EXPECT_EQ(match("*", "\xED\xA0\x80"), "no");
}

// Enforces: G9
TEST(glob, the_pattern_and_path_limits_hold_on_both_sides) {
  const std::string longest(limits::glob_bytes_max, 'a');
  EXPECT_EQ(match(longest, longest), "yes");
  EXPECT_EQ(problem(longest + 'a'), "the pattern has 1025 bytes; at most 1024 are read");
  const std::string path(limits::glob_path_bytes_max, 'a');
  EXPECT_EQ(match("*", path), "yes");
  EXPECT_EQ(match("*", path + 'a'), "no");
}

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

// Enforces: G9
TEST(glob, the_brace_limits_hold_on_both_sides) {
  const std::size_t depth = limits::glob_brace_depth_max;
  EXPECT_EQ(match(cat(repeated("{", depth), "a", repeated("}", depth)), "a"), "yes");
  EXPECT_EQ(problem(cat(repeated("{", depth + 1), "a", repeated("}", depth + 1))),
            "column 9: braces are nested deeper than 8");
  EXPECT_EQ(problem("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"), "none") << "64 alternatives";
  EXPECT_EQ(problem("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b,c}"),
            "the braces stand for more than 64 alternatives");
  EXPECT_EQ(problem(cat('{', repeated("a,", 63), "a}")), "none");
  EXPECT_EQ(problem(cat('{', repeated("a,", 64), "a}")),
            "the braces stand for more than 64 alternatives");
  EXPECT_EQ(problem(repeated("{a,b}", 200)), "the braces stand for more than 64 alternatives");
  // 64 alternatives of 64 characters are as many as are taken.
  EXPECT_EQ(problem(cat(repeated("{a,b}", 6), std::string(58, 'c'))), "none");
  EXPECT_EQ(problem(cat(repeated("{a,b}", 6), std::string(59, 'c'))),
            "with its braces expanded the pattern has more than 4096 characters");
}

TEST(glob, classes_that_need_too_much_memory_are_refused) {
  // Wide ranges of code points become many byte ranges each.
  const std::string wide = "[!\u00e9-\u0400\u1000-\u2000\U00010000-\U00020000]";
  EXPECT_EQ(problem(wide), "none");
  EXPECT_EQ(problem(cat("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", repeated(wide, 40))),
            "the pattern needs too much memory");
}

// Enforces: G9
TEST(glob, star_bombs_end) {
  // A backtracking matcher would not return from any of these.
  const std::string path(limits::glob_path_bytes_max, 'a');
  EXPECT_EQ(match(cat(repeated("*a", 500), "*b"), path), "no");
  EXPECT_EQ(match(cat(repeated("?*", 500), "b"), path), "no");
  EXPECT_EQ(match(cat(repeated("**/", 300), "b"), repeated("a/", 2000)), "no");
  EXPECT_EQ(match(cat(repeated("**/a*/", 150), "b"), repeated("aa/", 1300)), "no");
  EXPECT_EQ(match(cat(repeated("{*a,*b}", 6), "*c"), path), "no");
}

/// The rules of glob.h by plain backtracking, for patterns without braces and escapes, whose
/// classes are [ab] and [!a].
bool matches_slowly(std::string_view p, std::string_view s, bool pattern_start, bool after_slash) {
  if (p.empty()) return s.empty();
  if (p[0] == '*') {
    const std::size_t run = std::min(p.find_first_not_of('*'), p.size());
    const std::string_view rest = p.substr(run);
    if (run >= 2 && (pattern_start || after_slash) && (rest.empty() || rest[0] == '/')) {
      if (rest.empty()) return pattern_start || !s.empty();
      for (std::size_t i = 0; i <= s.size(); ++i) {
        const bool here = i == 0 || s[i - 1] == '/';
        if (here && matches_slowly(rest.substr(1), s.substr(i), false, true)) return true;
      }
      return false;
    }
    for (std::size_t i = 0; i <= s.size(); ++i) {
      if (matches_slowly(rest, s.substr(i), false, false)) return true;
      if (i < s.size() && s[i] == '/') return false;
    }
    return false;
  }
  if (s.empty()) return false;
  std::size_t used = 1;
  bool fits = p[0] == s[0];
  if (p[0] == '?') fits = s[0] != '/';
  if (p.starts_with("[ab]")) {
    used = 4;
    fits = s[0] == 'a' || s[0] == 'b';
  } else if (p.starts_with("[!a]")) {
    used = 4;
    fits = s[0] != 'a' && s[0] != '/';
  }
  return fits && matches_slowly(p.substr(used), s.substr(1), false, p[0] == '/');
}

template <class Choose>
std::string any_pattern(Choose& choose) {
  constexpr std::string_view pieces[] = {"a",   "b",    "/", "*",    "**",
                                         "**/", "/**/", "?", "[ab]", "[!a]"};
  std::string out;
  for (std::size_t left = 1 + choose(6); left > 0; --left) out += pieces[choose(std::size(pieces))];
  return out;
}

template <class Choose>
std::string any_path(Choose& choose) {
  std::string out;
  for (std::size_t left = choose(9); left > 0; --left) out += "aabc//"[choose(6)];
  return out;
}

TEST(glob, matching_agrees_with_plain_backtracking) {
  json::testing::SeededChoices choose(1);
  std::size_t matched = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string pattern = any_pattern(choose);
    const std::string path = any_path(choose);
    const bool expected = matches_slowly(pattern, path, true, false);
    if (expected) ++matched;
    ASSERT_EQ(match(pattern, path), expected ? "yes" : "no") << pattern << "  " << path;
  }
  EXPECT_GT(matched, 500u);
}

RC_GTEST_PROP(glob, braces_match_what_one_of_their_alternatives_matches, ()) {
  json::testing::ShrinkingChoices choose;
  const std::string before = any_pattern(choose);
  const std::string one = any_pattern(choose);
  const std::string two = any_pattern(choose);
  const std::string after = any_pattern(choose);
  const std::string path = any_path(choose);
  const bool expected = match(cat(before, one, after), path) == "yes" ||
                        match(cat(before, two, after), path) == "yes";
  RC_ASSERT(match(cat(before, '{', one, ',', two, '}', after), path) == (expected ? "yes" : "no"));
}

TEST(glob, copies_share_the_compiled_form) {
  const Glob original = *Glob::compile("a*");
  const Glob copy = original;
  EXPECT_EQ(copy.pattern(), "a*");
  EXPECT_TRUE(copy.matches("ab"));
  EXPECT_TRUE(original.matches("ab"));
}

}  // namespace
}  // namespace baton
