#pragma once
// Waiting for the store to grow, by this process's appends or another's. Any thread.

#include "base/result.h"
#include "run/types.h"

namespace baton::ports {

class ChangeFeed {
 public:
  virtual ~ChangeFeed() = default;

  /// The store's newest commit as soon as it is past `seen`, or what it is when `timeout_ms` is
  /// over or stop() was called.
  virtual Result<run::CommitNo> wait_past(run::CommitNo seen, std::int64_t timeout_ms) = 0;

  /// Every waiter returns now, and every later one at once.
  virtual void stop() = 0;
};

}  // namespace baton::ports
