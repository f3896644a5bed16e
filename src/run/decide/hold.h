#pragma once
// What the owner of a run may say about it after what was said before. Pure.

#include "base/core/result.h"
#include "run/log/owner_events.h"

namespace baton::run {

/// INVALID_INPUT when the run is held so already, or has ended and is not held. Values of
/// `now` and `next` are of the same run; `next.number` is given here.
Result<void> check_hold(const RunHeld& now, RunHeld& next, bool is_over);

/// The next word of guidance after `count` earlier ones.
Result<void> check_guidance(std::int64_t count, Guidance& next);

/// "local paused it in a terminal: waiting for the review".
std::string hold_text(const RunHeld& held);

}  // namespace baton::run
