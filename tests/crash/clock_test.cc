// A clock that jumps, stops and goes back, under the unmodified server.

#include <fstream>

#include "base/text/text.h"
#include "run/log/token.h"
#include "support/walk.h"

namespace baton::crash {
namespace {

/// What the server's wall clock says, changed while it runs. Its monotonic clock keeps running.
class FalseClock {
 public:
  explicit FalseClock(std::filesystem::path file) : file_(std::move(file)) { set("+0"); }

  std::vector<std::string> environment() const {
    return {"LD_PRELOAD=" BATON_FAKETIME,
            cat("FAKETIME_TIMESTAMP_FILE=", file_.string()),
            "FAKETIME_NO_CACHE=1",
            "DONT_FAKE_MONOTONIC=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            "NO_FAKE_STAT=1"};
  }

  /// At once for the next read.
  void set(const std::string& time) {
    const std::filesystem::path fresh = cat(file_.string(), ".new");
    std::ofstream(fresh) << time << '\n';
    std::filesystem::rename(fresh, file_);
  }

  /// One of the usual disasters, or nothing.
  void jump(std::mt19937_64& dice) {
    constexpr std::int64_t hour_ms = 3'600'000;
    constexpr std::int64_t years_ms = 10 * 8'766 * hour_ms;
    constexpr std::int64_t jumps[] = {1, -1, hour_ms, -hour_ms, years_ms, -years_ms};
    const std::uint64_t choice = dice() % 8;
    if (choice == 7) {
      set(cat(1990 + dice() % 60, "-05-06 07:08:09"));  // and stops there
      return;
    }
    if (choice < 6) offset_ms_ += jumps[choice];
    offset_ms_ = std::clamp(offset_ms_, -4 * years_ms, 4 * years_ms);
    const std::int64_t size = offset_ms_ < 0 ? -offset_ms_ : offset_ms_;
    std::string fraction = cat(1'000 + size % 1'000);
    fraction[0] = '.';
    set(cat(offset_ms_ < 0 ? "-" : "+", size / 1'000, fraction));
  }

 private:
  std::filesystem::path file_;
  std::int64_t offset_ms_ = 0;
};

// Enforces: G11
TEST(clock, jumps_between_any_two_calls_change_no_order_and_lose_no_run) {
  const int lives = is_nightly() ? 500 : 10;
  constexpr int jumps_per_life = 100;
  Scratch scratch;
  Walk walk(MUST(make_place(scratch.path())));  // the scratch folder is ours
  FalseClock clock(scratch.path() / "clock");
  std::mt19937_64 dice(crash_seed());
  for (int life = 0; life < lives; ++life) {
    SCOPED_TRACE(cat("life ", life, " with seed ", crash_seed()));
    clock.jump(dice);
    walk.start({}, clock.environment());
    for (int i = 0; i < jumps_per_life; ++i) {
      clock.jump(dice);
      ASSERT_EQ(walk.step(), "") << "at call " << i;
    }
    walk.expect_reads_work();
    dice() % 2 == 0 ? walk.end() : walk.kill();
    if (::testing::Test::HasFailure()) return;
  }
  const StoreCheck checked = walk.expect_nothing_lost();
  // The clock did jump: it went back on about a third of the commits.
  EXPECT_GT(checked.steps_back, checked.commits / 10);
  // The order of the log is the order in which the client was told.
  run::NodeNo last;
  for (const Acked& acked : walk.client().acked()) {
    const run::NodeNo node = MUST(run::decode_token(acked.outcome)).node;  // the server's own
    EXPECT_LT(last, node);
    last = node;
  }
  RecordProperty("commits", static_cast<int>(checked.commits));
  RecordProperty("steps_back", static_cast<int>(checked.steps_back));
}

}  // namespace
}  // namespace baton::crash
