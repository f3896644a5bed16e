#include "cli/table.h"

#include <gtest/gtest.h>

#include <vector>

namespace baton::cli {
namespace {

TEST(words, a_closed_set_reads_as_a_choice) {
  EXPECT_EQ(one_of(std::vector<std::string_view>{"a"}), "a");
  EXPECT_EQ(one_of(std::vector<std::string_view>{"a", "b"}), "a or b");
  EXPECT_EQ(one_of(std::vector<std::string_view>{"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace baton::cli
