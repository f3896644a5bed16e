// The EventStore contract, third part: many threads at once.

#include <atomic>
#include <thread>

#include "base/text/text.h"
#include "support/event_store_suite.h"

namespace baton::contract {
namespace {

constexpr int threads = 8;

using event_store_threads = EventStoreTest;
INSTANTIATE_TEST_SUITE_P(contract, event_store_threads, ::testing::ValuesIn(store_kinds), kind_of);

template <class Work>
void on_every_thread(Work work) {
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) running.emplace_back(work, t);
  for (std::thread& thread : running) thread.join();
}

// Enforces: G5
TEST_P(event_store_threads, one_of_many_appends_at_a_head_wins) {
  must_append(store(), start_run(1, 1, 1));
  constexpr int rounds = 20;
  std::atomic<int> appended = 0;
  std::atomic<int> moved = 0;
  on_every_thread([&](int t) {
    for (int round = 0; round < rounds; ++round) {
      run::CommitDraft append = note(1, 1, 1, cat(t, '.', round), "x");
      append.expected = run::Seq{round + 1};
      const auto outcome = store().append(append);
      ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
      if (std::holds_alternative<ports::Appended>(*outcome)) {
        ++appended;
      } else {
        ASSERT_TRUE(std::holds_alternative<ports::HeadMoved>(*outcome));
        ++moved;
        // Wait for the round's winner, so that every thread is at every head once.
      }
      while (store().head(session_id(1))->seq < run::Seq{round + 2}) std::this_thread::yield();
    }
  });
  EXPECT_EQ(appended, rounds);
  EXPECT_EQ(moved, rounds * (threads - 1));
  EXPECT_EQ(store().head(session_id(1))->seq, run::Seq{rounds + 1});
  EXPECT_EQ(chain_problem(store(), session_id(1)), "");
}

// Enforces: G22
TEST_P(event_store_threads, one_of_many_appends_with_a_key_is_recorded) {
  must_append(store(), start_run(1, 1, 1));
  constexpr int keys = 25;
  std::atomic<int> appended = 0;
  on_every_thread([&](int t) {
    for (int key = 0; key < keys; ++key) {
      const auto outcome = store().append(note(1, 1, 1, cat("key", key), cat("from ", t)));
      ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
      if (std::holds_alternative<ports::Appended>(*outcome)) ++appended;
    }
  });
  EXPECT_EQ(appended, keys);
  EXPECT_EQ(store().head(session_id(1))->seq, run::Seq{keys + 1});
}

// Enforces: G2
TEST_P(event_store_threads, readers_never_see_half_a_commit) {
  must_append(store(), start_run(1, 1, 1));
  constexpr std::uint64_t steps = 40;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (std::uint64_t n = 1; n < steps; ++n) {
      run::CommitDraft step = advance(1, 1, {.from = n, .to = n + 1});
      step.blobs = {run::Content(cat("blob ", n + 1))};
      must_append(store(), step);
    }
    done = true;
  });
  // A commit that is visible has its node, its attempt and its blob.
  std::int64_t looked = 0;
  for (bool last = false; !last;) {
    last = done;
    const run::CommitNo newest = *store().last_commit();
    if (newest.value < 2) continue;
    const auto n = static_cast<std::uint64_t>(newest.value);
    const run::NodeRow row = must_have_node(store(), n);
    EXPECT_EQ(row.no.commit(), newest);
    EXPECT_EQ(got(store().attempt(*row.parent, {})), row.no);
    EXPECT_EQ(got(store().blob(sha256(cat("blob ", n)))), cat("blob ", n));
    ++looked;
  }
  writer.join();
  EXPECT_GT(looked, 0);
}

TEST_P(event_store_threads, sessions_do_not_hinder_each_other) {
  on_every_thread([&](int t) {
    const auto s = static_cast<std::uint64_t>(t + 1);
    must_append(store(), start_run(s, s, s * 1000));
    for (std::uint64_t n = 0; n < 25; ++n) {
      run::CommitDraft step = advance(s, s, {.from = s * 1000 + n, .to = s * 1000 + n + 1});
      step.expected = run::Seq{static_cast<std::int64_t>(n) + 1};
      must_append(store(), step);
    }
  });
  EXPECT_EQ(got(store().last_commit()), run::CommitNo{threads * 26});
  for (std::uint64_t s = 1; s <= threads; ++s) {
    EXPECT_EQ(store().head(session_id(s))->seq, run::Seq{26});
    EXPECT_EQ(chain_problem(store(), session_id(s)), "");
  }
  const std::string before = dump(store());
  ASSERT_TRUE(store().rebuild().has_value());
  EXPECT_EQ(dump(store()), before);
}

}  // namespace
}  // namespace baton::contract
