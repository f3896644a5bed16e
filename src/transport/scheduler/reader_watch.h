#pragma once
// ReaderWatch: how long the reader may run a call before another thread takes the reading over. A
// value that CallScheduler guards; a thread without work asks it each patience_ms().

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/core/limits.h"
#include "transport/scheduler/scheduled_call.h"

namespace baton::transport {

class ReaderWatch {
 public:
  /// The reader is to run a call: a thread has to watch.
  void wake() {
    if (is_awake_) return;
    is_awake_ = true;
    quiet_ticks_ = 0;
    patience_ms_ = limits::call_patience_ms;
  }
  /// Whether a thread without work should become the watcher.
  bool needs_watcher() const { return is_awake_ && !has_watcher_; }
  void set_watcher(bool is_there) { has_watcher_ = is_there; }
  std::int64_t patience_ms() const { return patience_ms_; }

  /// The reader runs `call`.
  void begin(std::shared_ptr<ScheduledCall> call) {
    ++last_;
    call_ = std::move(call);
  }

  /// The call has run. False: another thread took the reading over meanwhile.
  bool end(const std::shared_ptr<ScheduledCall>& call) {
    if (call_ != call) return false;
    call_ = nullptr;
    return true;
  }

  /// After a wait of patience_ms(): returns the call that ran all that time, so that another thread
  /// takes the reading over from it; null when no call did.
  std::shared_ptr<ScheduledCall> tick() {
    const bool is_same = last_ == seen_last_;
    const bool is_quiet = is_same && call_ == nullptr;
    std::shared_ptr<ScheduledCall> overdue = is_same ? std::move(call_) : nullptr;
    if (overdue) call_ = nullptr;
    // While one quick call follows another, to look after them often would cost more than they do.
    patience_ms_ =
        is_same ? limits::call_patience_ms : std::min(2 * patience_ms_, limits::stream_patience_ms);
    quiet_ticks_ = is_quiet ? quiet_ticks_ + 1 : 0;
    seen_last_ = last_;
    if (quiet_ticks_ > quiet_ticks_max) is_awake_ = false;
    return overdue;
  }

 private:
  // After this long without a call the watcher sleeps, so that an idle server sleeps.
  static constexpr int quiet_ticks_max = 100;

  std::shared_ptr<ScheduledCall> call_;  // null: the reader runs none
  std::uint64_t last_ = 0;               // its number; they count up
  std::uint64_t seen_last_ = 0;          // what that was at the last tick
  std::int64_t patience_ms_ = limits::call_patience_ms;
  int quiet_ticks_ = 0;  // since a call was last watched
  bool is_awake_ = false;
  bool has_watcher_ = false;
};

}  // namespace baton::transport
