#include "adapters/store/sqlite/write/commit_signal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;

std::string bell_path(std::string_view name) {
  const std::string path = cat(::testing::TempDir(), "/", name, "-bell");
  std::filesystem::remove(path);
  return path;
}

TEST(doorbell, a_ring_ends_the_wait_of_another_process) {
  const std::string path = bell_path("rung");
  const auto here = CommitSignal::open(path);
  const auto there = CommitSignal::open(path);
  ASSERT_TRUE(here && there);
  const std::uint32_t seen = here->rings();
  std::jthread waiter([&] { here->wait(seen, hours(1)); });
  // Whether it waits already or not yet: it must return either way.
  there->ring();
  waiter.join();
  EXPECT_NE(here->rings(), seen);
}

TEST(doorbell, a_ring_before_the_wait_counts) {
  const auto bell = CommitSignal::open(bell_path("before"));
  ASSERT_TRUE(bell);
  const std::uint32_t seen = bell->rings();
  bell->ring();
  bell->wait(seen, hours(1));
}

TEST(doorbell, a_wait_ends_without_a_ring) {
  const auto bell = CommitSignal::open(bell_path("quiet"));
  ASSERT_TRUE(bell);
  const std::uint32_t seen = bell->rings();
  bell->wait(seen, nanoseconds(1));
  EXPECT_EQ(bell->rings(), seen);
}

TEST(doorbell, its_file_is_for_its_owner_alone) {
  const std::string path = bell_path("owner");
  ASSERT_TRUE(CommitSignal::open(path));
  struct stat found{};
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777u, 0600u);
}

TEST(doorbell, is_absent_when_no_file_can_be_created) {
  EXPECT_EQ(CommitSignal::open(cat(::testing::TempDir(), "/no/such/folder/x-bell")), nullptr);
  EXPECT_EQ(CommitSignal::open(::testing::TempDir()), nullptr);
}

}  // namespace
}  // namespace baton::adapters::sqlite
