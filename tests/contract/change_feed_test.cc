// The ChangeFeed port over both stores.

#include <gtest/gtest.h>

#include <thread>

#include "adapters/store/memory/memory_store.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "adapters/store/sqlite/write/change_feed.h"
#include "support/acts.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

constexpr std::int64_t long_ms = 60'000;

struct Watched {
  TempDir folder;
  std::unique_ptr<ports::EventStore> store;
  std::unique_ptr<ports::ChangeFeed> feed;
};

struct FeedKind {
  const char* name;
  void (*make)(Watched&);
};

void make_memory_feed(Watched& out) {
  auto store = std::make_unique<adapters::MemoryStore>();
  out.feed = std::make_unique<adapters::PollingFeed>(
      [inner = store.get()] { return inner->last_commit(); }, 5);
  out.store = std::move(store);
}

void make_sqlite_feed(Watched& out) {
  const std::string path = out.folder.path("store.db");
  out.store = MUST(adapters::SqliteStore::open(path));
  out.feed = MUST(adapters::open_sqlite_feed(path, 5));
}

class ChangeFeedTest : public ::testing::TestWithParam<FeedKind> {
 protected:
  ChangeFeedTest() { GetParam().make(watched_); }
  ports::EventStore& store() { return *watched_.store; }
  ports::ChangeFeed& feed() { return *watched_.feed; }

 private:
  Watched watched_;
};

using change_feed = ChangeFeedTest;
INSTANTIATE_TEST_SUITE_P(contract, change_feed,
                         ::testing::Values(FeedKind{"memory", make_memory_feed},
                                           FeedKind{"sqlite", make_sqlite_feed}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(change_feed, what_is_there_already_is_told_at_once) {
  EXPECT_EQ(got(feed().wait_past({0}, 0)), run::CommitNo{0});
  must_append(store(), start_run(1, 1, 1));
  EXPECT_EQ(got(feed().wait_past({0}, long_ms)), run::CommitNo{1});
  EXPECT_EQ(got(feed().wait_past({1}, 0)), run::CommitNo{1});
}

TEST_P(change_feed, a_waiter_is_told_of_an_append) {
  must_append(store(), start_run(1, 1, 1));
  std::thread writer([&] { must_append(store(), note(1, 1, 1, "n", "x")); });
  EXPECT_EQ(got(feed().wait_past({1}, long_ms)), run::CommitNo{2});
  writer.join();
}

TEST_P(change_feed, stopping_lets_every_waiter_go) {
  std::thread stopper([&] { feed().stop(); });
  EXPECT_EQ(got(feed().wait_past({5}, long_ms)), run::CommitNo{0});
  stopper.join();
  EXPECT_EQ(got(feed().wait_past({5}, long_ms)), run::CommitNo{0});
}

}  // namespace
}  // namespace baton::contract
