#include "transport/worker_pool.h"

#include <gtest/gtest.h>

#include <future>

namespace baton::transport {
namespace {

constexpr auto patience = std::chrono::seconds(10);

TEST(worker_pool, runs_as_many_jobs_at_once_as_it_has_threads) {
  WorkerPool pool(4);
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
    EXPECT_EQ(each.get_future().wait_for(patience), std::future_status::ready);
  }
  go.set_value();
  EXPECT_TRUE(pool.finish(10'000));
}

TEST(worker_pool, runs_more_jobs_than_it_has_threads) {
  std::atomic<int> count = 0;
  WorkerPool pool(2);
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
    WorkerPool pool(1);
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
  EXPECT_EQ(done->get_future().wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(dropped);
}

}  // namespace
}  // namespace baton::transport
