// Filling the search index: however many calls need it at once, the log is read once, in
// bounded pieces, and no other call waits for it.

#include "verbs/store/fill_search_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "base/text/text.h"
#include "support/watched_reader.h"
#include "support/world.h"
#include "verbs/run/resume.h"

namespace baton::testing {
namespace {

using surface::SignedReply;
using ::testing::SizeIs;
using verbs::CaughtUp;
using verbs::Resumed;

constexpr std::int64_t near = limits::catch_up_near_commits;

/// A store with a log of so many commits, and an empty index.
class catch_up : public ::testing::Test {
 protected:
  void write_log(std::int64_t commits, const std::string& notes = "found it") {
    SignedReply reply = MUST(world.start());
    while (world.last_commit().value < commits) {
      reply = MUST(world.checkpoint(*reply.checkpoint_token, notes));
    }
  }

  engine::ReadContext reading() {
    return {{reader, *world.caches}, world.signer, world.manual_clock, &world.workflows};
  }

  CaughtUp fill() { return MUST(verbs::fill_search_index(reading(), world.search)); }

  /// The first reader of the log waits before the first page until the gate is opened.
  void close_gate() {
    reader.before_page = [this] {
      if (is_reached.exchange(true)) return;
      is_reading.count_down();
      gate.wait();
    };
  }

  void wait_for_waiters(std::size_t count) {
    while (world.caches->filling.waiting() < count) std::this_thread::yield();
  }

