#include "engine/load/lru.h"

#include <gtest/gtest.h>

#include <string>

namespace baton::engine {
namespace {

// Enforces: G9
TEST(lru, keeps_as_many_as_it_may_and_drops_the_least_recently_used) {
  Lru<int, std::string> cache(2);
  cache.put(1, "one");
  cache.put(2, "two");
  ASSERT_TRUE(cache.find(1));
  ASSERT_TRUE(cache.find(2));
  ASSERT_TRUE(cache.find(1));
  cache.put(3, "three");
  EXPECT_FALSE(cache.find(2));
  EXPECT_EQ(*cache.find(1), "one");
  EXPECT_EQ(*cache.find(3), "three");
}

TEST(lru, value_that_is_held_outlives_its_place) {
  Lru<int, std::string> cache(1);
  const auto held = cache.put(1, "one");
  cache.put(2, "two");
  EXPECT_FALSE(cache.find(1));
  EXPECT_EQ(*held, "one");
}

TEST(lru, same_key_takes_one_place) {
  Lru<int, std::string> cache(2);
  cache.put(1, "one");
  cache.put(2, "two");
  cache.put(1, "uno");
  EXPECT_EQ(*cache.find(1), "uno");
  EXPECT_EQ(*cache.find(2), "two");
}

}  // namespace
}  // namespace baton::engine
