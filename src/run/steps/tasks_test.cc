#include "run/steps/tasks.h"

#include <gtest/gtest.h>

namespace baton::run {
namespace {

using json::Array;
using json::Object;

TEST(item_called, by_its_own_id_or_by_its_number) {
  const Array items{Object{{"id", "batch_1"}}, "plain", Object{{"id", 7}}};
  EXPECT_EQ(batch_name(items[0], 0), "batch_1");
  EXPECT_EQ(batch_name(items[1], 1), "batch_1");
  EXPECT_EQ(batch_name(items[2], 2), "batch_2");
  // An id of its own comes before the number of another.
  EXPECT_EQ(item_called(items, "batch_1"), 0u);
  EXPECT_EQ(item_called(items, "batch_0"), 0u);
  EXPECT_EQ(item_called(items, "batch_2"), 2u);
}

TEST(item_called, nothing_for_what_no_item_is_called) {
  const Array items{"a"};
  for (const std::string_view name : {"batch_1", "batch_-1", "batch_00", "batch_", "a", ""}) {
    EXPECT_EQ(item_called(items, name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace baton::run
