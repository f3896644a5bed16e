#include "adapters/script/fair_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using ports::ScriptQueueKey;
using ::testing::ElementsAre;

std::vector<std::string> taken(FairQueue<std::string>& turns) {
  std::vector<std::string> out;
  while (!turns.empty()) out.push_back(turns.take());
  return out;
}

TEST(turns, of_one_run_come_in_the_order_they_were_asked_for) {
  FairQueue<std::string> turns(10);
  for (const char* job : {"1", "2", "3"}) ASSERT_TRUE(turns.add({"w", "r"}, job));
  EXPECT_THAT(taken(turns), ElementsAre("1", "2", "3"));
}

// Enforces: G9
TEST(turns, go_round_the_workflows_and_round_the_runs_of_each) {
  FairQueue<std::string> turns(10);
  for (const char* job : {"a1", "a2", "a3"}) ASSERT_TRUE(turns.add({"loops", "a"}, job));
  for (const char* job : {"b1", "b2"}) ASSERT_TRUE(turns.add({"loops", "b"}, job));
  ASSERT_TRUE(turns.add({"other", "c"}, "c1"));
  ASSERT_TRUE(turns.add({}, "tried"));
  EXPECT_EQ(turns.size(), 7u);
  EXPECT_THAT(taken(turns), ElementsAre("a1", "c1", "tried", "b1", "a2", "b2", "a3"));
}

// Enforces: G9
TEST(turns, many_runs_of_one_workflow_have_no_more_of_them_than_one_run_of_another) {
  FairQueue<std::string> turns(10);
  for (int run = 0; run < 6; ++run) {
    ASSERT_TRUE(turns.add({"loops", cat("run ", run)}, cat("loop ", run)));
  }
  ASSERT_TRUE(turns.add({"quick", "one"}, "quick"));
  EXPECT_EQ(turns.take(), "loop 0");
  EXPECT_EQ(turns.take(), "quick");
}

// Enforces: G9
TEST(turns, what_is_not_finished_waits_for_the_others) {
  FairQueue<std::string> turns(10);
  ASSERT_TRUE(turns.add({"long", "a"}, "long"));
  ASSERT_TRUE(turns.add({"long", "a"}, "next"));
  EXPECT_EQ(turns.take(), "long");
  EXPECT_FALSE(turns.has_other({"long", "a"})) << "what waits is of the same run";
  ASSERT_TRUE(turns.add({"quick", "b"}, "quick"));
  EXPECT_TRUE(turns.has_other({"long", "a"}));
  turns.put_back({"long", "a"}, "long");
  EXPECT_THAT(taken(turns), ElementsAre("long", "quick", "next"));
  // Alone in its workflow it goes to the end.
  ASSERT_TRUE(turns.add({"quick", "b"}, "quick"));
  turns.put_back({"long", "a"}, "long");
  EXPECT_THAT(taken(turns), ElementsAre("quick", "long"));
}

// Enforces: G9
TEST(turns, of_one_run_only_so_many_wait) {
  FairQueue<std::string> turns(limits::script_jobs_per_run_max);
  for (std::size_t i = 0; i < limits::script_jobs_per_run_max; ++i) {
    ASSERT_TRUE(turns.add({"w", "r"}, "job")) << i;
  }
  EXPECT_FALSE(turns.add({"w", "r"}, "one more"));
  EXPECT_TRUE(turns.add({"w", "other"}, "job"));
  EXPECT_TRUE(turns.add({"other", "r"}, "job"));
  EXPECT_EQ(turns.take(), "job");
  EXPECT_TRUE(turns.add({"w", "r"}, "one more"));
  // What was let in before is never sent away.
  turns.put_back({"w", "r"}, "job");
  EXPECT_EQ(turns.size(), limits::script_jobs_per_run_max + 3);
}

}  // namespace
}  // namespace baton::adapters
