#include "run/show/left_branch.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/testing/sample_run.h"

namespace baton::run {
namespace {

NodeId node_of(int number) { return testing::id_of<NodeId>(static_cast<std::uint8_t>(number)); }

std::vector<Event> intended(int node) {
  ProcessIntended event;
  event.node = node_of(node);
  event.step = cat("step", node);
  return {event};
}

std::vector<Event> finished(int node, ProcessEnd end, std::int64_t code) {
  ProcessFinished event;
  event.intended = node_of(node);
  event.end = end;
  event.code = code;
  return {event};
}

// Enforces: G22
TEST(left_branch, names_the_commands_in_their_order_with_their_ends) {
  BranchCommands commands;  // from the newest node to the oldest
  commands.add(intended(3));
  commands.add(finished(2, ProcessEnd::exited, 4));
  commands.add(intended(2));
  commands.add(finished(1, ProcessEnd::not_started, 0));
  commands.add(intended(1));
  LeftBranch left;
  std::move(commands).finish(left);
  ASSERT_EQ(left.commands.size(), 2u) << "one was not started";
  EXPECT_EQ(left.commands[0].step, "step2");
  EXPECT_EQ(left.commands[0].end, ProcessEnd::exited);
  EXPECT_EQ(left.commands[0].code, 4);
  EXPECT_EQ(left.commands[1].step, "step3");
  EXPECT_FALSE(left.commands[1].end) << "its end is not recorded";
  EXPECT_EQ(left.commands_omitted, 0);
}

// Enforces: G22
TEST(left_branch, names_so_many_commands_and_counts_the_rest) {
  const int most = static_cast<int>(limits::fork_commands_max);
  for (const int count : {most, most + 1}) {
    BranchCommands commands;
    for (int i = count; i > 0; --i) commands.add(intended(i));
    LeftBranch left;
    std::move(commands).finish(left);
    EXPECT_EQ(left.commands.size(), limits::fork_commands_max);
    EXPECT_EQ(left.commands_omitted, count - most);
    EXPECT_EQ(left.commands.front().step, "step1");
  }
}

}  // namespace
}  // namespace baton::run
