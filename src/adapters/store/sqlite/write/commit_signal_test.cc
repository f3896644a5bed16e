#include "adapters/store/sqlite/write/commit_signal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
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

TEST(commit_signal, a_signal_ends_the_wait_of_another_process) {
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

TEST(commit_signal, a_signal_wakes_every_listener_beside_a_waiter) {
  const std::string path = bell_path("heard");
  const auto here = CommitSignal::open(path);
  const auto there = CommitSignal::open(path);
  ASSERT_TRUE(here && there);
  const std::uint32_t seen = here->rings();
  std::jthread waiter([&] { here->wait(seen, hours(1)); });
  std::jthread one([&] { EXPECT_TRUE(here->listen(seen, hours(1))); });
  std::jthread two([&] { EXPECT_TRUE(there->listen(seen, hours(24 * 365))); });
  there->ring();
  waiter.join();
  one.join();
  two.join();
}

TEST(commit_signal, a_listener_returns_without_a_signal_in_the_end) {
  const auto bell = CommitSignal::open(bell_path("unheard"));
  ASSERT_TRUE(bell);
  EXPECT_TRUE(bell->listen(bell->rings(), nanoseconds(1)));
}

TEST(commit_signal, a_file_of_an_older_release_is_made_longer_and_keeps_its_count) {
  const std::string path = bell_path("older");
  constexpr std::string_view five_rings("\5\0\0\0\0\0\0\0", 8);
  std::ofstream(path, std::ios::binary) << five_rings;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const auto bell = CommitSignal::open(path);
  ASSERT_TRUE(bell);
  EXPECT_EQ(bell->rings(), 5u);
  EXPECT_EQ(std::filesystem::file_size(path), 12u);
}

TEST(commit_signal, a_signal_before_the_wait_counts) {
  const auto bell = CommitSignal::open(bell_path("before"));
  ASSERT_TRUE(bell);
  const std::uint32_t seen = bell->rings();
  bell->ring();
  bell->wait(seen, hours(1));
}

TEST(commit_signal, a_wait_ends_without_a_signal) {
  const auto bell = CommitSignal::open(bell_path("quiet"));
  ASSERT_TRUE(bell);
  const std::uint32_t seen = bell->rings();
  bell->wait(seen, nanoseconds(1));
  EXPECT_EQ(bell->rings(), seen);
}

// Enforces: G18
TEST(commit_signal, a_file_that_is_cut_short_is_made_whole_again) {
  const std::string path = bell_path("short");
  const auto here = CommitSignal::open(path);
  const auto there = CommitSignal::open(path);
  ASSERT_TRUE(here && there);
  std::filesystem::resize_file(path, 0);
  const std::uint32_t seen = here->rings();
  std::filesystem::resize_file(path, 0);
  there->ring();
  EXPECT_NE(here->rings(), seen);
  std::filesystem::resize_file(path, 0);
  here->wait(here->rings(), nanoseconds(1));
}

TEST(commit_signal, its_file_is_for_its_owner_alone) {
  const std::string path = bell_path("owner");
  ASSERT_TRUE(CommitSignal::open(path));
  struct stat found{};
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777u, 0600u);
}

TEST(commit_signal, is_absent_when_no_file_can_be_created) {
  EXPECT_EQ(CommitSignal::open(cat(::testing::TempDir(), "/no/such/folder/x-bell")), nullptr);
  EXPECT_EQ(CommitSignal::open(::testing::TempDir()), nullptr);
}

}  // namespace
}  // namespace baton::adapters::sqlite
