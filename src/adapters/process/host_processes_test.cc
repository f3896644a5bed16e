#include "adapters/process/host_processes.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

TEST(identity, of_this_process_is_the_same_every_time_and_alive) {
  EXPECT_EQ(own_identity(), own_identity());
  EXPECT_EQ(is_alive(own_identity()), true);
}

TEST(identity, of_a_process_that_ended_is_not_alive_even_before_its_parent_noticed) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string own = own_identity();
    static_cast<void>(!::write(ends[1], own.data(), own.size()));
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string named(1'000, ' ');
  named.resize(static_cast<std::size_t>(::read(ends[0], named.data(), named.size())));
  ::close(ends[0]);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_NE(named, own_identity());
  EXPECT_EQ(is_alive(named), false);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(is_alive(named), false);
}

TEST(identity, of_another_process_with_the_same_number_is_not_alive) {
  const std::string own = own_identity();
  const std::string other = cat(own.substr(0, own.rfind(' ')), " 1");
  EXPECT_EQ(is_alive(other), false);
}

TEST(identity, of_another_boot_or_of_nothing_cannot_be_told) {
  std::string other = own_identity();
  other.front() = other.front() == '0' ? '1' : '0';
  EXPECT_EQ(is_alive(other), std::nullopt);
  EXPECT_EQ(is_alive(""), std::nullopt);
  EXPECT_EQ(is_alive("somebody"), std::nullopt);
  const std::string own = own_identity();
  EXPECT_EQ(is_alive(own.substr(0, own.rfind(' '))), std::nullopt);
}

}  // namespace
}  // namespace baton::adapters
