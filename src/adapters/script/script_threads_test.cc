#include "adapters/script/script_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>

#include "base/text/text.h"
#include "ports/call_slot.h"

namespace baton::adapters {
namespace {

using ports::ScriptQueueKey;
using ::testing::ElementsAre;

/// One script thread, and jobs that note when a piece of them is done. Nothing else is timed: the
/// thread is kept busy until everything waits that is to wait.
class script_threads : public ::testing::Test {
 protected:
  /// Asks for `pieces` pieces of work from a thread of its own, and waits until they wait.
  void ask(const ScriptQueueKey& turn, const std::string& name, int pieces = 1) {
    const std::size_t before = threads_.waiting();
    callers_.emplace_back([this, turn, name, pieces] {
      int left = pieces;
      const auto done = threads_.run(turn, [&](ScriptWorker&) {
        order_.push_back(name);  // there is one script thread
        return --left == 0;
      });
      EXPECT_TRUE(done) << done.error().message;
    });
    while (threads_.waiting() == before) std::this_thread::yield();
  }

  /// Keeps the script thread busy until go().
  void keep_busy() {
    callers_.emplace_back([this] {
      EXPECT_TRUE(threads_.run({"busy", "busy"}, [this](ScriptWorker&) {
        is_busy_.count_down();
        gate_.wait();
        return true;
      }));
    });
    is_busy_.wait();
  }

  const std::vector<std::string>& go() {
    gate_.count_down();
    for (std::thread& each : callers_) each.join();
    callers_.clear();
    return order_;
  }

  SandboxImages engines_;
  CodeCache cache_{1, 1};
  ScriptThreads threads_{engines_, cache_, {}, 1};
  std::vector<std::thread> callers_;
  std::vector<std::string> order_;
  std::latch is_busy_{1};
  std::latch gate_{1};
};

// Enforces: G9
TEST_F(script_threads, a_script_of_another_workflow_does_not_wait_for_six_that_loop) {
  keep_busy();
  for (int call = 0; call < 6; ++call) ask({"loops", cat("run ", call)}, "loop", 5);
  ask({"quick", "run"}, "quick");
  const std::vector<std::string>& order = go();
  ASSERT_EQ(order.size(), 31u);
  EXPECT_EQ(order[0], "loop");
  EXPECT_EQ(order[1], "quick");
}

// Enforces: G9
TEST_F(script_threads, runs_take_turns_by_the_piece) {
  keep_busy();
  ask({"w", "a"}, "a", 3);
  ask({"w", "b"}, "b", 2);
  ask({"w", "a"}, "later", 1);
  EXPECT_THAT(go(), ElementsAre("a", "b", "a", "b", "a", "later"));
}

// Enforces: G9
TEST_F(script_threads, a_batch_has_its_turn_for_so_long_and_then_the_others_may_go) {
  ScriptThreads threads(engines_, cache_,
                        {.evaluation_ms_max = 2 * limits::script_turn_ms, .batch_ms_max = 120'000},
                        1);
  const auto results_after_each_turn = [&](std::size_t count, const char* source) {
    const std::vector<state::Evaluation> evaluations(
        count, {{source, state::ScriptForm::transform, {}}, "{}", {}});
    ScriptWorker::Batch batch{evaluations};
    std::vector<std::size_t> out;
    EXPECT_TRUE(threads.run({}, [&](ScriptWorker& workshop) {
      const bool is_done = workshop.evaluate(batch);
      out.push_back(batch.results.size());
      return is_done;
    }));
    return out;
  };
  EXPECT_THAT(results_after_each_turn(3, "for (;;) {}"), ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(results_after_each_turn(1, "1"), ElementsAre(1u));
}

// Enforces: G9
TEST_F(script_threads, a_run_may_have_so_many_calls_waiting_and_not_one_more) {
  keep_busy();
  for (std::size_t i = 0; i < limits::script_jobs_per_run_max; ++i) ask({"w", "r"}, "job");
  const auto refused = threads_.run({"w", "r"}, [](ScriptWorker&) {
    ADD_FAILURE() << "it was refused and ran";
    return true;
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::SCRIPT_BUSY);
  EXPECT_EQ(refused.error().retry.after_ms, limits::retry_after_ms);
  ask({"w", "other run"}, "other");
  EXPECT_EQ(go().size(), limits::script_jobs_per_run_max + 1);
}

// Enforces: G9
TEST_F(script_threads, the_runs_of_a_workflow_may_have_so_many_calls_waiting_together) {
  keep_busy();
  for (std::size_t i = 0; i < limits::script_jobs_per_workflow_max; ++i) {
    ask({"w", cat("run ", i)}, "job");
  }
  const auto refused = threads_.run({"w", "new run"}, [](ScriptWorker&) {
    ADD_FAILURE() << "it was refused and ran";
    return true;
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::SCRIPT_BUSY);
  EXPECT_EQ(refused.error().retry.after_ms, limits::retry_after_ms);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("of this workflow"));
  ask({"other", "run"}, "other");
  EXPECT_EQ(go().size(), limits::script_jobs_per_workflow_max + 1);
}

/// Says that it was left.
class TestSlot final : public ports::CallSlot {
 public:
  std::latch left{1};
  std::atomic<int> returns = 0;

 private:
  void free_slot() override { left.count_down(); }
  void take_slot() override { ++returns; }
};

// Enforces: G9
TEST_F(script_threads, a_call_frees_its_slot_until_its_scripts_are_done) {
  keep_busy();
  TestSlot slot;
  callers_.emplace_back([&] {
    const ports::HeldSlot held(slot);
    EXPECT_TRUE(threads_.run({"w", "r"}, [&](ScriptWorker&) { return true; }));
    EXPECT_EQ(slot.returns, 1);
  });
  slot.left.wait();
  EXPECT_EQ(slot.returns, 0);
  go();
}

}  // namespace
}  // namespace baton::adapters
