#include "transport/worker_pool.h"

#include <gtest/gtest.h>

#include <future>
#include <list>

namespace baton::transport {
namespace {

constexpr auto wait = std::chrono::seconds(10);

TEST(worker_pool, runs_as_many_jobs_at_once_as_it_has_threads) {
  WorkerPool pool(4, 0);
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  std::promise<void> begun[4];
  for (auto& each : begun) {
    pool.post([&each, gone] {
      each.set_value();
      gone.wait();
    });
  }
  for (auto& each : begun) {
    EXPECT_EQ(each.get_future().wait_for(wait), std::future_status::ready);
  }
  go.set_value();
  EXPECT_TRUE(pool.finish(10'000));
}

TEST(worker_pool, runs_more_jobs_than_it_has_threads) {
  std::atomic<int> count = 0;
  WorkerPool pool(2, 0);
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(pool.post([&count] { ++count; }));
  EXPECT_TRUE(pool.finish(10'000));
  EXPECT_EQ(count.load(), 1'000);
  EXPECT_FALSE(pool.post([] {}));
}

TEST(worker_pool, leaves_behind_what_does_not_end) {
  auto go = std::make_shared<std::promise<void>>();
  std::promise<void> begun;
  auto done = std::make_shared<std::promise<void>>();
  bool dropped = true;
  {
    WorkerPool pool(1, 0);
    pool.post([&begun, go, done] {
      begun.set_value();
      go->get_future().wait();
      done->set_value();
    });
    pool.post([&dropped] { dropped = false; });
    begun.get_future().wait();
    EXPECT_FALSE(pool.finish(0));
  }
  go->set_value();
  EXPECT_EQ(done->get_future().wait_for(wait), std::future_status::ready);
  EXPECT_TRUE(dropped);
}

/// A job that steps aside and stays until the test lets it go.
class Waiter {
 public:
  explicit Waiter(WorkerPool& pool) {
    pool.post([this, step_aside = pool.step_aside()] {
      const std::shared_ptr<void> aside = step_aside();
      stepped_.set_value(aside != nullptr);
      go_.get_future().wait();
    });
  }

  /// Whether it keeps no place, once it runs.
  bool is_aside() {
    auto stepped = stepped_.get_future();
    return stepped.wait_for(wait) == std::future_status::ready && stepped.get();
  }
  void go() { go_.set_value(); }

 private:
  std::promise<bool> stepped_;
  std::promise<void> go_;
};

TEST(worker_pool, one_that_steps_aside_frees_its_slot_up_to_a_bound) {
  WorkerPool pool(1, 1);
  Waiter first(pool);
  EXPECT_TRUE(first.is_aside());
  EXPECT_EQ(pool.aside(), 1u);
  // The place is free for this one, which must keep it: no more may step aside.
  Waiter second(pool);
  EXPECT_FALSE(second.is_aside());
  EXPECT_EQ(pool.aside(), 1u);
  std::promise<void> ran;
  pool.post([&ran] { ran.set_value(); });
  second.go();
  EXPECT_EQ(ran.get_future().wait_for(wait), std::future_status::ready);
  first.go();
  EXPECT_TRUE(pool.finish(10'000));
  EXPECT_EQ(pool.aside(), 0u);
}

TEST(worker_pool, what_was_queued_before_runs_when_one_steps_aside) {
  WorkerPool pool(1, 1);
  std::promise<void> queued;
  std::promise<void> ran;
  const auto step_aside = pool.step_aside();
  std::promise<bool> seen;
  pool.post([&] {
    queued.get_future().wait();
    const std::shared_ptr<void> aside = step_aside();
    seen.set_value(ran.get_future().wait_for(wait) == std::future_status::ready);
  });
  pool.post([&ran] { ran.set_value(); });
  queued.set_value();
  EXPECT_TRUE(seen.get_future().get());
  EXPECT_TRUE(pool.finish(10'000));
}

TEST(worker_pool, a_returning_worker_leaves_no_extra_thread) {
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  WorkerPool pool(1, 8);
  std::list<Waiter> waiters;
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(waiters.emplace_back(pool).is_aside());
  for (Waiter& each : waiters) each.go();
  for (int i = 0; i < 1'000; ++i) {
    pool.post([&] {
      most = std::max(most.load(), ++at_once);
      --at_once;
    });
  }
  EXPECT_TRUE(pool.finish(10'000));
  EXPECT_EQ(most.load(), 1);
}

}  // namespace
}  // namespace baton::transport
