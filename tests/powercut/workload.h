#pragma once
// The workload: a seeded script of clients that start, advance, replay, checkpoint and fork runs
// over a CrashVfs, with WAL checkpoints, closed and reopened stores and a second store in between.
// It is run once; from what it leaves, images of any cut are made without running it again.

#include "crash_vfs.h"
#include "world.h"

namespace baton::powercut {

inline constexpr const char* store_path = "/store.db";

/// One call that a client got a reply to.
struct Act {
  Request request;
  surface::SignedReply reply;
  std::size_t client = 0;
  std::size_t ops_before = 0;  // operations on the files before the call
  std::size_t ops_after = 0;   // and when it returned: the reply may be relied on from here on
  std::size_t commits_after = 0;
};

struct Recording {
  std::uint64_t seed = 0;
  Profile profile;
  std::vector<OpPtr> ops;
  std::vector<Act> acts;
  std::vector<run::Commit> log;       // of the whole store, at the end
  std::vector<std::string> problems;  // seen while it ran: replies that came before their sync
  std::int64_t appends = 0;

  std::uint64_t key_seed() const { return seed; }
  /// How many acts had their reply when `ops` operations had returned.
  std::size_t acknowledged(std::size_t ops_done) const;
};

struct WorkloadOptions {
  std::uint64_t seed = 1;
  std::size_t steps = 60;
  bool syncs_work = true;
};

/// REQUIRES: no other thread uses SQLite, whose randomness belongs to the process.
Recording run_workload(const WorkloadOptions& options);

}  // namespace baton::powercut
