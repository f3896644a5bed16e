#include "cli/words.h"

#include <gtest/gtest.h>

#include <vector>

namespace baton::cli {
namespace {

TEST(words, a_closed_set_reads_as_a_choice) {
  EXPECT_EQ(one_of(std::vector<std::string_view>{"a"}), "a");
  EXPECT_EQ(one_of(std::vector<std::string_view>{"a", "b"}), "a or b");
  EXPECT_EQ(one_of(std::vector<std::string_view>{"a", "b", "c"}), "a, b or c");
}

TEST(words, no_bytes_steer_a_terminal) {
  EXPECT_EQ(clean_line("a\033[31mb\nc"), "a [31mb c");
  EXPECT_EQ(clean_line("\xffz\xc3"), "\uFFFDz\uFFFD");
  EXPECT_EQ(clean_line("caf\u00e9"), "caf\u00e9");
  EXPECT_EQ(clean_lines("a\nb\033\n"), "a\nb \n");
}

}  // namespace
}  // namespace baton::cli
