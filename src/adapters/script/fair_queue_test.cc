#include "adapters/script/fair_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using ports::ScriptQueueKey;
using ::testing::ElementsAre;
using Turns = FairQueue<std::string>;
using Added = Turns::Added;

std::vector<std::string> taken(Turns& turns) {
  std::vector<std::string> out;
  while (!turns.empty()) out.push_back(turns.take());
  return out;
}

TEST(turns, of_one_run_come_in_the_order_they_were_asked_for) {
  Turns turns({.of_run = 10, .of_workflow = 10});
  for (const char* job : {"1", "2", "3"}) ASSERT_EQ(turns.add({"w", "r"}, job), Added::yes);
  EXPECT_THAT(taken(turns), ElementsAre("1", "2", "3"));
}

// Enforces: G9
TEST(turns, go_round_the_workflows_and_round_the_runs_of_each) {
  Turns turns({.of_run = 10, .of_workflow = 10});
  for (const char* job : {"a1", "a2", "a3"}) ASSERT_EQ(turns.add({"loops", "a"}, job), Added::yes);
  for (const char* job : {"b1", "b2"}) ASSERT_EQ(turns.add({"loops", "b"}, job), Added::yes);
  ASSERT_EQ(turns.add({"other", "c"}, "c1"), Added::yes);
  ASSERT_EQ(turns.add({}, "tried"), Added::yes);
  EXPECT_EQ(turns.size(), 7u);
  EXPECT_THAT(taken(turns), ElementsAre("a1", "c1", "tried", "b1", "a2", "b2", "a3"));
}

// Enforces: G9
TEST(turns, many_runs_of_one_workflow_have_no_more_of_them_than_one_run_of_another) {
  Turns turns({.of_run = 10, .of_workflow = 10});
  for (int run = 0; run < 6; ++run) {
    ASSERT_EQ(turns.add({"loops", cat("run ", run)}, cat("loop ", run)), Added::yes);
  }
  ASSERT_EQ(turns.add({"quick", "one"}, "quick"), Added::yes);
  EXPECT_EQ(turns.take(), "loop 0");
  EXPECT_EQ(turns.take(), "quick");
}

// Enforces: G9
TEST(turns, what_is_not_finished_waits_for_the_others) {
  Turns turns({.of_run = 10, .of_workflow = 10});
  ASSERT_EQ(turns.add({"long", "a"}, "long"), Added::yes);
  ASSERT_EQ(turns.add({"long", "a"}, "next"), Added::yes);
  EXPECT_EQ(turns.take(), "long");
  EXPECT_FALSE(turns.has_other({"long", "a"})) << "what waits is of the same run";
  ASSERT_EQ(turns.add({"quick", "b"}, "quick"), Added::yes);
  EXPECT_TRUE(turns.has_other({"long", "a"}));
  turns.put_back({"long", "a"}, "long");
  EXPECT_THAT(taken(turns), ElementsAre("long", "quick", "next"));
  // Alone in its workflow it goes to the end.
  ASSERT_EQ(turns.add({"quick", "b"}, "quick"), Added::yes);
  turns.put_back({"long", "a"}, "long");
  EXPECT_THAT(taken(turns), ElementsAre("quick", "long"));
}

// Enforces: G9
TEST(turns, of_one_run_only_so_many_wait) {
  Turns turns({.of_run = limits::script_jobs_per_run_max, .of_workflow = 100});
  for (std::size_t i = 0; i < limits::script_jobs_per_run_max; ++i) {
    ASSERT_EQ(turns.add({"w", "r"}, "job"), Added::yes) << i;
  }
  EXPECT_EQ(turns.add({"w", "r"}, "one more"), Added::run_is_full);
  EXPECT_EQ(turns.add({"w", "other"}, "job"), Added::yes);
  EXPECT_EQ(turns.add({"other", "r"}, "job"), Added::yes);
  EXPECT_EQ(turns.take(), "job");
  EXPECT_EQ(turns.add({"w", "r"}, "one more"), Added::yes);
  // What was let in before is never sent away.
  turns.put_back({"w", "r"}, "job");
  EXPECT_EQ(turns.size(), limits::script_jobs_per_run_max + 3);
}

// Enforces: G9
TEST(turns, of_one_workflow_only_so_many_wait_however_many_runs_it_has) {
  Turns turns({.of_run = 100, .of_workflow = limits::script_jobs_per_workflow_max});
  for (std::size_t i = 0; i < limits::script_jobs_per_workflow_max; ++i) {
    ASSERT_EQ(turns.add({"w", cat("run ", i)}, "job"), Added::yes) << i;
  }
  EXPECT_EQ(turns.add({"w", "new run"}, "one more"), Added::workflow_is_full);
  EXPECT_EQ(turns.add({"w", "run 0"}, "one more"), Added::workflow_is_full);
  EXPECT_EQ(turns.add({"other", "run 0"}, "job"), Added::yes);
  EXPECT_EQ(turns.add({}, "job"), Added::yes);
  EXPECT_EQ(turns.take(), "job");
  EXPECT_EQ(turns.add({"w", "new run"}, "one more"), Added::yes);
}

TEST(turns, what_has_no_run_is_bounded_like_a_workflow) {
  Turns turns({.of_run = 1, .of_workflow = 3});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(turns.add({}, "tried"), Added::yes);
  EXPECT_EQ(turns.add({}, "tried"), Added::workflow_is_full);
}

}  // namespace
}  // namespace baton::adapters
