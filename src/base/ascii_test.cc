#include "base/ascii.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

TEST(ascii, what_is_around_a_text_is_taken_off_and_nothing_inside) {
  EXPECT_EQ(trimmed(" \t\r\na b\n "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\xC2\xA0x"), "\xC2\xA0x");  // a no-break space is no blank here
}

TEST(ascii, only_ascii_letters_become_small) {
  EXPECT_EQ(ascii_lower("A-Z @[`{ \xC3\x84"), "a-z @[`{ \xC3\x84");
}

}  // namespace
}  // namespace baton
