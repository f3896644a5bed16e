#include "adapters/system/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace baton::adapters {
namespace {

TEST(system_clock, wall_time_is_milliseconds_of_the_machines_clock) {
  SystemClock clock;
  const std::int64_t before_s = std::time(nullptr);
  const WallMs now = clock.wall();
  const std::int64_t after_s = std::time(nullptr);
  // time() may lag by a clock tick, hence the second before.
  EXPECT_GE(now.value, (before_s - 1) * 1'000);
  EXPECT_LT(now.value, (after_s + 2) * 1'000);
}

TEST(system_clock, monotonic_time_does_not_go_back) {
  SystemClock clock;
  MonoMs last = clock.mono();
  for (int i = 0; i < 1'000; ++i) {
    const MonoMs now = clock.mono();
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace baton::adapters
