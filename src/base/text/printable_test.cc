#include "base/text/printable.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <utf8proc.h>

#include <set>

#include "base/json/json.h"
#include "base/testing/json_generator.h"
#include "base/text/utf8.h"

namespace baton {
namespace {

std::string encoded(char32_t code) {
  std::string out;
  utf8::append(out, code);
  return out;
}

bool is_safe(char32_t code) { return printable(encoded(code)) == encoded(code); }

// Enforces: G20
TEST(printable, what_steers_a_terminal_is_shown_and_not_obeyed) {
  EXPECT_EQ(printable("a\033[31mb"), "a\\u001b[31mb");
  EXPECT_EQ(printable("\033]52;c;cm0gLXJm\a"), "\\u001b]52;c;cm0gLXJm\\u0007");
  EXPECT_EQ(printable("\033]8;;http://evil\033\\x"), "\\u001b]8;;http://evil\\u001b\\x");
  EXPECT_EQ(printable("a\rb\bc\fd\x7f"), "a\\rb\\bc\\fd\\u007f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(printable("\u0085\u009b31m\u009d"), "\\u0085\\u009b31m\\u009d");
}

// Enforces: G20
TEST(printable, what_reorders_or_hides_text_is_shown) {
  EXPECT_EQ(printable("ok \u202e# hcum oot\u202c"), "ok \\u202e# hcum oot\\u202c");
  EXPECT_EQ(printable("\u2066x\u2069\u200e\u200f\u061c"), "\\u2066x\\u2069\\u200e\\u200f\\u061c");
  EXPECT_EQ(printable("a\u200bb\u2060c\ufeffd\u00ade"), "a\\u200bb\\u2060c\\ufeffd\\u00ade");
  EXPECT_EQ(printable("a\u2028b\u2029c"), "a\\u2028b\\u2029c");
  EXPECT_EQ(printable("\U000e0041"), "\\udb40\\udc41");
  EXPECT_EQ(printable("\U0010ffff\uffff"), "\\udbff\\udfff\\uffff");
}

// Enforces: G20
TEST(printable, what_is_not_utf8_is_shown_byte_by_byte) {
  EXPECT_EQ(printable("a\xff\xfez\xc3"), "a\\ufffd\\ufffdz\\ufffd");
  EXPECT_EQ(printable("\xc2\x80\x80"), "\\u0080\\ufffd");
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\ufffd31m")
      << "C1 as one byte";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\ufffd\\ufffd\\ufffd") << "a surrogate";
  EXPECT_EQ(printable("\xc0\x9b"), "\\ufffd\\ufffd") << "ESC in two bytes";
}

TEST(printable, readable_text_stays_as_it_is) {
  const std::string_view text =
      "caf\u00e9, \u65e5\u672c, \u05e9\u05dc\u05d5\u05dd, \u0928\u094d\n\tx";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable("\\u001b"), "\\u001b");
  EXPECT_EQ(printable(""), "");
}

TEST(printable, an_emoji_keeps_what_it_is_made_of) {
  for (const std::string_view emoji :
       {"\u26a0\ufe0f", "\U0001f469\u200d\U0001f4bb", "\U0001f3f3\ufe0f\u200d\U0001f308"}) {
    EXPECT_EQ(printable(emoji), emoji);
  }
  EXPECT_EQ(printable("a\ufe0fb"), "a\\ufe0fb");
  EXPECT_EQ(printable("\u26a0\ufe0f\ufe0f"), "\u26a0\ufe0f\\ufe0f");
  EXPECT_EQ(printable("\U0001f469\u200dx"), "\U0001f469\\u200dx");
  EXPECT_EQ(printable("x\u200d\U0001f469"), "x\\u200d\U0001f469");
}

TEST(printable, a_line_has_neither_line_feeds_nor_tabs) {
  EXPECT_EQ(printable_line("a\nb\tc\033"), "a\\nb\\tc\\u001b");
  EXPECT_EQ(printable_line("plain"), "plain");
}

// Enforces: G20
TEST(printable, every_control_format_and_separator_character_is_escaped) {
  // Signs of Arabic, Syriac and Kaithi writing that span what follows: they are drawn.
  const std::set<char32_t> drawn = {0x600, 0x601, 0x602, 0x603, 0x604,   0x605,  0x6dd,
                                    0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd};
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code == 0xD800) code = 0xE000;
    const auto kind = utf8proc_category(static_cast<utf8proc_int32_t>(code));
    const bool is_control = kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF ||
                            kind == UTF8PROC_CATEGORY_ZL || kind == UTF8PROC_CATEGORY_ZP;
    const bool is_layout = code == '\n' || code == '\t';
    const bool is_ignorable =
        utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->ignorable != 0;
    if ((is_control || is_ignorable) && !is_layout && !drawn.contains(code)) {
      ASSERT_FALSE(is_safe(code)) << std::uint32_t{code};
    }
    if (kind == UTF8PROC_CATEGORY_LL || kind == UTF8PROC_CATEGORY_LU ||
        kind == UTF8PROC_CATEGORY_ND || kind == UTF8PROC_CATEGORY_PO) {
      ASSERT_TRUE(is_safe(code)) << std::uint32_t{code};
    }
  }
}

RC_GTEST_PROP(printable_laws, the_printable_form_is_its_own, (const std::string& bytes)) {
  const std::string once = printable(bytes);
  RC_ASSERT(utf8::is_valid(once));
  RC_ASSERT(printable(once) == once);
  RC_ASSERT(printable(printable_line(bytes)) == printable_line(bytes));
}

// Enforces: G20
RC_GTEST_PROP(printable_laws, json_stays_json_of_the_same_value, (const json::Value& value)) {
  RC_ASSERT(MUST(json::parse(printable(json::print(value)))) == value);
  RC_ASSERT(MUST(json::parse(printable(json::print_pretty(value)))) == value);
}

// Enforces: G20
TEST(printable, json_keeps_the_value_of_every_character) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code == 0xD800) code = 0xE000;
    const json::Value value(encoded(code));
    ASSERT_EQ(MUST(json::parse(printable(json::print(value)))), value) << std::uint32_t{code};
  }
}

}  // namespace
}  // namespace baton