  World world;
  WatchedReader reader{world.store};
  std::atomic<bool> is_reached = false;
  std::latch is_reading{1};  // once the log is read
  std::latch gate{1};
};

// Enforces: G9
TEST_F(catch_up, of_many_calls_at_once_one_reads_the_log) {
  write_log(near + 100);
  close_gate();
  std::vector<std::thread> calls;
  std::vector<std::int64_t> left(1 + limits::catch_up_waiters_max, -1);
  const auto call = [this, &left](std::size_t who) { left[who] = fill().commits_left; };
  calls.emplace_back(call, 0);
  is_reading.wait();
  for (std::size_t who = 1; who <= limits::catch_up_waiters_max; ++who) {
    calls.emplace_back(call, who);
  }
  wait_for_waiters(limits::catch_up_waiters_max);
  // No place is left to wait in: this call continues with the index as it is, which is empty.
  EXPECT_EQ(fill().commits_left, world.last_commit().value);
  gate.count_down();
  for (std::thread& each : calls) each.join();
  EXPECT_THAT(left, ::testing::Each(0));
  EXPECT_EQ(reader.commits, static_cast<std::size_t>(world.last_commit().value));
  EXPECT_EQ(fill().commits_left, 0);
  EXPECT_EQ(reader.commits, static_cast<std::size_t>(world.last_commit().value));
}

// Enforces: G9
TEST_F(catch_up, every_call_waits_for_a_few_commits) {
  write_log(near);
  close_gate();
  constexpr std::size_t more = limits::catch_up_waiters_max + 4;
  std::vector<std::thread> calls;
  std::atomic<int> whole = 0;
  const auto call = [&] { whole += fill().commits_left == 0 ? 1 : 0; };
  calls.emplace_back(call);
  is_reading.wait();
  for (std::size_t i = 0; i < more; ++i) calls.emplace_back(call);
  wait_for_waiters(more);
  gate.count_down();
  for (std::thread& each : calls) each.join();
  EXPECT_EQ(whole, static_cast<int>(more + 1));
  EXPECT_EQ(reader.commits, static_cast<std::size_t>(near));
}

// Enforces: G9
TEST_F(catch_up, one_slow_call_does_not_hold_back_the_next) {
  constexpr std::int64_t pages = 4;
  write_log(pages * static_cast<std::int64_t>(limits::log_page_commits));
  // The last instant at which it still continues, and the first at which it does not.
  reader.before_page = [this] { world.manual_clock.advance_ms(limits::catch_up_ms_max / 2); };
  constexpr auto page = static_cast<std::int64_t>(limits::log_page_commits);
  EXPECT_EQ(fill().commits_left, (pages - 2) * page);
  EXPECT_EQ(world.search.mark().value().commit.value, 2 * page);
  reader.before_page = [this] { world.manual_clock.advance_ms(limits::catch_up_ms_max / 8); };
  EXPECT_EQ(fill().commits_left, 0);
  EXPECT_EQ(reader.commits, static_cast<std::size_t>(world.last_commit().value)) << "read twice";
}

// Enforces: G9
TEST_F(catch_up, a_page_of_the_log_in_memory_is_bounded_by_its_bytes) {
  constexpr std::size_t notes = 1u << 20;
  write_log(12, std::string(notes, 'n'));
  EXPECT_EQ(fill().commits_left, 0);
  EXPECT_GE(reader.page_bytes_max, limits::log_page_bytes_max);
  EXPECT_LT(reader.page_bytes_max, limits::log_page_bytes_max + notes + 4'096);
}

/// An index that another process fills.
struct ClaimedIndex final : ports::SearchIndex {
  Result<ports::IndexMark> mark() override { return inner.mark(); }
  std::shared_ptr<void> claim(std::int64_t wait_ms) override {
    ++claims;
    clock->advance_ms(wait_ms);
    if (claims == filled_at) others();
    return nullptr;
  }
  Result<void> add(const ports::IndexMark&, std::span<const ports::SearchCommit>) override {
    ADD_FAILURE() << "filled without a claim";
    return {};
  }
  Result<void> forget(const SessionId& session) override { return inner.forget(session); }
  Result<void> clear() override { return inner.clear(); }
  Result<void> find(std::span<const std::string> words, run::FoundRuns& out) override {
    return inner.find(words, out);
  }

  adapters::MemorySearch inner;
  adapters::ManualClock* clock = nullptr;
  std::function<void()> others;
  int filled_at = 0;
  int claims = 0;
};

// Enforces: G9
TEST_F(catch_up, what_another_process_fills_in_is_waited_for_and_not_read) {
  write_log(10);
  ClaimedIndex index;
  index.clock = &world.manual_clock;
  EXPECT_EQ(MUST(verbs::fill_search_index(reading(), index)).commits_left, 10)
      << "it takes too long";
  EXPECT_GT(index.claims, 1);
  EXPECT_EQ(reader.commits, 0u);
  index.others = [&] {
    engine::Caches other;
    const engine::ReadContext there{{world.store, other}, world.signer, world.manual_clock};
    ASSERT_EQ(MUST(verbs::fill_search_index(there, index.inner)).commits_left, 0);
  };
  index.filled_at = index.claims + 3;
  EXPECT_EQ(MUST(verbs::fill_search_index(reading(), index)).commits_left, 0);
  EXPECT_EQ(index.claims, index.filled_at);
  EXPECT_EQ(reader.commits, 0u);
}

// Enforces: G9
TEST_F(catch_up, an_answer_from_a_part_of_the_index_says_so) {
  write_log(3 * static_cast<std::int64_t>(limits::log_page_commits));
  const SignedReply newest = MUST(world.start());
  reader.before_page = [this] { world.manual_clock.advance_ms(limits::catch_up_ms_max); };
  const auto ask = [&] {
    return MUST(verbs::resume(reading(), world.search, nullptr, world.principal, {}));
  };
  const Resumed first = ask();
  EXPECT_GT(first.commits_left, 0);
  EXPECT_THAT(first.candidates, SizeIs(1));
  reader.before_page = [] {};
  const Resumed second = ask();
  EXPECT_EQ(second.commits_left, 0);
  ASSERT_THAT(second.candidates, SizeIs(2));
  EXPECT_EQ(second.candidates[0].row.run, newest.reply.run);
}

}  // namespace
}  // namespace baton::testing
