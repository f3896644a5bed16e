#pragma once
// What SQLite's result codes mean to Baton, and whether a store may still write. One Health is
// shared by every connection of a store; any thread.
//
// After a failed sync the content of the disk is unknown, and in a corrupt file every write may
// destroy more: both end writing for the life of the process. Reading continues, except in files
// that were replaced (STORE_REPLACED).

#include <sqlite3.h>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/thread_safety.h"

namespace baton::adapters::sqlite {

/// STORE_REPLACED, with what to do.
Error replaced(std::string message);

/// The error for result code `rc` of `db` (may be null) while `doing` something.
Error error_of(sqlite3* db, int rc, std::string_view doing);

/// Whether this code ends writing.
bool is_fatal(int rc);

/// Whether the error is the store's (the whole transaction is in doubt), not one append's.
bool is_of_store(const Error& error);

class Health {
 public:
  /// Notes a result code; the first fatal one stops writing.
  void note(int rc, const Error& error);

  /// Stops writing for a reason that SQLite does not see.
  void stop(const Error& error);

  /// Why writing has stopped, if it has.
  std::optional<Error> stopped() const;

 private:
  std::atomic<bool> is_stopped_ = false;
  mutable Mutex mutex_;
  std::optional<Error> why_ GUARDED_BY(mutex_);
};

}  // namespace baton::adapters::sqlite
