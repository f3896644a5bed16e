#include "adapters/store/rules/polling_feed.h"

#include <algorithm>
#include <chrono>

namespace baton::adapters {

Result<run::CommitNo> PollingFeed::wait_past(run::CommitNo seen, std::int64_t timeout_ms) {
  const auto since = std::chrono::steady_clock::now();
  MutexLock lock(mutex_);
  for (;;) {
    const run::CommitNo newest = TRY(look_());
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - since);
    const std::int64_t left = timeout_ms - waited.count();
    if (newest > seen || is_stopped_ || left <= 0) return newest;
    // By the wall clock: a jump makes one look come early or late, nothing else.
    stopped_.wait_until(
        mutex_,
        std::chrono::system_clock::now() + std::chrono::milliseconds(std::min(every_ms_, left)),
        [this]() REQUIRES(mutex_) { return is_stopped_; });
  }
}

void PollingFeed::stop() {
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
  }
  stopped_.notify_all();
}

}  // namespace baton::adapters
