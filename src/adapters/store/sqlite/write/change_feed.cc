#include "adapters/store/sqlite/write/change_feed.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "adapters/store/sqlite/rows.h"
#include "adapters/store/sqlite/schema.h"
#include "adapters/store/sqlite/write/commit_signal.h"
#include "base/core/limits.h"

namespace baton::adapters {
namespace {

namespace sql {
constexpr const char* data_version = "PRAGMA data_version";
}

/// What a look needs to remember between two.
struct Watch {
  sqlite::Health health;
  std::unique_ptr<sqlite::Connection> connection;
  std::int64_t data_version = -1;
  run::CommitNo newest;

  Result<run::CommitNo> look() {
    std::int64_t version = 0;
    {
      sqlite::Query query(*connection, sql::data_version);
      TRY(query.step());
      version = query.integer(0);
    }
    // Read before the log: a commit in between is seen now and once more at the next look.
    if (version != data_version) newest = TRY(sqlite::last_commit_no(*connection));
    data_version = version;
    return newest;
  }
};

class SignalledFeed final : public ports::ChangeFeed {
 public:
  SignalledFeed(std::unique_ptr<sqlite::CommitSignal> bell, std::shared_ptr<Watch> watch,
                std::int64_t every_ms)
      : bell_(std::move(bell)), watch_(std::move(watch)), polling_ms_(every_ms) {}

  Result<run::CommitNo> wait_past(run::CommitNo seen, std::int64_t timeout_ms) override {
    const auto since = std::chrono::steady_clock::now();
    for (;;) {
      // Read before the look, so that a commit in between is heard.
      const std::uint32_t rings = bell_->rings();
      const run::CommitNo newest = TRY(look());
      const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::steady_clock::now() - since);
      const std::chrono::milliseconds left(timeout_ms - waited.count());
      if (newest > seen || is_stopped_ || left.count() <= 0) return newest;
      if (bell_->listen(rings, left)) continue;
      std::this_thread::sleep_for(std::min(left, std::chrono::milliseconds(polling_ms_)));
    }
  }

  void stop() override {
    is_stopped_ = true;
    // Other listeners look once for nothing.
    bell_->ring();
  }

 private:
  Result<run::CommitNo> look() {
    const MutexLock lock(mutex_);
    return watch_->look();
  }

  const std::unique_ptr<sqlite::CommitSignal> bell_;
  Mutex mutex_;
  const std::shared_ptr<Watch> watch_ GUARDED_BY(mutex_);
  std::atomic<bool> is_stopped_ = false;
  const std::int64_t polling_ms_;
};

}  // namespace

Result<std::unique_ptr<ports::ChangeFeed>> open_sqlite_feed(std::string path,
                                                            std::int64_t every_ms) {
  auto watch = std::make_shared<Watch>();
  auto bell = sqlite::CommitSignal::open(path + "-bell");
  const sqlite::Where where{std::move(path), {}, limits::store_busy_ms_max};
  watch->connection = TRY(sqlite::Connection::open(where, sqlite::Access::read, watch->health));
  TRY(sqlite::prepare_to_read(*watch->connection));
  if (bell) return std::make_unique<SignalledFeed>(std::move(bell), std::move(watch), every_ms);
  return std::make_unique<PollingFeed>([watch] { return watch->look(); }, every_ms);
}

}  // namespace baton::adapters
