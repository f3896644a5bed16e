#pragma once
// A ChangeFeed that polls, and only while a caller waits. What a poll costs and how
// often it is worth one are the store's to say. Any thread.

#include <functional>

#include "base/core/thread_safety.h"
#include "ports/event_store.h"

namespace baton::adapters {

class PollingFeed : public ports::ChangeFeed {
 public:
  /// `look` gives the newest commit; it is called by one thread at a time.
  PollingFeed(std::function<Result<run::CommitNo>()> look, std::int64_t every_ms)
      : every_ms_(every_ms), look_(std::move(look)) {}

  Result<run::CommitNo> wait_past(run::CommitNo seen, std::int64_t timeout_ms) override;
  void stop() override;

 private:
  std::int64_t every_ms_;
  Mutex mutex_;
  std::function<Result<run::CommitNo>()> look_ GUARDED_BY(mutex_);
  Condition stopped_;
  bool is_stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace baton::adapters
