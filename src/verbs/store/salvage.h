#pragma once
// Salvage: takes every session of a damaged store out as a bundle, a damaged one up to its last
// sound commit. Trusts nothing but hashes. Reads only.

#include <functional>
#include <string>
#include <vector>

#include "ports/event_store.h"

namespace baton::verbs {

struct SalvagedSession {
  SessionId session;
  std::int64_t commits = 0;  // that were taken out
  std::string lost;          // why no more could be; empty: it is whole
};

struct SalvageReport {
  std::vector<SalvagedSession> sessions;
  std::int64_t unreadable = 0;  // commits that could not be read at all
  // Whether the store has approval keys, or tasks of MCP clients: these belong to the store and
  // not to a run, and no bundle has them.
  bool has_approvals = false;
  std::int64_t client_tasks = 0;
  bool is_whole() const;
};

/// Handed each bundle's text as it is made.
using TakeBundle = std::function<Result<void>(const SessionId& session, const std::string& bundle)>;

/// `raw` gives commits as they are stored, without refusing those that do not fit.
Result<SalvageReport> salvage(ports::EventReader& raw, const TakeBundle& take);

}  // namespace baton::verbs
