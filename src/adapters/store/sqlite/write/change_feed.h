#pragma once
// The ChangeFeed of a SQLite file. It sleeps until a process that shares the file rings after a
// commit (commit_signal.h), and wakes for nothing else; only where there is no such signal does it
// poll. PRAGMA data_version tells for a few microseconds whether any connection of any process has
// committed; only then is the log looked at. Any thread.

#include <memory>
#include <string>

#include "adapters/store/rules/polling_feed.h"
#include "base/core/approval_limits.h"

namespace baton::adapters {

/// The file must be there already: open the store first.
Result<std::unique_ptr<ports::ChangeFeed>> open_sqlite_feed(
    std::string path, std::int64_t every_ms = limits::unsignalled_poll_ms);

}  // namespace baton::adapters
