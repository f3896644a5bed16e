#include "adapters/os/system.h"

#include <gtest/gtest.h>

#include <ctime>
#include <set>
#include <vector>

namespace baton::adapters {
namespace {

TEST(os_entropy, every_byte_is_filled_for_any_size) {
  OsEntropy entropy;
  for (const std::size_t size : {0u, 1u, 255u, 256u, 257u, 1'000u}) {
    // A byte that stays zero in 16 fills was not filled: the chance is 1 in 2^128.
    std::vector<std::uint8_t> seen(size);
    for (int i = 0; i < 16; ++i) {
      std::vector<std::uint8_t> bytes(size);
      entropy.fill(bytes);
      for (std::size_t at = 0; at < size; ++at) seen[at] |= bytes[at];
    }
    for (std::size_t at = 0; at < size; ++at) EXPECT_NE(seen[at], 0) << size << " at " << at;
  }
}

TEST(os_entropy, no_two_fills_are_the_same) {
  OsEntropy entropy;
  std::set<std::vector<std::uint8_t>> seen;
  for (int i = 0; i < 1'000; ++i) {
    std::vector<std::uint8_t> bytes(32);
    entropy.fill(bytes);
    seen.insert(bytes);
  }
  EXPECT_EQ(seen.size(), 1'000u);
}

}  // namespace

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
