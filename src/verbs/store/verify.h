#pragma once
// Checks the whole store against itself, at one moment of it: every byte of the log by its hash
// chain, and everything else by deriving it from the log again. Reads only.

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "ports/store_admin.h"
#include "run/log/store_head.h"
#include "verbs/store/verify_seals.h"

namespace baton::verbs {

struct VerifyReport {
  run::CommitNo last;  // the store's newest commit at that moment, removed ones included
  std::optional<run::CommitNo> anchored;  // what is vouched for outside of the store
  std::int64_t commits = 0;
  std::int64_t events = 0;
  std::int64_t sessions = 0;
  std::int64_t runs = 0;
  std::int64_t nodes = 0;
  std::int64_t snapshots = 0;
  std::int64_t seals = 0;                           // of owners, that are good
  std::map<SessionId, std::int64_t> imported = {};  // decisions that nothing here vouches for
  run::StoreHead head;                              // of the store at that moment
  std::vector<std::string> problems;                // at most limits::verify_problems_max
  std::array<std::int64_t, 3> problems_of = {};     // all there are, by ports::StorePart

  bool ok() const { return problems.empty(); }
  std::int64_t all_problems() const { return problems_of[0] + problems_of[1] + problems_of[2]; }
  bool has(ports::StorePart part) const { return problems_of[static_cast<std::size_t>(part)] > 0; }
};

/// Told now and then which commit was checked, and which is the last.
using VerifyProgress = std::function<void(run::CommitNo checked, run::CommitNo last)>;

/// What else is checked.
struct VerifyRequest {
  const run::SignatureCheck* signatures = nullptr;  // none: seals are not looked at
  PublicKeys kept = {};                             // public keys that were kept elsewhere
  std::optional<run::StoreHead> since = {};         // a head that was noted earlier
};

Result<VerifyReport> verify(ports::EventStore& store, const VerifyProgress& progress = {},
                            const VerifyRequest& request = {});

/// The same of what a reader gives, row by row. Nothing may be written meanwhile.
Result<VerifyReport> verify(ports::EventReader& reader);

}  // namespace baton::verbs
